// Estimates and choices over time: the kept history, with the current report as its last point.

import { kShownAtFirst } from "../shared/chart_legend";
import { element, freshId, setText, show } from "../shared/dom";
import { countOf, countText, percent, tickText, time } from "../shared/numbers";
import { LineChart, Series, XAxis } from "../shared/line_chart";
import { wholeTicks } from "../shared/round_numbers";
import type { ActionRow, Estimate, History, Known, Report, TakenRow } from "./api_types";
import { timeName, timeText, timeTicks } from "./time_axis";
import { actionName, estimateName, treatmentName, unitText } from "./words";

/// Lines beyond these are not offered: nobody could tell them apart.
const kMostLines = 48;

/// Of actions that are listed.
const kMostChanges = 20;

/// The axis of estimates fits this last part of the time; the first rounds are so uncertain that they would hide the rest.
const kFitted = 0.8;

interface Line extends Estimate {
  id: number;
  label: string;
}

function linesOf(report: Report): Line[] {
  const actions: (ActionRow | TakenRow)[] | undefined = report.actions ?? report.taken;
  return actions ? actions.map((row) => ({ ...row, id: row.action, label: actionName(row) }))
    : report.treated!.map((row) => ({ ...row, id: row.treatment, label: treatmentName(row.treatment) }));
}

/// If there are many lines, only the first are switched on: the best, as far as known.
function bestFirst(lines: Line[]): number[] {
  return [...lines].sort((a, b) => (b.estimate ?? -Infinity) - (a.estimate ?? -Infinity) || a.id - b.id)
    .slice(0, kMostLines).map((line) => line.id);
}

export class TimeCharts {
  readonly root: HTMLElement;
  private readonly estimates_: LineChart;
  private readonly shares_: LineChart;
  private readonly order_: number[];
  private readonly changes_ = element("p", { class: "note" });
  private byTime_ = false;
  private report_: Report;
  private history_: History | null = null;

  constructor(report: Report) {
    this.report_ = report;
    const lines = linesOf(report);
    this.order_ = lines.length > kShownAtFirst ? bestFirst(lines) : lines.map((line) => line.id);
    const id = freshId("over-time");
    const left = lines.length - this.order_.length;
    const what = report.treated ? "treatments" : "actions";
    const counted = report.treated ? "individuals" : "decisions";
    const pair = element("div", { class: "pair" });
    this.root = element("section", { class: "card", "aria-labelledby": id }, element("h2", { id }, "Over time"),
      this.axisSwitch(), left > 0 ? element("p", { class: "muted" },
        `These are the ${countText(this.order_.length)} ${what} of ${countText(lines.length)} that were best when this page was opened.`) : null, pair, this.changes_);
    this.estimates_ = new LineChart(pair, {
      title: `${estimateName(report)} over time`, ...this.axis([]), yName: `${report.quantity}, ${unitText(report)}`,
      description: `${report.interval_text ? `Bands: ${report.interval_text}. ` : ""}Early estimates may be cut off; the table contains all of them.`,
      bands: "Bands", yFit: kFitted, empty: "Nothing is known before the first payoffs.",
    });
    this.shares_ = new LineChart(pair, {
      title: `Share of ${counted} over time`, ...this.axis([]), yName: "share so far", yMin: 0,
      yText: (y) => percent(y), description: `Of all ${counted} up to each point, since the start.`, empty: "Drawn after the first decision.",
    });
  }

  set(report: Report, history: History | null): void {
    this.report_ = report;
    this.history_ = history;
    if (history?.left_out) {
      const text = `Only the present values are shown: ${history.left_out}.`;
      this.estimates_.setEmpty(text);
      this.shares_.setEmpty(text);
    }
    this.draw();
  }

  destroy(): void {
    this.estimates_.destroy();
    this.shares_.destroy();
  }

  private axisSwitch(): HTMLElement {
    const name = freshId("axis");
    const choice = (label: string, byTime: boolean) => element("label", {},
      element("input", { type: "radio", name, value: byTime ? "time" : "decisions", checked: byTime === this.byTime_, onchange: () => {
        this.byTime_ = byTime;
        this.draw();
      } }), label);
    return element("fieldset", { class: "choice" }, element("legend", {}, "Horizontal axis"), choice("decisions", false), choice("time of day", true));
  }

  private axis(x: number[]): XAxis {
    if (!this.byTime_) return { xName: "decisions", xText: tickText, xTicks: wholeTicks };
    const span = x.length > 0 ? x[x.length - 1] - x[0] : 0;
    return { xName: timeName(span), xText: timeText(span), xTicks: timeTicks };
  }

  /// The x of all points, each once: those of the history at `places`, then, if `current`, that of the report.
  /// Several events may share an x; the last of them counts.
  private points(): { x: number[]; places: number[]; current: boolean } {
    const { decisions, last_event_ms, now_ms } = this.report_;
    const history = this.history_;
    if (history?.left_out || decisions.decided === 0) return { x: [], places: [], current: false };
    const decided = history?.decided ?? [];
    const kept = (this.byTime_ ? history?.time_ms : decided) ?? [];
    // A history that came after the report may be ahead of it.
    const current = decided.length === 0 || decisions.decided >= decided[decided.length - 1];
    const now = this.byTime_ ? last_event_ms ?? now_ms : decisions.decided;
    const places = kept.map((_, at) => at).filter((at) => kept[at] !== kept[at + 1] && !(current && kept[at] >= now));
    return { x: places.map((at) => kept[at]).concat(current ? [now] : []), places, current };
  }

  private draw(): void {
    const { x, places, current } = this.points();
    const lines = new Map(linesOf(this.report_).map((line) => [line.id, line]));
    const histories = new Map((this.history_?.actions ?? []).map((one) => [one.action, one]));
    const totals = this.totals();
    const estimates: Series[] = [];
    const shares: Series[] = [];
    for (const id of this.order_) {
      const line = lines.get(id);
      if (!line) continue;
      const past = histories.get(id);
      const joined = (values: Known[] | undefined, now: Known) => places.map((at) => values?.[at] ?? null).concat(current ? [now] : []);
      const base = { label: line.label, style: id, x };
      estimates.push({ ...base, y: joined(past?.estimate, line.estimate), low: joined(past?.low, line.low), high: joined(past?.high, line.high) });
      shares.push({ ...base, y: joined(past?.decided.map((n, at) => (totals[at] > 0 ? n / totals[at] : null)), line.share) });
    }
    this.drawChanges(lines);
    this.estimates_.setXAxis(this.axis(x));
    this.shares_.setXAxis(this.axis(x));
    this.estimates_.set(estimates);
    this.shares_.set(shares);
  }

  /// The last few times that actions were paused, resumed and retired.
  private drawChanges(lines: Map<number, Line>): void {
    const changes = this.history_?.changes ?? [];
    const texts = changes.slice(-kMostChanges).map(({ action, kind, decided, time_ms }) =>
      `${lines.get(action)?.label ?? action} ${kind} after ${countOf(decided, "decision")} (${time(time_ms)})`);
    setText(this.changes_, `${changes.length > texts.length ? `Last of ${countText(changes.length)} changes: ` : ""}${texts.join("; ")}`);
    show(this.changes_, texts.length > 0);
  }

  /// The total over all actions or treatments at each point of the history.
  private totals(): number[] {
    const totals: number[] = (this.history_?.time_ms ?? []).map(() => 0);
    for (const one of this.history_?.actions ?? []) one.decided.forEach((n, at) => { totals[at] += n; });
    return totals;
  }
}
