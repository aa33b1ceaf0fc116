// Name, state and the most important numbers.

import { element, setText } from "../shared/dom";
import { countText } from "../shared/numbers";
import type { ServiceClock } from "./age";
import type { Report } from "./api_types";
import { setState, stateMark } from "./state_mark";

class Figure {
  readonly root: HTMLElement;
  private readonly value_ = element("dd");

  constructor(name: string) {
    this.root = element("div", { class: "figure" }, element("dt", {}, name), this.value_);
  }

  set(text: string): void {
    setText(this.value_, text);
  }
}

export class Heading {
  readonly root: HTMLElement;
  private readonly state_ = stateMark();
  private readonly policy_ = element("code");
  private readonly decided_: Figure;
  private readonly complete_ = new Figure("with complete payoffs");
  private readonly outstanding_ = new Figure("outstanding");
  private readonly last_ = new Figure("since the last event");

  constructor(name: string, targeted: boolean) {
    this.decided_ = new Figure(targeted ? "decisions (pools)" : "decisions");
    this.root = element("header", { class: "campaign-heading" },
      element("p", {}, element("a", { href: "#/" }, "← All campaigns")),
      element("div", { class: "title-line" }, element("h1", { tabindex: -1 }, name), this.state_),
      element("p", { class: "muted" }, "policy ", this.policy_),
      element("dl", { class: "figures" }, this.decided_.root, this.complete_.root, this.outstanding_.root, this.last_.root));
  }

  set(report: Report): void {
    setState(this.state_, report.stopped);
    setText(this.policy_, report.policy);
    this.decided_.set(countText(report.decisions.decided));
    this.complete_.set(countText(report.decisions.complete));
    this.outstanding_.set(countText(report.decisions.outstanding));
  }

  tick(report: Report, clock: ServiceClock): void {
    this.last_.set(clock.age(report.last_event_ms) ?? "none yet");
  }
}
