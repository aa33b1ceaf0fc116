// What the numbers are called, by what the policy estimates.

import type { Quantity, Report } from "./api_types";

const kEstimateName: Record<Exclude<Quantity, "difference">, string> = {
  uplift: "Estimated uplift",
  reward: "Estimated reward",
  payoff: "Mean payoff",
};

export function estimateName(report: Report): string {
  return report.quantity === "difference" ? `Estimated difference to ${report.reference_text}` : kEstimateName[report.quantity];
}

export const kUnit: Record<Quantity, string> = {
  uplift: "in units of payoff per decision",
  difference: "in units of payoff per decision",
  reward: "in units of payoff per decision",
  payoff: "in units of payoff per individual",
};

export function actionName(row: { action: number; name?: string }): string {
  return row.name ?? `action ${row.action}`;
}

export function treatmentName(treatment: number): string {
  return treatment === 0 ? "no treatment" : `treatment ${treatment}`;
}
