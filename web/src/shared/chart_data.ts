// The datasets that Chart.js draws for a series: its band, its line and some markers along it.

import type { ChartDataset, ChartPoint } from "chart.js";
import type { Series } from "./line_chart";
import { seriesStyle } from "./series_style";
import { Theme, translucent } from "./theme";

const kMarkersAlong = 6;
const kMarker = 4;
const kLargeMarker = 8;

export interface Axes {
  logX: boolean;
  logY: boolean;
}

/// The four datasets of a series. The objects stay the same between updates, so that Chart.js recognizes them.
export class SeriesDatasets {
  private readonly high_: ChartDataset = { data: [], fill: "+1", borderWidth: 0, pointRadius: 0, order: 2 };
  private readonly low_: ChartDataset = { data: [], fill: false, borderWidth: 0, pointRadius: 0, order: 2 };
  private readonly line_: ChartDataset = { data: [], fill: false, borderWidth: 2, pointRadius: 0, order: 1 };
  private readonly markers_: ChartDataset = { data: [], fill: false, showLine: false, clip: false, pointRadius: kMarker, pointBorderWidth: 1.5, order: 0 };

  /// In the order in which the band's fill finds its other side.
  all(): ChartDataset[] {
    return [this.high_, this.low_, this.line_, this.markers_];
  }

  /// `among`: how many series are drawn; the more there are, the fainter the bands.
  set(series: Series, axes: Axes, theme: Theme, among: number): void {
    this.paint(series, theme, among);
    this.line_.data = points(series.x, series.y, axes);
    this.markers_.data = series.marks ? this.line_.data : someOf(this.line_.data, series.style);
    // Points that a logarithmic axis leaves out are not counted, so look up the place by its x.
    const large = series.marks && series.emphasis !== undefined ? series.x[series.emphasis] : undefined;
    this.markers_.pointRadius = this.markers_.data.map((point) => (point.x === large ? kLargeMarker : kMarker));
    this.high_.data = series.high ? points(series.x, series.high, axes) : [];
    // If a band reaches below 0 on a logarithmic axis, it ends at the end of the axis.
    const low = axes.logY ? series.low?.map((y) => (y != null && y <= 0 ? Number.MIN_VALUE : y)) : series.low;
    this.low_.data = low ? points(series.x, low, axes) : [];
  }

  show(shown: boolean, band: boolean): void {
    this.line_.hidden = this.markers_.hidden = !shown;
    this.high_.hidden = this.low_.hidden = !(shown && band);
  }

  private paint(series: Series, theme: Theme, among: number): void {
    const style = seriesStyle(series.style);
    const colour = theme.series[style.colour];
    this.high_.backgroundColor = translucent(colour, Math.max(0.04, Math.min(0.14, 0.6 / among)));
    this.line_.borderColor = colour;
    this.line_.borderDash = style.dash;
    this.markers_.pointStyle = style.marker;
    this.markers_.pointBorderColor = colour;
    this.markers_.pointBackgroundColor = style.hollow ? theme.surface : colour;
  }
}

/// Gaps stay gaps. A value that a logarithmic axis cannot show is a gap, too.
function points(x: number[], y: (number | null)[], axes: Axes): ChartPoint[] {
  const result: ChartPoint[] = [];
  for (let i = 0; i < x.length; ++i) {
    if (axes.logX && !(x[i] > 0)) continue;
    const value = y[i];
    result.push({ x: x[i], y: value == null || (axes.logY && !(value > 0)) ? null : value });
  }
  return result;
}

/// A few points along the line and the last point. Series at different places in the palette get different points.
function someOf(line: ChartPoint[], place: number): ChartPoint[] {
  const known = line.filter((point) => point.y !== null);
  const step = Math.max(1, Math.ceil(known.length / kMarkersAlong));
  const offset = (place * 5) % step;
  return known.filter((_, i) => i % step === offset || i === known.length - 1);
}
