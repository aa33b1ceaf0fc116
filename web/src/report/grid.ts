// The effect of tuning: the regret after the last round against the values of the parameter.

import { element } from "../shared/dom";
import { LineChart, Series } from "../shared/line_chart";
import { countText, tickText } from "../shared/numbers";
import { Experiment, GridRow } from "./data";

function unique(values: string[]): string[] {
  return Array.from(new Set(values));
}

/// Why there is nothing to see; an empty text if there is something.
function nothingToTune(experiment: Experiment): string {
  if (experiment.grid.every((row) => row.values.length === 0)) return "None of these policies has a tuned parameter.";
  if (experiment.grid.every((row) => row.values.length < 2)) {
    return "Every parameter has only one value, as in quick runs, so there is nothing to tune. A run without --quick uses all values.";
  }
  return "";
}

function tuned(experiment: Experiment, row: GridRow, style: number): Series {
  const policy = experiment.policies[row.policy];
  return {
    label: policy.label, style, marks: true, x: row.values, y: row.mean,
    note: `chosen: ${policy.parameter} = ${tickText(policy.chosen!)}`,
    emphasis: row.values.indexOf(policy.chosen!),
    low: row.mean.map((mean, j) => mean - row.stderr[j]), high: row.mean.map((mean, j) => mean + row.stderr[j]),
  };
}

/// A level line over all values of the others.
function level(experiment: Experiment, row: GridRow, style: number, x: number[]): Series {
  return {
    label: experiment.policies[row.policy].label, style, note: "nothing to tune", x,
    y: x.map(() => row.mean[0]), low: x.map(() => row.mean[0] - row.stderr[0]), high: x.map(() => row.mean[0] + row.stderr[0]),
  };
}

export function gridSection(experiment: Experiment, palette: Map<string, number>): HTMLElement {
  const root = element("div", { class: "grid" });
  const nothing = nothingToTune(experiment);
  const x = Array.from(new Set(experiment.grid.flatMap((row) => row.values))).sort((a, b) => a - b);
  const parameters = unique(experiment.policies.flatMap((policy) => (policy.parameter ? [policy.parameter] : [])));
  const chart = new LineChart(root, {
    title: "Regret against the tuned parameter",
    description: nothing ? undefined
      : `After ${countText(experiment.rounds)} rounds. The larger mark is the chosen value: the one with the least mean + one standard deviation.`,
    xName: parameters.join(", ") || "parameter", yName: `regret after ${countText(experiment.rounds)} rounds`, xText: tickText,
    logX: true, logY: true, bands: experiment.runs > 1 ? "± 1 standard error" : undefined, empty: nothing || "Nothing to draw.",
  });
  if (nothing) {
    root.classList.add("nothing");
    return root;
  }
  chart.set(experiment.grid.map((row) => {
    const style = palette.get(experiment.policies[row.policy].label)!;
    return row.values.length > 0 ? tuned(experiment, row, style) : level(experiment, row, style, x);
  }));
  return root;
}
