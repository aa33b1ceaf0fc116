// What became of the decisions, and what late and lost mean here.

import { element, freshId, setText, show } from "../shared/dom";
import { countText, duration, numberText } from "../shared/numbers";
import type { ServiceClock } from "./age";
import type { Report } from "./api_types";

class Line {
  readonly root: HTMLElement;
  private readonly count_ = element("dd", { class: "number" });
  private readonly meaning_ = element("dd", { class: "muted" });

  constructor(name: string) {
    this.root = element("div", { class: "feedback-line" }, element("dt", {}, name), this.count_, this.meaning_);
  }

  set(count: number, meaning: string): void {
    setText(this.count_, countText(count));
    setText(this.meaning_, meaning);
  }
}

function waitText(report: Report): string {
  return duration(1000 * report.wait!);
}

function lostText(report: Report): string {
  return report.wait === null ? "never: this campaign waits for payoffs without a time limit"
    : `payoffs not complete ${waitText(report)} after the decision; ${report.lost === "zeros" ? "its payoffs count as 0" : "the policy learns nothing from it"}`;
}

function lateText(report: Report): string {
  if (report.wait === null) return "never: payoffs may come at any time";
  return report.lost === "zeros" ? "never: payoffs of lost decisions are refused" : "complete decisions whose payoffs came after they were lost";
}

export class Feedback {
  readonly root: HTMLElement;
  private readonly decided_ = new Line("Decided");
  private readonly complete_ = new Line("Complete");
  private readonly outstanding_ = new Line("Outstanding");
  private readonly lost_ = new Line("Lost");
  private readonly late_ = new Line("Late");
  private readonly payoffs_ = element("p", { class: "muted" });

  constructor() {
    const id = freshId("feedback");
    this.root = element("section", { class: "card", "aria-labelledby": id }, element("h2", { id }, "Feedback"),
      element("dl", { class: "feedback" }, this.decided_.root, this.complete_.root, this.outstanding_.root, this.lost_.root, this.late_.root),
      this.payoffs_);
  }

  set(report: Report): void {
    const { decided, complete, lost, late } = report.decisions;
    this.decided_.set(decided, "decisions so far");
    this.complete_.set(complete, "all payoffs have come; the policy has learnt from them");
    this.lost_.set(lost, lostText(report));
    this.late_.set(late, lateText(report));
    const payoffs = report.payoffs;
    show(this.payoffs_, payoffs !== undefined && payoffs.rounds > 0);
    if (payoffs) {
      const spread = payoffs.sd === null ? "" : `, standard deviation ${numberText(payoffs.sd)} within actions`;
      setText(this.payoffs_, `Single payoffs so far: mean ${numberText(payoffs.mean)}${spread}, from ${numberText(payoffs.least)} ` +
        `to ${numberText(payoffs.largest)}.`);
    }
  }

  tick(report: Report, clock: ServiceClock): void {
    const age = clock.age(report.oldest_outstanding_ms);
    this.outstanding_.set(report.decisions.outstanding, age === null ? "no payoffs are missing" : `payoffs are still missing; the oldest decision was ${age} ago`);
  }
}
