// The verdicts of a run on the paper's claims, in words and with a sign.

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

export function verdictList(verdicts: Verdict[]): HTMLElement {
  if (verdicts.length === 0) return element("p", { class: "empty" }, "This experiment judges none of the paper’s claims.");
  return element("ul", { class: "verdicts" }, ...verdicts.map((verdict) => element("li", {},
    element("p", { class: "claim" }, outcome(verdict), ` (${verdict.claim}) ${verdict.statement}`),
    element("p", { class: "evidence" }, verdict.evidence))));
}
