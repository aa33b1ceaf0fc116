// Lines with bands over a common x, with a legend that switches them, a reading at the pointer and the same
// numbers as a table. Drawn by Chart.js, without animation: data that change every second must not move
// more than the data do.

import { Chart, Filler, LineController, LineElement, LinearScale, LogarithmicScale, PointElement } from "chart.js";
import type { Scale, ScaleOptions } from "chart.js";
import { SeriesDatasets } from "./chart_data";
import { ChartHover } from "./chart_hover";
import { ChartLegend, seriesKey } from "./chart_legend";
import { ChartNumbers, ChartTable } from "./chart_table";
import { element, freshId, setAttribute, setText, show } from "./dom";
import { intervalText, kNone, numberText, tickText } from "./numbers";
import { roundSpan, roundTicks } from "./round_numbers";
import { onThemeChange, readTheme } from "./theme";

Chart.register(LineController, LineElement, PointElement, LinearScale, LogarithmicScale, Filler);

const kYTicks = 8;

export interface Series {
  label: string;
  style: number;                  // place in the palette: colour + dash + marker, the same everywhere for the same thing
  x: number[];                    // rising
  y: (number | null)[];
  low?: (number | null)[];        // band
  high?: (number | null)[];
  note?: string;                  // beside the label in the legend, e.g. "alpha = 3"
  marks?: boolean;                // draw the points themselves
  emphasis?: number;              // with marks: the place of the point that is drawn larger
}

export interface XAxis {
  xName: string;
  xText?: (x: number) => string;                        // ticks and hover (default: number with thousands)
  xTicks?: (min: number, max: number, most: number) => number[];  // where ticks are (default: round numbers)
}

export interface LineChartOptions extends XAxis {
  title: string;                  // heading above the chart, also its accessible name
  description?: string;           // one sentence below it
  yName: string;                  // axis titles, with units
  yText?: (y: number) => string;
  logX?: boolean; logY?: boolean; // present: a switch log/linear is offered, and this is its start; absent: linear, no switch
  bands?: string;                 // present: a switch for bands with this label, e.g. "± 1 standard error"; starts on
  yMin?: number; yMax?: number;
  yFit?: number;                  // the y axis fits this last part of the x axis, 0 to 1; earlier extremes are cut off
  empty: string;                  // the text if there is nothing to draw yet
}

/// On logarithmic axes only 1, 2 and 5 of each decade have room for a label.
function roundOnLog(value: number): boolean {
  const leading = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
  return [1, 2, 5].some((round) => Math.abs(leading - round) < 1e-6);
}

export class LineChart {
  readonly root: HTMLElement;
  private readonly datasets_ = new Map<string, SeriesDatasets>();
  private readonly legend_: ChartLegend;
  private readonly hover_: ChartHover;
  private readonly table_: ChartTable;
  private readonly chart_: Chart;
  private readonly plot_: HTMLElement;
  private readonly empty_ = element("p", { class: "empty" });
  private readonly description_ = element("p", { class: "chart-description" });
  private readonly stopTheme_: () => void;
  private series_: Series[] = [];
  private numbers_: ChartNumbers | null = null;
  private axis_: XAxis;
  private logX_: boolean;
  private logY_: boolean;
  private bands_ = true;
  private bandsSwitch_: HTMLButtonElement | null = null;

  constructor(parent: HTMLElement, private readonly options_: LineChartOptions) {
    this.axis_ = options_;
    this.logX_ = options_.logX ?? false;
    this.logY_ = options_.logY ?? false;
    const heading = freshId("chart");
    const hint = freshId("chart");
    const canvas = element("canvas", { "aria-hidden": "true" });
    this.plot_ = element("div", { class: "plot", tabindex: 0, role: "group", "aria-labelledby": heading, "aria-describedby": hint }, canvas);
    const numbers = () => this.numbers();
    this.legend_ = new ChartLegend(options_.title, () => this.draw());
    this.hover_ = new ChartHover(this.plot_, numbers, () => this.chart_);
    this.table_ = new ChartTable(numbers);
    this.plot_.append(this.hover_.box);
    setText(this.description_, options_.description ?? "");
    show(this.description_, Boolean(options_.description));
    this.root = element("section", { class: "chart", "aria-labelledby": heading },
      element("h3", { id: heading }, options_.title), this.description_,
      element("div", { class: "chart-controls" }, this.legend_.root, this.switches()), this.plot_,
      this.empty_, element("p", { id: hint, class: "hidden-text" }, "The arrow keys read the values along the chart; the table below contains all of them."),
      this.hover_.spoken, this.table_.root);
    parent.append(this.root);
    this.chart_ = new Chart(canvas, {
      type: "line",
      data: { datasets: [] },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true, events: [],
        layout: { padding: { right: 12, top: 6 } }, scales: { x: this.xScale(), y: this.yScale() },
      },
      plugins: [this.hover_.plugin],
    });
    this.stopTheme_ = onThemeChange(() => this.draw());
    this.set([]);
  }

  /// Shows new data without flicker or animation. Lines that were switched off stay off, and the axes stay.
  set(series: Series[]): void {
    this.series_ = series;
    this.legend_.set(series);
    const keys = new Set(series.map(seriesKey));
    for (const key of this.datasets_.keys()) if (!keys.has(key)) this.datasets_.delete(key);
    this.draw();
  }

  /// Changes the x axis; the next set() brings data for it.
  setXAxis(axis: XAxis): void {
    this.axis_ = axis;
  }

  setDescription(text: string): void {
    setText(this.description_, text);
    show(this.description_, text !== "");
  }

  /// Sets the text that is shown if there is nothing to draw.
  setEmpty(text: string): void {
    this.options_.empty = text;
    this.draw();
  }

  /// Takes the chart off the page.
  destroy(): void {
    this.stopTheme_();
    this.chart_.destroy();
    this.root.remove();
  }

  private switches(): HTMLElement | null {
    const { logX, logY, bands } = this.options_;
    if (bands !== undefined) this.bandsSwitch_ = this.switch(bands, this.bands_, (on) => { this.bands_ = on; });
    const buttons = [
      logX === undefined ? null : this.switch("Logarithmic x", this.logX_, (on) => { this.logX_ = on; }),
      logY === undefined ? null : this.switch("Logarithmic y", this.logY_, (on) => { this.logY_ = on; }),
      this.bandsSwitch_,
    ].filter((button): button is HTMLButtonElement => button !== null);
    return buttons.length > 0 ? element("div", { class: "switches" }, ...buttons) : null;
  }

  private switch(label: string, start: boolean, put: (on: boolean) => void): HTMLButtonElement {
    const button = element("button", { type: "button", class: "switch", "aria-pressed": String(start), onclick: () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      setAttribute(button, "aria-pressed", String(on));
      put(on);
      this.draw();
    } }, label);
    return button;
  }

  private numbers(): ChartNumbers {
    if (this.numbers_) return this.numbers_;
    const shown = this.series_.filter((series) => this.legend_.shows(series));
    const x = Array.from(new Set(shown.flatMap((series) => series.x))).filter((value) => !this.logX_ || value > 0);
    this.numbers_ = {
      title: this.options_.title, xName: this.axis_.xName, xText: this.axis_.xText ?? ((value) => numberText(value)),
      text: (series, at) => this.valueText(series, at), x: x.sort((a, b) => a - b), series: shown,
    };
    return this.numbers_;
  }

  private valueText(series: Series, at: number): string {
    const y = series.y[at];
    if (y == null) return kNone;
    const low = this.bands_ ? series.low?.[at] : null;
    const high = this.bands_ ? series.high?.[at] : null;
    const text = this.options_.yText;
    if (!text) return intervalText(y, low, high);
    return low != null && high != null ? `${text(y)} (${text(low)} to ${text(high)})` : text(y);
  }

  private draw(): void {
    this.numbers_ = null;
    const drawable = this.series_.some((series) => series.y.some((y) => y != null));
    const shown = this.numbers().series.length > 0;
    setText(this.empty_, !drawable ? this.options_.empty : shown ? "" : "All lines are switched off; choose some in the legend.");
    show(this.empty_, !drawable || !shown);
    show(this.plot_, drawable && shown);
    show(this.table_.root, drawable && shown);
    show(this.legend_.root, drawable);
    if (this.bandsSwitch_) show(this.bandsSwitch_, this.series_.some((series) => series.low && series.high));
    if (drawable && shown) this.paint();
    this.table_.update();
  }

  private paint(): void {
    const theme = readTheme();
    const axes = { logX: this.logX_, logY: this.logY_ };
    const all = [];
    const shown = this.numbers().series;
    for (const series of shown) {
      const key = seriesKey(series);
      const datasets = this.datasets_.get(key) ?? new SeriesDatasets();
      this.datasets_.set(key, datasets);
      datasets.set(series, axes, theme, shown.length);
      datasets.show(true, this.bands_ && Boolean(series.low && series.high));
      all.push(...datasets.all());
    }
    this.chart_.data.datasets = all;
    this.chart_.options.scales = { x: this.xScale(), y: this.yScale() };
    this.chart_.update("none");
    this.hover_.update();
  }

  private scale(name: string, log: boolean, text: (value: number) => string): ScaleOptions {
    const theme = readTheme();
    const font = { family: theme.font, size: 12 };
    return {
      type: log ? "logarithmic" : "linear",
      title: { display: true, text: name, color: theme.muted, font },
      ticks: {
        color: theme.muted, font, maxRotation: 0, autoSkipPadding: 16,
        callback: (value) => (log && !roundOnLog(value) ? null : text(value)),
      },
      grid: { color: theme.grid, borderColor: theme.grid },
    };
  }

  private xScale(): ScaleOptions {
    const scale = this.scale(this.axis_.xName, this.logX_, this.axis_.xText ?? tickText);
    const x = this.numbers().x;
    if (x.length > 1) [scale.min, scale.max] = [x[0], x[x.length - 1]];
    const ticks = this.axis_.xTicks;
    if (ticks) {
      scale.afterBuildTicks = (built: Scale) => {
        built.ticks = ticks(built.min, built.max, Math.max(4, Math.floor(built.width / 75))).map((value) => ({ value }));
      };
    }
    return scale;
  }

  /// The ends that the options fix.
  private yEnds(): { min?: number; max?: number } {
    const { yMin, yMax } = this.options_;
    return { ...(yMin === undefined ? {} : { min: yMin }), ...(yMax === undefined ? {} : { max: yMax }) };
  }

  /// The ends of what `yFit` asks for, bands included.
  private fit(): Partial<ScaleOptions> {
    const { x, series } = this.numbers();
    if (this.options_.yFit === undefined || x.length === 0) return {};
    const from = x[x.length - 1] - this.options_.yFit * (x[x.length - 1] - x[0]);
    let [low, high] = [Infinity, -Infinity];
    for (const one of series) {
      for (const values of this.bands_ ? [one.y, one.low, one.high] : [one.y]) {
        values?.forEach((y, at) => {
          if (y === null || one.x[at] < from) return;
          low = Math.min(low, y);
          high = Math.max(high, y);
        });
      }
    }
    if (low > high) return {};
    const span = roundSpan(low, high);
    return {
      min: span.low, max: span.high,
      afterBuildTicks: (built) => { built.ticks = roundTicks(built.min, built.max, kYTicks).map((value) => ({ value })); },
    };
  }

  private yScale(): ScaleOptions {
    const scale = this.scale(this.options_.yName, this.logY_, this.options_.yText ?? tickText);
    scale.ticks.maxTicksLimit = kYTicks;
    if (!this.logY_) return { ...scale, ...this.fit(), ...this.yEnds() };
    // By the lines alone: a band that reaches down to 0 would stretch the axis.
    const positive = this.numbers().series.flatMap((series) => series.y.filter((y): y is number => y != null && y > 0));
    const ends = this.numbers().series.flatMap((series) => (this.bands_ ? series.high ?? [] : []).filter((y): y is number => y != null && y > 0));
    const least = positive.reduce((a, b) => Math.min(a, b), Infinity);
    const largest = [...positive, ...ends].reduce((a, b) => Math.max(a, b), 0);
    return largest > 0 ? { ...scale, min: 10 ** Math.floor(Math.log10(least)), max: largest } : scale;
  }
}
