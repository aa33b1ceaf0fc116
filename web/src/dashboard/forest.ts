// An interval as a bar with its estimate as a dot, on a scale that all rows share, with a line at 0.

import { setAttribute, svgElement } from "../shared/dom";
import { tickText } from "../shared/numbers";
import { roundSpan } from "../shared/round_numbers";
import type { Known } from "./api_types";

export interface Interval {
  estimate: Known;
  low: Known;
  high: Known;
}

export interface Span {
  low: number;
  high: number;
}

/// The least span of round numbers that holds all of them, and 0 if `zero`; null if there are none.
export function commonSpan(intervals: Interval[], zero: boolean): Span | null {
  let low = zero ? 0 : Infinity;
  let high = zero ? 0 : -Infinity;
  let any = false;
  for (const interval of intervals) {
    if (interval.estimate === null) continue;
    any = true;
    low = Math.min(low, interval.low ?? interval.estimate);
    high = Math.max(high, interval.high ?? interval.estimate);
  }
  if (!any) return null;
  return roundSpan(low, high);
}

export function spanText(span: Span): string {
  const text = (x: number) => tickText(+x.toPrecision(6));
  return `${text(span.low)} to ${text(span.high)}${span.low < 0 && span.high > 0 ? ", line at 0" : ""}`;
}

function percentOf(span: Span, x: number): string {
  const share = (x - span.low) / (span.high - span.low);
  return `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
}

/// Draws into the cell, or moves what it drew there. For eyes only: the numbers are beside it.
export function drawForest(cell: HTMLElement, interval: Interval, span: Span | null): void {
  const drawing = cell.querySelector("svg") ?? cell.appendChild(
    svgElement("svg", { class: "forest", height: 24, "aria-hidden": "true", focusable: "false" },
      svgElement("line", { class: "zero", y1: 0, y2: 24 }),
      svgElement("line", { class: "reach", y1: 12, y2: 12 }),
      svgElement("line", { class: "end", y1: 7, y2: 17 }),
      svgElement("line", { class: "end", y1: 7, y2: 17 }),
      svgElement("circle", { cy: 12, r: 4.5 })));
  const [zero, reach, lowEnd, highEnd, dot] = Array.from(drawing.children);
  const { estimate, low, high } = interval;
  const hide = (node: Element, hidden: boolean) => setAttribute(node, "visibility", hidden ? "hidden" : null);
  const vertical = (node: Element, x: number) => { for (const end of ["x1", "x2"]) setAttribute(node, end, percentOf(span!, x)); };
  hide(zero, span === null || !(span.low <= 0 && span.high >= 0));
  if (span !== null) vertical(zero, 0);
  hide(dot, span === null || estimate === null);
  if (span !== null && estimate !== null) setAttribute(dot, "cx", percentOf(span, estimate));
  const banded = span !== null && estimate !== null && low !== null && high !== null;
  for (const node of [reach, lowEnd, highEnd]) hide(node, !banded);
  if (!banded) return;
  setAttribute(reach, "x1", percentOf(span, low));
  setAttribute(reach, "x2", percentOf(span, high));
  vertical(lowEnd, low);
  vertical(highEnd, high);
}
