// Requests to copy into a shell: a decision with an id of the user's choice, and its payoffs.

import { campaignPath, curlHeader, fullAddress } from "./api";
import type { Report } from "./api_types";
import type { Token } from "./token";

/// Larger pools are not written out.
const kMostFeatures = 20;
const kMostRows = 20;

/// Rows of a pool: at least as many as the budget. Of a context: as many as there are variables, if that is fixed.
function rowsOf(report: Report): number {
  return report.taken ? report.variables ?? 2 : Math.max(2, report.budget ?? 1);
}

/// Short rows, and payoffs of 0 and 1 below, because some policies refuse others.
function poolText(rows: number, features: number): string {
  const row = (number: number) => `[${new Array(features).fill(number % 2 === 0 ? 0.1 : 0.2).join(", ")}]`;
  return `[${Array.from({ length: rows }, (_, number) => row(number)).join(", ")}]`;
}

/// Whether a decision must say this of its rows.
function needs(report: Report, what: "baseline" | "affected"): boolean {
  return report.decision_needs?.includes(what) ?? false;
}

/// Every other row by turns.
function setsText(rows: number, actions: number): string {
  const set = (action: number) => `[${Array.from({ length: rows }, (_, row) => row).filter((row) => row % 2 === action % 2).join(", ")}]`;
  return `[${Array.from({ length: actions }, (_, action) => set(action)).join(", ")}]`;
}

export class ExampleRequests {
  private readonly base_: string;
  private readonly header_: string;

  constructor(private readonly report_: Report, token: Token) {
    this.base_ = fullAddress(campaignPath(report_.name));
    this.header_ = curlHeader(token);
  }

  /// null if it would be too long; then decideWords() describes the request.
  decide(id: string): string | null {
    const body = this.body(id);
    return body === null ? null : `curl -X POST ${this.base_}/decisions${this.header_} -d '${body}'`;
  }

  decideWords(id: string): string {
    const baseline = needs(this.report_, "baseline") ? `, and "baseline", a list of one number per row: its expected payoff ${this.report_.taken ? "if nothing is done" : "without treatment"}` : "";
    const { taken, variables, features } = this.report_;
    const sets = needs(this.report_, "affected") ? `, and "affected", a list that contains, for each action, the list of the numbers of the rows that it affects` : "";
    const least = taken ? (variables === undefined ? "rows" : `${variables} rows`) : `at least ${rowsOf(this.report_)} rows`;
    return `POST to ${this.base_}/decisions a JSON object with "decision": "${id}"${baseline || sets ? "," : " and"} "${taken ? "context" : "pool"}", ` +
      `a list of ${least} of ${features} numbers each${baseline}${sets}.`;
  }

  /// As if only the first variable, or the first of the pool, had paid.
  pay(id: string): string {
    return `curl -X PUT ${this.base_}/decisions/${id}/payoffs${this.header_} -d '{"indices": [0], "values": [1]}'`;
  }

  private body(id: string): string | null {
    const took = this.report_.mode === "shadow" ? ', "action": 0' : "";  // whoever decides says what it took
    if (this.report_.actions) return `{"decision": "${id}"${took}}`;
    const rows = rowsOf(this.report_);
    const features = this.report_.features ?? 1;
    if (rows > kMostRows || features > kMostFeatures) return null;
    const baseline = needs(this.report_, "baseline") ? `, "baseline": [${new Array(rows).fill(0.5).join(", ")}]` : "";
    const { taken } = this.report_;
    if (taken && taken.length > kMostRows) return null;
    const sets = needs(this.report_, "affected") ? `, "affected": ${setsText(rows, taken!.length)}` : "";
    return `{"decision": "${id}"${took}, "${taken ? "context" : "pool"}": ${poolText(rows, features)}${baseline}${sets}}`;
  }
}
