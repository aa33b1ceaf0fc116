// What the service answers, as far as the page uses it. docs/service.md.

export type Known = number | null;

export interface DecisionCounts {
  decided: number;
  complete: number;
  outstanding: number;
  lost: number;
  late: number;
}

export interface Brief {
  name: string;
  policy: string;
  stopped: boolean;
  state_version: number;
  last_event_ms: Known;
  decisions: DecisionCounts;
}

export interface CampaignList {
  campaigns: Brief[];
  now_ms: number;
}

export interface Warning {
  kind: string;
  message: string;
  advice: string;
  action?: number;
  name?: string;
}

/// The estimate of an action, or of a treatment.
export interface Estimate {
  decided: number;
  share: Known;
  estimate: Known;
  low: Known;
  high: Known;
}

export interface ActionRow extends Estimate {
  action: number;
  name?: string;
  pulls: number;
  index: Known;
  probability_best: Known;
  active?: boolean;
  declared_count: Known;
  identified_count: Known;
  padding_count: Known;
}

export interface TreatmentRow extends Estimate {
  treatment: number;
  paid: number;
}

/// An action of a campaign with contexts: what the variables paid when it was taken.
export interface TakenRow extends Estimate {
  action: number;
  name?: string;
  pulls: number;
  paid: number;
}

/// What the policy believes of an action in a context.
export interface ContextActionRow {
  action: number;
  name?: string;
  uplift: Known;
  low: Known;
  high: Known;
  difference: { estimate: number; interval: [number, number] | null } | null;
  index: Known;
  chosen: boolean;
  reason: string;
  declared_count: Known;
  identified_count: Known;
  padding_count: Known;
}

export interface LastContext {
  decision: string;
  action: number;
  variables: number;
  reference_action?: number;  // what differences are to
  actions: ContextActionRow[];
}

export type Quantity = "uplift" | "difference" | "reward" | "payoff";

export interface Report extends Brief {
  now_ms: number;
  oldest_outstanding_ms: Known;
  wait: Known;
  lost: "skip" | "zeros";
  told: string[];
  warnings: Warning[];
  payoffs?: { rounds: number; mean: Known; sd: Known; least: Known; largest: Known };
  quantity: Quantity;
  quantity_text: string;      // what it is, in words
  interval_text: string | null;
  reference_text?: string;    // what differences are to, in words that hold at all times
  history_version: number;
  reference_action?: number;  // what differences are to now
  actions?: ActionRow[];
  treatments?: number;
  budget?: number;
  features?: number;
  observations?: number;
  treated?: TreatmentRow[];
  variables?: number;   // with contexts, if they are the same in every round
  rows?: number;
  taken?: TakenRow[];
  last_context?: LastContext | null;
}

export interface ActionHistory {
  action: number;
  name?: string;
  decided: number[];
  estimate: Known[];
  low: Known[];
  high: Known[];
}

export interface History {
  version: number;
  decided: number[];
  complete: number[];
  time_ms: number[];
  actions: ActionHistory[];
  left_out?: string;
}

export type Show = "affected" | "padding" | "surprising" | "all";

export interface VariableRow {
  variable: number;
  name?: string;
  affected: "declared" | "identified" | "padding" | null;
  mean: Known;
  baseline: Known;
  uplift: Known;
  difference: Known;  // where there is no uplift
  low: Known;         // of the uplift, or of the difference
  high: Known;
  surprising: boolean;
}

export interface VariablePage {
  action: number;
  from: number;
  total: number;
  kept: boolean;
  left_out?: string;
  against?: string;        // what uplifts are over, if there are any
  difference_to?: string;  // what differences are to, if there are any
  variables: VariableRow[];
}
