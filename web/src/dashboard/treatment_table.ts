// The treatments of a targeted campaign: how many individuals got each, and what they paid.

import { element, freshId } from "../shared/dom";
import { countText, intervalText, percent } from "../shared/numbers";
import { swatch } from "../shared/series_style";
import { Table } from "../shared/table";
import type { Report, TreatmentRow } from "./api_types";
import { commonSpan, drawForest, Span, spanText } from "./forest";
import { estimateName, kUnit, treatmentName } from "./words";

function drawName(cell: HTMLElement, row: TreatmentRow): void {
  if (cell.firstChild) return;
  cell.append(element("span", { class: "row-name" }, swatch(row.treatment), element("span", { class: "row-text" }, treatmentName(row.treatment))));
}

export class TreatmentTable {
  readonly root: HTMLElement;
  private readonly table_: Table<TreatmentRow>;
  private span_: Span | null = null;

  constructor(report: Report) {
    const id = freshId("treatments");
    this.root = element("section", { class: "card", "aria-labelledby": id }, element("h2", { id }, "Who is treated, and what do they pay?"),
      element("p", {}, `Each decision treats up to ${countText(report.budget)} individuals of a pool, chosen by ${countText(report.features)} features of each.`),
      element("p", { class: "muted" }, `${report.quantity_text} Means are ${kUnit[report.quantity]}` +
        (report.interval_text ? `; in brackets and as bars: ${report.interval_text}.` : ".")));
    this.table_ = new Table<TreatmentRow>(this.root, {
      caption: "Treatments with the individuals who got them and their mean payoffs", hideCaption: true, stack: true,
      key: (row) => row.treatment, empty: "This campaign has no treatments.", page: { size: 50, what: "treatments" },
      columns: [
        { name: "Treatment", heading: true, draw: drawName, sort: (row) => row.treatment },
        { name: estimateName(report), number: true, text: (row) => intervalText(row.estimate, row.low, row.high), sort: (row) => row.estimate },
        { name: "Interval", note: "", draw: (cell, row) => drawForest(cell, row, this.span_) },
        { name: "Individuals", number: true, text: (row) => countText(row.decided), sort: (row) => row.decided },
        { name: "Share of individuals", number: true, text: (row) => percent(row.share), sort: (row) => row.share },
        { name: "With payoffs", number: true, text: (row) => countText(row.paid), sort: (row) => row.paid },
      ],
    });
  }

  set(report: Report): void {
    this.span_ = commonSpan(report.treated!, false);
    this.table_.setNote(2, this.span_ ? spanText(this.span_) : "");
    this.table_.set(report.treated!);
  }
}
