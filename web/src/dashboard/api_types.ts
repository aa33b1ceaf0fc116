// The answers of the service, as far as the page uses them. See docs/service.md.

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
  mode?: "live" | "shadow";
  state_version: number;
  last_event_ms: Known;
  decisions: DecisionCounts;
  quarantined?: string;
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

/// The estimate for an action or a treatment, and how often it was chosen.
export interface Estimate {
  decided: number;
  share: Known;
  estimate: Known;
  low: Known;
  high: Known;
}

/// Whether the action may be taken: by who runs the campaign.
export type ActionStatus = "active" | "paused" | "retired";

export interface ActionRow extends Estimate {
  action: number;
  name?: string;
  pulls: number;
  index: Known;
  probability_best: Known;
  active?: boolean;
  paused?: boolean;  // by a guardrail
  status?: ActionStatus;
  declared_count: Known;
  identified_count: Known;
  padding_count: Known;
}

/// Statements that hold at every time, each with a sentence.
export interface Settled {
  settled: boolean;
  text: string;
  best?: string;
  rivals: { action: string; beaten: boolean; difference?: number; low?: number; high?: number }[];
  leader?: string;
}

export interface Gain {
  text: string;
  disagree: boolean;
}

export interface GuardrailAlarm {
  guardrail: string;
  action: string;
  text: string;
  pauses: boolean;
}

export interface TreatmentRow extends Estimate {
  treatment: number;
  paid: number;
}

/// An action of a contextual campaign: what the variables paid when it was taken.
export interface TakenRow extends Estimate {
  status?: ActionStatus;
  action: number;
  name?: string;
  pulls: number;
  paid: number;
}

/// The policy's estimate for an action in a context.
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
  reference_action?: number;  // the action that the others are compared with
  actions: ContextActionRow[];
}

export type Quantity = "uplift" | "difference" | "reward" | "payoff";

export interface Report extends Brief {
  now_ms: number;
  oldest_outstanding_ms: Known;
  wait: Known;
  lost: "skip" | "zeros";
  knowledge_summary: string[];
  warnings: Warning[];
  settled?: Settled;
  gain?: Gain;
  guardrails?: GuardrailAlarm[];  // those that were broken; absent if there are none to break
  past?: { rounds: number; batches: number };
  shadow?: { decisions: number; agreed: number; share: Known };
  payoffs?: { rounds: number; mean: Known; sd: Known; least: Known; largest: Known };
  quantity: Quantity;
  quantity_text: string;      // the quantity in words
  interval_text: string | null;
  reference_text?: string;    // the reference of differences, in words that stay true
  history_version: number;
  reference_action?: number;  // the present reference of differences
  actions?: ActionRow[];
  treatments?: number;
  budget?: number;
  features?: number;
  decision_needs?: string[];  // what the request of a decision must have beside the features: "baseline", "affected"
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

/// An action was paused, resumed or retired.
export interface ActionChange {
  event: number;
  time_ms: number;
  decided: number;  // decisions before it
  action: number;
  kind: "paused" | "resumed" | "retired";
}

export interface History {
  version: number;
  changes?: ActionChange[];
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
  inclusion: Known;  // the probability that the action moves it
  mean: Known;
  baseline: Known;
  uplift: Known;
  difference: Known;  // if there is no uplift
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
  against?: string;        // the baseline of uplifts, if there are any
  difference_to?: string;  // the reference of differences, if there are any
  variables: VariableRow[];
}
