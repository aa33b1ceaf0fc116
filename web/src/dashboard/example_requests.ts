// Requests to copy into a shell: a decision under an id of one's own, and its payoffs.

import { campaignPath, curlHeader, fullAddress } from "./api";
import type { Report } from "./api_types";
import type { Token } from "./token";

/// Larger pools are not written out.
const kMostFeatures = 20;
const kMostRows = 20;

/// Rows of a pool: at least as many as the budget.
function rowsOf(report: Report): number {
  return Math.max(2, report.budget ?? 1);
}

/// Short rows, and payoffs of 0 and 1 below: there are policies that refuse others.
function poolText(rows: number, features: number): string {
  const row = (number: number) => `[${new Array(features).fill(number % 2 === 0 ? 0.1 : 0.2).join(", ")}]`;
  return `[${Array.from({ length: rows }, (_, number) => row(number)).join(", ")}]`;
}

/// Policies of targeted campaigns whose names end so are told what each individual pays without treatment.
function needsBaseline(report: Report): boolean {
  return /^\w+_bl\b/.test(report.policy);
}

export class ExampleRequests {
  private readonly base_: string;
  private readonly header_: string;

  constructor(private readonly report_: Report, token: Token) {
    this.base_ = fullAddress(campaignPath(report_.name));
    this.header_ = curlHeader(token);
  }

  /// null where it would be too long: then decideWords() says it.
  decide(id: string): string | null {
    const body = this.body(id);
    return body === null ? null : `curl -X POST ${this.base_}/decisions${this.header_} -d '${body}'`;
  }

  decideWords(id: string): string {
    const baseline = needsBaseline(this.report_) ? `, and "baseline", a list of one number per row: what is expected of it without treatment` : "";
    return `POST to ${this.base_}/decisions a JSON object with "decision": "${id}"${baseline ? "," : " and"} "pool", ` +
      `a list of at least ${rowsOf(this.report_)} rows of ${this.report_.features} numbers each${baseline}.`;
  }

  /// As if only the first variable, or the first of the pool, had paid.
  pay(id: string): string {
    return `curl -X PUT ${this.base_}/decisions/${id}/payoffs${this.header_} -d '{"indices": [0], "values": [1]}'`;
  }

  private body(id: string): string | null {
    if (this.report_.actions) return `{"decision": "${id}"}`;
    const rows = rowsOf(this.report_);
    const features = this.report_.features ?? 1;
    if (rows > kMostRows || features > kMostFeatures) return null;
    const baseline = needsBaseline(this.report_) ? `, "baseline": [${new Array(rows).fill(0.5).join(", ")}]` : "";
    return `{"decision": "${id}", "pool": ${poolText(rows, features)}${baseline}}`;
  }
}
