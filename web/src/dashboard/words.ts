// What the numbers are called, by what the policy estimates.

import type { Quantity } from "./api_types";

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

export function actionName(row: { action: number; name?: string }): string {
  return row.name ?? `action ${row.action}`;
}

export function treatmentName(treatment: number): string {
  return treatment === 0 ? "no treatment" : `treatment ${treatment}`;
}
