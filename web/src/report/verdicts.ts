// The verdicts of a run on the paper's claims and on the experiment's own limits, in words and with
// a sign.

import { element } from "../shared/dom";
import { Verdict } from "./data";

const kSigns: Record<string, { sign: string; kind: string }> = {
  "supported": { sign: "✓", kind: "supported" },
  "not supported": { sign: "✗", kind: "not-supported" },
  "inconclusive": { sign: "?", kind: "inconclusive" },
};

export function outcome(verdict: Verdict): HTMLElement {
  const { sign, kind } = kSigns[verdict.outcome] ?? { sign: "–", kind: "not-tested" };
  return element("span", { class: `outcome ${kind}` }, element("span", { "aria-hidden": "true" }, `${sign} `), verdict.outcome);
}

/** The number of a claim of the paper, with what separates it from the words after it. */
export function numberOf(verdict: Verdict): string {
  return verdict.claim === null ? "" : `(${verdict.claim}) `;
}

export function verdictList(verdicts: Verdict[]): HTMLElement {
  if (verdicts.length === 0) return element("p", { class: "empty" }, "This experiment judges none of the paper’s claims.");
  return element("ul", { class: "verdicts" }, ...verdicts.map((verdict) => element("li", {},
    element("p", { class: "claim" }, outcome(verdict), ` ${numberOf(verdict)}${verdict.statement}`),
    element("p", { class: "evidence" }, verdict.evidence))));
}
