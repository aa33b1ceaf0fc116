// Which action is best so far, and how certain that is. An unknown value may be anything, so it counts neither
// for an action nor against it.

import { countText, intervalText } from "../shared/numbers";
import type { ActionRow, Report } from "./api_types";
import { actionName } from "./words";

/// The action with the highest known estimate; if several have it, the first of them.
export function bestAction(rows: ActionRow[]): number | null {
  let best: ActionRow | null = null;
  for (const row of rows) {
    if (row.estimate !== null && (best === null || row.estimate > best.estimate!)) best = row;
  }
  return best && best.action;
}

interface Reach {
  low: number;
  high: number;
}

/// The action that the others are compared with, if estimates are differences.
export function referenceOf(report: Report): number | undefined {
  return report.quantity === "difference" ? report.reference_action : undefined;
}

/// null if it is not known. For the reference action it is known: 0.
function reachOf(row: ActionRow, reference: number | undefined): Reach | null {
  if (row.estimate === null) return null;
  if (row.low !== null && row.high !== null) return { low: row.low, high: row.high };
  return row.action === reference ? { low: row.estimate, high: row.estimate } : null;
}

/// "the interval of news overlaps", "the intervals of 3 others overlap"; "" if there are no rows.
function intervalsOf(rows: ActionRow[], does: string, doMany: string): string {
  if (rows.length === 0) return "";
  return rows.length === 1 ? `the interval of ${actionName(rows[0])} ${does}` : `the intervals of ${countText(rows.length)} others ${doMany}`;
}

function leadOf(best: ActionRow, report: Report): string {
  const reference = report.actions!.find((row) => row.action === referenceOf(report));
  const estimate = intervalText(best.estimate, best.low, best.high);
  if (!reference) return `So far ${actionName(best)} has the highest ${report.quantity}: ${estimate}.`;
  return best === reference ? `So far no action is estimated to pay more than ${actionName(best)}, with which all are compared.`
    : `So far ${actionName(best)} is estimated to pay most: ${estimate} more than ${actionName(reference)}.`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/// One or two sentences about the best action of the report and about those that may turn out better. Whether it is
/// settled is for the service to say: once it is, nothing here may speak against that.
export function bestSentence(report: Report): string {
  const rows = report.actions!;
  const place = bestAction(rows);
  const best = rows.find((row) => row.action === place);
  if (!best) return "Nothing is known about any action yet.";
  const lead = leadOf(best, report);
  if (report.settled?.settled) return report.settled.best === actionName(best) ? lead : "";
  if (rows.length === 1) return lead;
  const reach = reachOf(best, referenceOf(report));
  if (!reach) return `${lead} Its interval is not known yet.`;
  const others = rows.filter((row) => row !== best).map((row) => ({ row, reach: reachOf(row, referenceOf(report)) }));
  const rivals = [
    intervalsOf(others.filter((one) => one.reach && one.reach.high >= reach.low).map((one) => one.row), "overlaps its own", "overlap its own"),
    intervalsOf(others.filter((one) => !one.reach).map((one) => one.row), "is not known yet", "are not known yet"),
  ].filter((text) => text !== "");
  return rivals.length === 0 ? `${lead} No other action's interval reaches that high.` : `${lead} ${capitalized(rivals.join(", and "))}.`;
}
