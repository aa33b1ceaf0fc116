// The data of the page: the JSON that src/web/report_data.cc writes into it.

import { Maybe } from "../shared/numbers";

export interface Summary {
  mean: number;
  sd: number;
  stderr: number;
  p95: number;
}

/// A score of a ranking with its 90 % interval; null if it is not known.
export interface Score {
  mean: Maybe;
  low: Maybe;
  high: Maybe;
}

export interface Policy {
  label: string;
  spec: string;                 // complete, with the chosen value
  parameter: string | null;     // the tuned one
  chosen: number | null;
  paper: number | null;
  note: string;
  regret: Summary;              // after the last round
  realised?: Summary;           // from here on: only for targeting
  uplift?: Summary;
  slope?: number | null;
  qini?: Score;
  auuc?: Score;
}

/// Lists of equal length.
export interface Columns {
  mean: number[];
  stderr: number[];
  p95: number[];
}

export interface Curve extends Columns {
  policy: number;               // place in Experiment.policies
  note: string;                 // "alpha = 3"
}

export interface Measure {
  name: string;
  adds_up: boolean;             // over the rounds, from 0 on
  curves: Curve[];              // after the rounds of Experiment.curve_rounds
}

export interface GridRow extends Columns {
  policy: number;
  values: number[];             // of the tuned parameter; empty if there is none, and then the columns have one entry
}

export interface ValueOf {
  policy: number;
  value: number | null;
  regret: Summary;
}

export interface Estimate {
  value: number;
  error: number;
}

export interface Hindsight {
  policy: number;
  least: ValueOf;
  most: ValueOf;
  to_least: Estimate;
  to_most: Estimate;
}

export interface Bound {
  label: string;
  rounds: number[];
  values: number[];
}

export interface Verdict {
  claim: number | null;
  statement: string;
  outcome: string;              // "supported", "not supported", "inconclusive", "not tested"
  evidence: string;
}

export interface Experiment {
  name: string;
  title: string;
  setting: string;
  rounds: number;
  runs: number;
  log_rounds: boolean;
  log_regret: boolean;
  policies: Policy[];
  curve_rounds: number[];
  measures: Measure[];
  grid: GridRow[];              // one for each policy
  hindsight: Hindsight[];
  bounds: Bound[];
  verdicts: Verdict[];
  repeat: string;
  manifest: unknown;
}

export interface Results {
  version: string;
  title: string;
  suite: { name: string; repeat: string } | null;
  experiments: Experiment[];
}

export function readResults(): Results {
  return JSON.parse(document.getElementById("results")!.textContent!) as Results;
}

/// The place of every policy in the palette, by its label: the same in all experiments of a suite.
export function paletteOf(results: Results): Map<string, number> {
  const palette = new Map<string, number>();
  for (const experiment of results.experiments) {
    for (const policy of experiment.policies) {
      if (!palette.has(policy.label)) palette.set(policy.label, palette.size);
    }
  }
  return palette;
}
