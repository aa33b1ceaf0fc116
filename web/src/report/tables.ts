// The tables of an experiment: chosen values with their regret; other measures of targeting; hindsight.

import { element } from "../shared/dom";
import { intervalText, kNone, numberText, tickText, withError } from "../shared/numbers";
import { swatch } from "../shared/series_style";
import { Column, Table } from "../shared/table";
import { Experiment, Hindsight, Policy, Score, Summary, ValueOf } from "./data";

function valueText(value: number | null): string {
  return value === null ? kNone : tickText(value);
}

function policyColumn(palette: Map<string, number>): Column<Policy> {
  return {
    name: "policy", heading: true, sort: (policy) => policy.label,
    draw: (cell, policy) => {
      if (cell.childNodes.length > 0) return;
      cell.append(element("span", { class: "policy" }, swatch(palette.get(policy.label)!), element("span", {}, policy.label)));
      cell.title = policy.spec;
    },
  };
}

export function chosenTable(parent: HTMLElement, experiment: Experiment, palette: Map<string, number>): void {
  const table = new Table<Policy>(parent, {
    caption: "Chosen parameters and the regret after the last round", hideCaption: true, stack: true, key: (policy) => policy.label,
    empty: "There are no policies.",
    columns: [
      policyColumn(palette),
      { name: "parameter", text: (policy) => policy.parameter ?? kNone, sort: (policy) => policy.parameter },
      { name: "chosen", number: true, text: (policy) => valueText(policy.chosen), sort: (policy) => policy.chosen },
      { name: "paper’s", number: true, text: (policy) => valueText(policy.paper), sort: (policy) => policy.paper },
      { name: "mean regret ± s.e.", number: true, text: (policy) => withError(policy.regret.mean, policy.regret.stderr), sort: (policy) => policy.regret.mean },
      { name: "sd", number: true, text: (policy) => numberText(policy.regret.sd), sort: (policy) => policy.regret.sd },
      { name: "95th percentile", number: true, text: (policy) => numberText(policy.regret.p95), sort: (policy) => policy.regret.p95 },
      { name: "note", text: (policy) => policy.note, sort: (policy) => policy.note || null },
    ],
  });
  table.set(experiment.policies);
}

function scoreText(score: Score | undefined): string {
  return score ? intervalText(score.mean, score.low, score.high) : kNone;
}

function summaryText(summary: Summary | undefined): string {
  return summary ? withError(summary.mean, summary.stderr) : kNone;
}

export function targetingTable(parent: HTMLElement, experiment: Experiment, palette: Map<string, number>): void {
  const table = new Table<Policy>(parent, {
    caption: "Treated individuals, and the ranking of held-out individuals", hideCaption: true, stack: true, key: (policy) => policy.label, empty: "There are no policies.",
    columns: [
      policyColumn(palette),
      { name: "regret of payoffs ± s.e.", number: true, text: (policy) => summaryText(policy.realised), sort: (policy) => policy.realised?.mean },
      { name: "mean uplift of the treated ± s.e.", number: true, text: (policy) => summaryText(policy.uplift), sort: (policy) => policy.uplift?.mean },
      { name: "slope of the regret", number: true, text: (policy) => numberText(policy.slope), sort: (policy) => policy.slope },
      { name: "Qini (90 % interval)", number: true, text: (policy) => scoreText(policy.qini), sort: (policy) => policy.qini?.mean },
      { name: "AUUC (90 % interval)", number: true, text: (policy) => scoreText(policy.auuc), sort: (policy) => policy.auuc?.mean },
    ],
  });
  table.set(experiment.policies);
}

export function hindsightTable(parent: HTMLElement, experiment: Experiment): void {
  const label = (policy: number) => experiment.policies[policy].label;
  const at = (point: ValueOf) => (point.value === null ? kNone : `${experiment.policies[point.policy].parameter} = ${tickText(point.value)}`);
  const table = new Table<Hindsight>(parent, {
    caption: "Policies with nothing to tune, compared with the best and worst values of tuned policies", hideCaption: true, stack: true,
    key: (row) => `${row.policy} ${row.least.policy}`, empty: "Every policy is tuned.",
    columns: [
      { name: "policy", heading: true, text: (row) => label(row.policy), sort: (row) => label(row.policy) },
      { name: "tuned policy", text: (row) => label(row.least.policy), sort: (row) => label(row.least.policy) },
      { name: "least mean regret ± s.e.", number: true, text: (row) => withError(row.least.regret.mean, row.least.regret.stderr), sort: (row) => row.least.regret.mean },
      { name: "at", number: true, text: (row) => at(row.least) },
      { name: "ratio to the least", number: true, text: (row) => withError(row.to_least.value, row.to_least.error), sort: (row) => row.to_least.value },
      { name: "largest at", number: true, text: (row) => at(row.most) },
      { name: "ratio to the largest", number: true, text: (row) => withError(row.to_most.value, row.to_most.error), sort: (row) => row.to_most.value },
    ],
  });
  table.set(experiment.hindsight);
}
