// The actions of a contextual campaign: the policy's estimates for the last context, and the payoffs of each action.

import { element, freshId, setText, show } from "../shared/dom";
import { countText, intervalText, numberText, percent } from "../shared/numbers";
import { swatch } from "../shared/series_style";
import { Table } from "../shared/table";
import type { ActionStatus, ContextActionRow, LastContext, Report, TakenRow } from "./api_types";
import { commonSpan, drawForest, Interval, Span, spanText } from "./forest";
import { actionName, estimateName, unitText, variablesText } from "./words";

const kPage = { size: 50, what: "actions" };
const kIntervalColumn = 2;

function drawName(cell: HTMLElement, row: { action: number; name?: string; status?: ActionStatus }): void {
  if (!cell.firstChild) {
    cell.append(element("span", { class: "row-name" }, swatch(row.action), element("span", { class: "row-text" }, actionName(row))),
      element("span", { class: "row-marks note" }));
  }
  const note = cell.querySelector<HTMLElement>(".row-marks")!;
  const idle = row.status === "paused" || row.status === "retired";
  setText(note, idle ? row.status! : "");
  show(note, idle);
}

function intervalOf(row: ContextActionRow): Interval {
  if (!row.difference) return { estimate: row.uplift, low: row.low, high: row.high };
  const [low, high] = row.difference.interval ?? [null, null];
  return { estimate: row.difference.estimate, low, high };
}

function estimateText(row: ContextActionRow): string {
  const { estimate, low, high } = intervalOf(row);
  const text = intervalText(estimate, low, high);
  return estimate === null ? text : `${row.difference ? "difference" : "uplift"} ${text}`;
}

/// The sentence above the table.
function leadText(report: Report, last: LastContext | null | undefined): string {
  if (report.decisions.decided === 0) return "Shown after the first decision.";
  if (!last) return "The last context is too large to be evaluated for every report: actions times variables times features squared.";
  const taken = last.actions[last.action];
  const chosen = last.actions.find((row) => row.chosen);
  const now = !chosen ? "" : chosen.action === last.action ? " The policy would take it again." : ` Now the policy would take ${actionName(chosen)}.`;
  return `Decision “${last.decision}” was about ${countText(last.variables)} ${last.variables === 1 ? "variable" : "variables"}, and the policy took ${actionName(taken)}.${now}`;
}

class LastContextTable {
  readonly root: HTMLElement;
  private readonly lead_ = element("p");
  private readonly table_: Table<ContextActionRow>;
  private span_: Span | null = null;
  private baseline_: number | undefined;

  constructor() {
    const id = freshId("context");
    this.root = element("section", { class: "card", "aria-labelledby": id }, element("h2", { id }, "Estimates for the last context"),
      this.lead_, element("p", { class: "muted" },
        "The policy's present estimate of how much more the variables of this context together pay if the action is taken than if nothing is " +
        "done (uplift). If no data show what happens if nothing is done, it is how much more they pay than if the action that serves as the " +
        "baseline is taken (difference). In brackets and as bars: the confidence bounds. Policies that look at the total payoff estimate neither."));
    this.table_ = new Table<ContextActionRow>(this.root, {
      caption: "Actions with their estimates in the last context", hideCaption: true, stack: true, key: (row) => row.action,
      empty: "There is no decision yet.", page: kPage, mark: (row) => (row.chosen ? "best" : ""),
      columns: [
        { name: "Action", heading: true, draw: drawName, sort: actionName },
        { name: "Estimate", number: true, text: estimateText, sort: (row) => intervalOf(row).estimate },
        { name: "Interval", note: "", draw: (cell, row) => drawForest(cell, intervalOf(row), this.span_) },
        { name: "Index", number: true, text: (row) => (row.index === null ? "untried" : numberText(row.index, 4)), sort: (row) => row.index },
        { name: "Variables", text: variablesText, sort: (row) => row.declared_count ?? row.identified_count },
        { name: "Why", text: (row) => (row.action === this.baseline_ ? "serves as the baseline; " : "") + row.reason },
      ],
    });
  }

  set(report: Report): void {
    const last = report.last_context;
    setText(this.lead_, leadText(report, last));
    this.baseline_ = last?.reference_action;
    this.span_ = commonSpan((last?.actions ?? []).map(intervalOf), true);
    this.table_.setNote(kIntervalColumn, this.span_ ? spanText(this.span_) : "");
    this.table_.set(last?.actions ?? []);
    show(this.table_.root, Boolean(last));
  }
}

class TakenTable {
  readonly root: HTMLElement;
  private readonly table_: Table<TakenRow>;
  private span_: Span | null = null;

  constructor(report: Report) {
    const id = freshId("taken");
    this.root = element("section", { class: "card", "aria-labelledby": id }, element("h2", { id }, "Which actions are taken, and what do they pay?"),
      element("p", { class: "muted" }, `${report.quantity_text} Means are ${unitText(report)}` +
        (report.interval_text ? `; in brackets and as bars: ${report.interval_text}.` : ".")));
    this.table_ = new Table<TakenRow>(this.root, {
      caption: "Actions with mean payoffs and how often they were taken", hideCaption: true, stack: true,
      key: (row) => row.action, empty: "This campaign has no actions.", page: kPage,
      columns: [
        { name: "Action", heading: true, draw: drawName, sort: actionName },
        { name: estimateName(report), number: true, text: (row) => intervalText(row.estimate, row.low, row.high), sort: (row) => row.estimate },
        { name: "Interval", note: "", draw: (cell, row) => drawForest(cell, row, this.span_) },
        { name: "Share of decisions", number: true, text: (row) => `${percent(row.share)} (${countText(row.decided)})`, sort: (row) => row.share },
        { name: "Rounds with payoffs", number: true, text: (row) => countText(row.pulls), sort: (row) => row.pulls },
        { name: "Variables that paid", number: true, text: (row) => countText(row.paid), sort: (row) => row.paid },
      ],
    });
  }

  set(report: Report): void {
    this.span_ = commonSpan(report.taken!, false);
    this.table_.setNote(kIntervalColumn, this.span_ ? spanText(this.span_) : "");
    this.table_.set(report.taken!);
  }
}

export class ContextTables {
  readonly root: HTMLElement;
  private readonly last_ = new LastContextTable();
  private readonly taken_: TakenTable;

  constructor(report: Report) {
    this.taken_ = new TakenTable(report);
    this.root = element("div", { class: "view" }, this.last_.root, this.taken_.root);
  }

  set(report: Report): void {
    this.last_.set(report);
    this.taken_.set(report);
  }
}
