// What to do next with a campaign that has no decisions or no payoffs yet.

import { element, setText, show } from "../shared/dom";
import type { Report } from "./api_types";
import { ExampleRequests } from "./example_requests";
import type { Token } from "./token";

/// The id in the examples; another one if that decision is lost and may no longer take payoffs.
function exampleId(report: Report): string {
  const { lost } = report.decisions;
  return lost === 0 ? "first" : `after-${lost}-lost`;
}

/// Whether an existing decision still takes payoffs.
function mayPay(report: Report): boolean {
  return report.decisions.outstanding > 0 || (report.decisions.lost > 0 && report.lost === "skip");
}

function setCommand(node: HTMLElement, command: string | null): void {
  setText(node, command ?? "");
  show(node, command !== null);
}

export class FirstSteps {
  readonly root: HTMLElement;
  private readonly title_ = element("h2");
  private readonly text_ = element("p");
  private readonly words_ = element("p");
  private readonly decide_ = element("pre", { "aria-label": "Command that asks for a decision" });
  private readonly pay_ = element("pre", { "aria-label": "Command that sends payoffs" });

  constructor(private readonly token_: Token) {
    this.root = element("section", { class: "card", hidden: true, "aria-label": "Next step" },
      this.title_, this.text_, this.words_, this.decide_, this.pay_);
  }

  set(report: Report): void {
    const { decided, complete } = report.decisions;
    show(this.root, complete === 0);
    if (complete > 0) return;
    const requests = new ExampleRequests(report, this.token_);
    if (report.stopped) this.stopped(report, requests);
    else if (decided === 0) this.firstDecision(exampleId(report), requests);
    else this.firstPayoffs(exampleId(report), requests);
  }

  private firstDecision(id: string, requests: ExampleRequests): void {
    this.say("No decisions yet", "Ask for one, with an id of your choice:");
    this.showDecide(id, requests);
    setCommand(this.pay_, null);
  }

  /// Both requests. A second request with the same id returns the same decision.
  private firstPayoffs(id: string, requests: ExampleRequests): void {
    this.say("No payoffs yet", "The policy learns once all payoffs of a decision have come. " +
      `The first command asks for the decision “${id}”; if it exists, it stays the same. The second one reports payoffs of which only the first is not 0:`);
    this.showDecide(id, requests);
    setCommand(this.pay_, requests.pay(id));
  }

  private stopped(report: Report, requests: ExampleRequests): void {
    const open = mayPay(report);
    if (report.decisions.decided === 0) this.say("No decisions yet", "The campaign was stopped before its first decision.");
    else if (!open) this.say("No payoffs yet", "The campaign was stopped, and it no longer takes payoffs of its decisions.");
    else this.say("No payoffs yet", "The campaign was stopped, but it still learns from payoffs of its decisions. Replace ID by the id of a decision. This example reports payoffs of which only the first is not 0:");
    show(this.words_, false);
    setCommand(this.decide_, null);
    setCommand(this.pay_, open ? requests.pay("ID") : null);
  }

  private showDecide(id: string, requests: ExampleRequests): void {
    const command = requests.decide(id);
    setCommand(this.decide_, command);
    setText(this.words_, command === null ? requests.decideWords(id) : "");
    show(this.words_, command === null);
  }

  private say(title: string, text: string): void {
    setText(this.title_, title);
    setText(this.text_, text);
  }
}
