// "Which action is best?": the policy's estimate for each action, and how often it takes the action.

import { element, freshId, setAttribute, setText, show } from "../shared/dom";
import { countText, intervalText, kNone, numberText, percent } from "../shared/numbers";
import { swatch } from "../shared/series_style";
import { Column, Table } from "../shared/table";
import type { ActionRow, Report } from "./api_types";
import { bestAction, bestSentence, referenceOf } from "./best_action";
import { commonSpan, drawForest, Span, spanText } from "./forest";
import { actionName, estimateName, kUnit, variablesText } from "./words";

const kPage = 50;
const kIntervalColumn = 2;

function hasProbabilities(rows: ActionRow[]): boolean {
  return rows.some((row) => row.probability_best !== null);
}

function hasVariables(rows: ActionRow[]): boolean {
  return rows.some((row) => variablesText(row) !== "");
}

/// What the choice of columns depends on.
function columnsKey(rows: ActionRow[]): string {
  return `${hasProbabilities(rows)} ${hasVariables(rows)}`;
}

export class ActionTable {
  readonly root: HTMLElement;
  private readonly lead_ = element("p");
  private table_: Table<ActionRow>;
  private columns_: string;
  private span_: Span | null = null;
  private best_: number | null = null;
  private reference_: number | undefined;

  /// `look` shows the variables of an action.
  constructor(report: Report, private readonly look_: (action: number) => void) {
    const id = freshId("actions");
    this.root = element("section", { class: "card", "aria-labelledby": id },
      element("h2", { id }, "Which action is best?"), this.lead_,
      element("p", { class: "muted" }, `${report.quantity_text} Estimates are ${kUnit[report.quantity]}` +
        (report.interval_text ? `; in brackets and as bars: ${report.interval_text}.` : ".")));
    this.columns_ = columnsKey(report.actions!);
    this.table_ = this.makeTable(report);
  }

  set(report: Report): void {
    const rows = report.actions!;
    this.fitColumns(report);
    this.best_ = bestAction(rows);
    this.reference_ = referenceOf(report);
    this.span_ = commonSpan(rows, report.quantity !== "reward");
    this.table_.setNote(kIntervalColumn, this.span_ ? spanText(this.span_) : "");
    setText(this.lead_, bestSentence(report));
    this.table_.set(rows);
  }

  /// Makes the table anew if the report now has other columns than at first.
  private fitColumns(report: Report): void {
    const columns = columnsKey(report.actions!);
    if (columns === this.columns_) return;
    this.columns_ = columns;
    this.table_.root.remove();
    this.table_ = this.makeTable(report);
  }

  private makeTable(report: Report): Table<ActionRow> {
    return new Table<ActionRow>(this.root, {
      caption: "Actions with estimates, intervals and how often they were taken", hideCaption: true, stack: true, key: (row) => row.action,
      empty: "This campaign has no actions.", sorted: { column: 1, descending: true },
      page: { size: kPage, what: "actions" }, mark: (row) => (row.action === this.best_ ? "best" : ""),
      columns: this.columns(report),
    });
  }

  private columns(report: Report): Column<ActionRow>[] {
    const rows = report.actions!;
    const columns: Column<ActionRow>[] = [
      { name: "Action", heading: true, draw: (cell, row) => this.drawName(cell, row), sort: actionName },
      { name: estimateName(report), number: true, text: (row) => intervalText(row.estimate, row.low, row.high), sort: (row) => row.estimate },
      { name: "Interval", note: "", draw: (cell, row) => drawForest(cell, row, this.span_) },
      { name: "Share of decisions", number: true, text: (row) => `${percent(row.share)} (${countText(row.decided)})`, sort: (row) => row.share },
      { name: "Rounds with payoffs", number: true, text: (row) => countText(row.pulls), sort: (row) => row.pulls },
    ];
    columns.push(hasProbabilities(rows)
      ? { name: "Probability of being best", number: true, text: (row) => percent(row.probability_best), sort: (row) => row.probability_best }
      : { name: "Index", number: true, text: (row) => (row.pulls === 0 && row.index === null ? "untried" : numberText(row.index, 4)), sort: (row) => row.index });
    if (hasVariables(rows)) {
      columns.push({ name: "Variables", draw: (cell, row) => this.drawVariables(cell, row), sort: (row) => row.declared_count ?? row.identified_count });
    }
    return columns;
  }

  private drawName(cell: HTMLElement, row: ActionRow): void {
    if (!cell.firstChild) {
      cell.append(element("span", { class: "row-name" }, swatch(row.action), element("span", { class: "row-text" }, actionName(row))),
        element("span", { class: "row-marks note" }));
    }
    const marks = [
      row.action === this.best_ ? "★ highest estimate" : "",
      row.action === this.reference_ ? "the others are compared with it" : "",
      row.active === false ? "no longer considered" : "",
      row.paused ? "paused by a guardrail" : "",
      row.status === "paused" || row.status === "retired" ? row.status : "",
    ].filter((mark) => mark !== "");
    const note = cell.querySelector<HTMLElement>(".row-marks")!;
    setText(note, marks.join(", "));
    show(note, marks.length > 0);
  }

  private drawVariables(cell: HTMLElement, row: ActionRow): void {
    const text = variablesText(row);
    const button = cell.querySelector("button") ?? cell.appendChild(
      element("button", { type: "button", class: "quiet", onclick: () => this.look_(row.action) }));
    setText(button, text || kNone);
    setAttribute(button, "aria-label", `Show the variables of ${actionName(row)}: ${text || "none"}`);
  }
}
