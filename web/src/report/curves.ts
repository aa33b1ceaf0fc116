// The curves of the chosen values over the rounds: mean or 95th percentile, for targeting of three
// measures, with the theory's bounds if the experiment asks for them.

import { element, show } from "../shared/dom";
import { LineChart, Series } from "../shared/line_chart";
import { countOf, countText } from "../shared/numbers";
import { choice } from "./choice";
import { Curve, Experiment, Measure } from "./data";

const kMean = 0;

/// A bound is drawn only if it does not squash the curves.
const kRoomForBounds = 2;

/// Places of the palette that are grey and dashed.
const kBoundStyles = [14, 22, 30];

function minus(a: number[], b: number[]): number[] {
  return a.map((value, j) => value - b[j]);
}

function plus(a: number[], b: number[]): number[] {
  return a.map((value, j) => value + b[j]);
}

class MeasureChart {
  readonly chart: LineChart;

  constructor(parent: HTMLElement, private readonly experiment_: Experiment, private readonly measure_: Measure,
              private readonly palette_: Map<string, number>) {
    const regret = measure_.adds_up;
    this.chart = new LineChart(parent, {
      title: regret ? "Regret over the rounds" : "Uplift over the rounds",
      xName: "round", yName: measure_.name, xText: countText,
      logX: experiment_.log_rounds, logY: experiment_.log_regret && regret,
      bands: "± 1 standard error", empty: "This experiment shows no policy in this measure.",
    });
  }

  draw(kind: number): void {
    const bounds = this.bounds();
    const drawn = this.measure_.curves.map((curve) => this.series(curve, kind));
    this.chart.setDescription(this.description(kind, bounds.length));
    this.chart.set([...drawn, ...bounds]);
  }

  private description(kind: number, bounds: number): string {
    const runs = countOf(this.experiment_.runs, "run");
    const what = kind === kMean ? `Mean over ${runs}` : `95th percentile over ${runs}`;
    const left = this.experiment_.bounds.length - bounds;
    return `${what}, with the chosen values.` + (left > 0 && this.measure_.adds_up
      ? ` ${countOf(left, "bound")} of the theory ${left === 1 ? "lies" : "lie"} far above and ${left === 1 ? "is" : "are"} not drawn.` : "");
  }

  private series(curve: Curve, kind: number): Series {
    const { label } = this.experiment_.policies[curve.policy];
    const start = this.measure_.adds_up ? [0] : [];
    const series: Series = {
      label, style: this.palette_.get(label)!, note: curve.note || undefined, x: [...start, ...this.experiment_.curve_rounds],
      y: [...start, ...(kind === kMean ? curve.mean : curve.p95)],
    };
    if (kind !== kMean || this.experiment_.runs < 2) return series;
    return { ...series, low: [...start, ...minus(curve.mean, curve.stderr)], high: [...start, ...plus(curve.mean, curve.stderr)] };
  }

  private bounds(): Series[] {
    if (!this.measure_.adds_up) return [];
    const most = kRoomForBounds * Math.max(...this.measure_.curves.flatMap((curve) => [...curve.mean, ...curve.p95]));
    return this.experiment_.bounds.map((bound, place): Series => {
      const seen = bound.rounds.map((_, j) => j).filter((j) => bound.values[j] <= most);
      return {
        label: bound.label, style: kBoundStyles[place % kBoundStyles.length], note: "theory",
        x: seen.map((j) => bound.rounds[j]), y: seen.map((j) => bound.values[j]),
      };
    }).filter((series) => series.x.length > 0);
  }
}

export function curvesSection(experiment: Experiment, palette: Map<string, number>): HTMLElement {
  const root = element("div", { class: "curves" });
  const panel = element("div");
  const charts = experiment.measures.map((measure) => new MeasureChart(panel, experiment, measure, palette));
  if (charts.length > 1) {
    root.append(choice("Measure", experiment.measures.map((measure) => measure.name), (place) =>
      charts.forEach((chart, j) => show(chart.chart.root, j === place))));
  }
  root.append(choice("Over the runs", ["mean", "95th percentile"], (kind) => charts.forEach((chart) => chart.draw(kind))), panel);
  return root;
}
