// The reading of a chart at one x: a line across it, a dot on every series and a box with all values.
// By pointer, and by the arrow keys if the chart has the focus.

import type { Chart, ChartPlugin } from "chart.js";
import { ChartNumbers, placeOf } from "./chart_table";
import { element, setText, show } from "./dom";
import { seriesStyle, swatch } from "./series_style";
import { readTheme } from "./theme";

const kRows = 14;

export class ChartHover {
  readonly box = element("div", { class: "hover", hidden: true, "aria-hidden": "true" });
  /// Screen readers hear what the keys reach, and not what the pointer reaches.
  readonly spoken = element("p", { class: "hidden-text", role: "status" });
  readonly plugin: ChartPlugin = { id: "hover", afterDatasetsDraw: (chart) => this.draw(chart) };
  private x_: number | null = null;

  constructor(private readonly plot_: HTMLElement, private readonly numbers_: () => ChartNumbers,
              private readonly chart_: () => Chart) {
    plot_.addEventListener("pointermove", (event) => this.point(event));
    plot_.addEventListener("pointerdown", (event) => this.point(event));
    plot_.addEventListener("pointerleave", () => this.move(null));
    plot_.addEventListener("blur", () => this.move(null));
    plot_.addEventListener("keydown", (event) => this.key(event));
  }

  /// After new data: the same x, if it is still there.
  update(): void {
    if (this.x_ === null) return;
    if (!this.numbers_().x.includes(this.x_)) this.x_ = null;
    this.fill();
  }

  private point(event: PointerEvent): void {
    const { x } = this.numbers_();
    const box = this.plot_.getBoundingClientRect();
    const at = this.chart_().scales.x.getValueForPixel(event.clientX - box.left);
    this.move(x.length > 0 ? nearest(x, at) : null);
  }

  private key(event: KeyboardEvent): void {
    const { x } = this.numbers_();
    if (event.ctrlKey || event.altKey || event.metaKey || x.length === 0) return;
    const last = x.length - 1;
    const now = this.x_ === null ? -1 : x.indexOf(this.x_);
    const next: Record<string, number | undefined> = {
      ArrowLeft: now < 0 ? last : Math.max(0, now - 1), ArrowRight: now < 0 ? 0 : Math.min(last, now + 1),
      PageUp: Math.max(0, now - 10), PageDown: Math.min(last, now + 10), Home: 0, End: last,
    };
    const place = next[event.key];
    if (event.key === "Escape") this.move(null);
    else if (place !== undefined) this.move(x[place]);
    else return;
    event.preventDefault();
    setText(this.spoken, this.x_ === null ? "" : this.sentence(this.x_));
  }

  private move(x: number | null): void {
    if (x === this.x_) return;
    this.x_ = x;
    this.fill();
    this.chart_().draw();
  }

  private readings(x: number) {
    const { series, text } = this.numbers_();
    return series.map((one) => ({ series: one, at: placeOf(one.x, x) }))
      .filter((entry) => entry.at >= 0 && entry.series.y[entry.at] != null)
      .map((entry) => ({ ...entry, y: entry.series.y[entry.at]!, text: text(entry.series, entry.at) }))
      .sort((a, b) => b.y - a.y);
  }

  private sentence(x: number): string {
    const { xName, xText } = this.numbers_();
    const parts = this.readings(x).map((entry) => `${entry.series.label}: ${entry.text}`);
    return `${xName} ${xText(x)}. ${parts.join("; ")}`;
  }

  private fill(): void {
    show(this.box, this.x_ !== null);
    if (this.x_ === null) return;
    const { xName, xText } = this.numbers_();
    const readings = this.readings(this.x_);
    const rows = readings.slice(0, kRows).map((entry) => element("div", { class: "hover-row" },
      swatch(entry.series.style), element("span", { class: "hover-label" }, entry.series.label),
      element("span", { class: "hover-value" }, entry.text)));
    const more = readings.length - rows.length;
    this.box.replaceChildren(element("div", { class: "hover-x" }, `${xName}: ${xText(this.x_)}`), ...rows);
    if (more > 0) this.box.append(element("div", {}, `and ${more} more`));
    this.place();
  }

  /// Beside the line, on the side where there is room, and within the plot.
  private place(): void {
    const chart = this.chart_();
    const pixel = chart.scales.x.getPixelForValue(this.x_!);
    const width = this.plot_.clientWidth;
    const wanted = pixel < width / 2 ? pixel + 12 : pixel - 12 - this.box.offsetWidth;
    this.box.style.left = `${Math.max(0, Math.min(wanted, width - this.box.offsetWidth))}px`;
    this.box.style.top = `${chart.chartArea.top + 4}px`;
  }

  private draw(chart: Chart): void {
    if (this.x_ === null) return;
    const theme = readTheme();
    const { ctx, chartArea } = chart;
    const pixel = chart.scales.x.getPixelForValue(this.x_);
    ctx.save();
    ctx.strokeStyle = theme.muted;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(pixel, chartArea.top);
    ctx.lineTo(pixel, chartArea.bottom);
    ctx.stroke();
    for (const entry of this.readings(this.x_)) {
      ctx.beginPath();
      ctx.arc(pixel, chart.scales.y.getPixelForValue(entry.y), 4, 0, 2 * Math.PI);
      ctx.fillStyle = theme.series[seriesStyle(entry.series.style).colour];
      ctx.strokeStyle = theme.surface;
      ctx.fill();
      ctx.stroke();
    }
    ctx.restore();
  }
}

function nearest(x: number[], value: number): number {
  return x.reduce((best, one) => (Math.abs(one - value) < Math.abs(best - value) ? one : best), x[0]);
}
