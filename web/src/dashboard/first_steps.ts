// What to do next with a campaign that has no decisions or no payoffs yet.

import { element, setText, show } from "../shared/dom";
import { campaignPath, curlHeader, fullAddress } from "./api";
import type { Report } from "./api_types";
import type { Token } from "./token";

function pool(features: number): string {
  const row = `[${Array.from({ length: Math.min(features, 20) }, () => "0.5").join(", ")}${features > 20 ? ", ..." : ""}]`;
  return `[${row}, ${row}]`;
}

export class FirstSteps {
  readonly root: HTMLElement;
  private readonly title_ = element("h2");
  private readonly text_ = element("p");
  private readonly command_ = element("pre", { "aria-label": "Command" });

  constructor(private readonly token_: Token) {
    this.root = element("section", { class: "card", hidden: true, "aria-label": "Next step" }, this.title_, this.text_, this.command_);
  }

  set(report: Report): void {
    const { decided, complete } = report.decisions;
    show(this.root, complete === 0);
    if (complete > 0) return;
    const base = fullAddress(campaignPath(report.name));
    const header = curlHeader(this.token_);
    if (decided === 0) {
      const body = report.actions ? `{"decision": "first"}` : `{"decision": "first", "pool": ${pool(report.features ?? 1)}}`;
      this.say("No decisions yet", report.stopped ? "The campaign was stopped before its first decision." : "Ask for one, under an id of your own:",
        report.stopped ? "" : `curl -X POST ${base}/decisions${header} -d '${body}'`);
    } else {
      this.say("No payoffs yet", "The policy learns once all payoffs of a decision are there. Those of the decision 'first', if only the first of them pays:",
        `curl -X PUT ${base}/decisions/first/payoffs${header} -d '{"indices": [0], "values": [1.5]}'`);
    }
  }

  private say(title: string, text: string, command: string): void {
    setText(this.title_, title);
    setText(this.text_, text);
    setText(this.command_, command);
    show(this.command_, command !== "");
  }
}
