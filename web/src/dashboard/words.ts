// What the numbers are called, by what the policy estimates.

import { countText } from "../shared/numbers";
import type { Known, Quantity, Report } from "./api_types";

export const kEstimateName: Record<Quantity, string> = {
  uplift: "Estimated uplift",
  reward: "Estimated reward",
  payoff: "Mean payoff",
};

export const kUnit: Record<Quantity, string> = {
  uplift: "in units of payoff per decision",
  reward: "in units of payoff per decision",
  payoff: "in units of payoff per individual",
};

export const kMeaning: Record<Quantity, string> = {
  uplift: "The uplift of an action is how much more all variables together pay when it is taken than when nothing is done.",
  reward: "The reward of an action is what all variables together pay when it is taken.",
  payoff: "The payoff of an individual with this treatment, on average over those who got it. Treatments are given to those " +
    "for whom the policy expects most of them, so these means are not their effects.",
};

/// What a mean payoff is of, in a campaign with contexts.
const kContextUnit = "in units of payoff per variable";
const kContextMeaning = "The payoff of a variable when this action is taken, on average over all variables of those rounds. " +
  "The policy takes an action in the contexts that it expects most of it in, so these means are not its effects.";

export function unitText(report: Report): string {
  return report.taken ? kContextUnit : kUnit[report.quantity];
}

export function meaningText(report: Report): string {
  return report.taken ? kContextMeaning : kMeaning[report.quantity];
}

/// How many variables an action affects, as far as that is declared or identified; else empty.
export function variablesText(row: { declared_count: Known; identified_count: Known; padding_count: Known }): string {
  if (row.declared_count !== null) return `${countText(row.declared_count)} declared`;
  if (row.identified_count === null) return "";
  const padding = row.padding_count ? ` + ${countText(row.padding_count)} padding` : "";
  return `${countText(row.identified_count)} identified${padding}`;
}

export function actionName(row: { action: number; name?: string }): string {
  return row.name ?? `action ${row.action}`;
}

export function treatmentName(treatment: number): string {
  return treatment === 0 ? "no treatment" : `treatment ${treatment}`;
}
