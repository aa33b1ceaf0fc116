// Which action is best so far, and how settled that is. What is not known of an action may be anything: it
// speaks neither for it nor against it.

import { countText, intervalText } from "../shared/numbers";
import type { ActionRow, Report } from "./api_types";
import { actionName } from "./words";

/// The one with the highest known estimate; of equals the first.
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

/// null where it is not known. That of the action which plays the baseline is known: an uplift of 0.
function reachOf(row: ActionRow, baseline: number | undefined): Reach | null {
  if (row.estimate === null) return null;
  if (row.low !== null && row.high !== null) return { low: row.low, high: row.high };
  return row.action === baseline ? { low: row.estimate, high: row.estimate } : null;
}

/// "the interval of news overlaps", "the intervals of 3 others overlap"; "" of none.
function intervalsOf(rows: ActionRow[], does: string, doMany: string): string {
  if (rows.length === 0) return "";
  return rows.length === 1 ? `the interval of ${actionName(rows[0])} ${does}` : `the intervals of ${countText(rows.length)} others ${doMany}`;
}

function leadOf(best: ActionRow, report: Report): string {
  if (best.action === report.baseline_action) {
    return `So far no ${report.quantity} is estimated above that of ${actionName(best)}, which plays the baseline: 0 by definition.`;
  }
  const baseline = report.actions!.find((row) => row.action === report.baseline_action);
  const over = baseline ? `, held against ${actionName(baseline)}` : "";
  return `So far ${actionName(best)} has the highest ${report.quantity}${over}: ${intervalText(best.estimate, best.low, best.high)}.`;
}

/// A sentence or two on the best action of the report, and on those that may yet be better.
export function bestSentence(report: Report): string {
  const rows = report.actions!;
  const place = bestAction(rows);
  const best = rows.find((row) => row.action === place);
  if (!best) return "Nothing is known of any action yet.";
  const lead = leadOf(best, report);
  if (rows.length === 1) return lead;
  const reach = reachOf(best, report.baseline_action);
  if (!reach) return `${lead} Not settled: its interval is not known yet.`;
  const others = rows.filter((row) => row !== best).map((row) => ({ row, reach: reachOf(row, report.baseline_action) }));
  const rivals = [
    intervalsOf(others.filter((one) => one.reach && one.reach.high >= reach.low).map((one) => one.row), "overlaps with its own", "overlap with its own"),
    intervalsOf(others.filter((one) => !one.reach).map((one) => one.row), "is not known yet", "are not known yet"),
  ].filter((text) => text !== "");
  return rivals.length === 0 ? `${lead} No other action's interval reaches that high.` : `${lead} Not settled: ${rivals.join(", and ")}.`;
}
