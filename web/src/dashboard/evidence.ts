// What holds at whatever time one looks: whether the best action is settled, what was gained over the control,
// which guardrails were broken. The sentences are the service's. Below them, rounds that the policy did not decide.

import { arrange, element, freshId, setAttribute, setText, show } from "../shared/dom";
import { countText, intervalText, percent } from "../shared/numbers";
import type { Report, Settled } from "./api_types";

class Statement {
  readonly root: HTMLElement;
  private readonly text_ = element("dd");

  constructor(name: string) {
    this.root = element("div", { class: "statement", hidden: true }, element("dt", {}, name), this.text_);
  }

  /// Hidden without a text.
  set(text: string | undefined, alarming = false): void {
    show(this.root, text !== undefined);
    setText(this.text_, `${alarming ? "⚠ " : ""}${text ?? ""}`);
    setAttribute(this.root, "class", alarming ? "statement warning-text" : "statement");
  }
}

function pastText(report: Report): string | undefined {
  const past = report.past;
  if (!past) return undefined;
  return `learnt from ${countText(past.rounds)} rounds of the time before the campaign, which count neither as decisions nor here`;
}

function shadowText(report: Report): string | undefined {
  const shadow = report.shadow;
  if (!shadow) return undefined;
  const share = shadow.share === null ? "" : ` (${percent(shadow.share)})`;
  return `${report.mode === "shadow" ? "the caller decides" : "is over: the policy decides"}; of ${countText(shadow.decisions)} decisions of the ` +
    `caller the policy would have made ${countText(shadow.agreed)}${share}`;
}

function guardrailsText(report: Report): string | undefined {
  if (!report.guardrails) return undefined;
  if (report.guardrails.length === 0) return "none is broken";
  return report.guardrails.map((alarm) => `${alarm.text}${alarm.pauses ? "; the action is paused" : ""}`).join(". ");
}

/// How far the leader is ahead of each other action.
class Rivals {
  readonly root: HTMLElement;
  private readonly title_ = element("summary");
  private readonly list_ = element("ul");

  constructor() {
    this.root = element("details", { hidden: true }, this.title_, this.list_);
  }

  set(settled: Settled | undefined): void {
    const rivals = settled?.leader === undefined ? [] : settled.rivals;
    show(this.root, rivals.length > 0);
    setText(this.title_, `How far ${settled?.leader ?? ""} is ahead`);
    const lines = Array.from({ length: rivals.length }, (_, place) => this.list_.children[place] as HTMLElement ?? element("li"));
    arrange(this.list_, lines);
    rivals.forEach((rival, place) => {
      const known = rival.difference === undefined ? "too few payoffs to compare"
        : intervalText(rival.difference, rival.low ?? null, rival.high ?? null);
      setText(lines[place], `of ${rival.action}: ${known}${rival.beaten ? ", beaten" : ""}`);
    });
  }
}

export class Evidence {
  readonly root: HTMLElement;
  private readonly settled_ = new Statement("Best action");
  private readonly gain_ = new Statement("Gain");
  private readonly guardrails_ = new Statement("Guardrails");
  private readonly past_ = new Statement("Past rounds");
  private readonly shadow_ = new Statement("Shadow mode");
  private readonly rivals_ = new Rivals();

  constructor() {
    const id = freshId("evidence");
    this.root = element("section", { class: "card", "aria-labelledby": id }, element("h2", { id }, "At whatever time you look"),
      element("dl", { class: "statements" }, this.settled_.root, this.gain_.root, this.guardrails_.root, this.past_.root, this.shadow_.root),
      this.rivals_.root);
  }

  set(report: Report): void {
    this.settled_.set(report.settled?.text);
    this.gain_.set(report.gain?.text, report.gain?.disagree ?? false);
    this.guardrails_.set(guardrailsText(report), (report.guardrails?.length ?? 0) > 0);
    this.past_.set(pastText(report));
    this.shadow_.set(shadowText(report));
    this.rivals_.set(report.settled);
    show(this.root, [report.settled, report.gain, report.guardrails, report.past, report.shadow].some((part) => part !== undefined));
  }
}
