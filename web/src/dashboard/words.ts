// The names of the numbers, which depend on what the policy estimates.

import { countText } from "../shared/numbers";
import type { Known, Quantity, Report } from "./api_types";

const kEstimateName: Record<Exclude<Quantity, "difference">, string> = {
  uplift: "Estimated uplift",
  reward: "Estimated reward",
  payoff: "Mean payoff",
};

export function estimateName(report: Report): string {
  return report.quantity === "difference" ? `Estimated difference from ${report.reference_text}` : kEstimateName[report.quantity];
}

export const kUnit: Record<Quantity, string> = {
  uplift: "in units of payoff per decision",
  difference: "in units of payoff per decision",
  reward: "in units of payoff per decision",
  payoff: "in units of payoff per individual",
};

export function unitText(report: Report): string {
  return report.taken ? "in units of payoff per variable" : kUnit[report.quantity];
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
