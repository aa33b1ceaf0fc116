// All campaigns, with links to each.

import { element, setAttribute, setText, show } from "../shared/dom";
import { countText, kNone } from "../shared/numbers";
import { Table } from "../shared/table";
import { ServiceClock } from "./age";
import { curlHeader, fullAddress, kCampaigns } from "./api";
import type { Brief, CampaignList as Listed } from "./api_types";
import type { Outcome } from "./poll";
import { setState, stateMark } from "./state_mark";
import type { Frame, View } from "./view";

const kEveryMs = 2000;

function drawName(cell: HTMLElement, row: Brief): void {
  const link = cell.querySelector("a") ?? cell.appendChild(element("a"));
  setAttribute(link, "href", `#/${encodeURIComponent(row.name)}`);
  setText(link, row.name);
}

function drawState(cell: HTMLElement, row: Brief): void {
  const mark = cell.querySelector<HTMLElement>(".mark") ?? cell.appendChild(stateMark());
  setState(mark, row.stopped, row.quarantined);
}

/// A whole campaign to copy into a shell.
function example(header: string): string {
  return `curl -X POST ${fullAddress(kCampaigns)}${header} -d '{
  "name": "spring", "policy": "up_ts",
  "actions": ["news", "discount"],
  "variables": ["coffee", "tea", "bread", "cake"],
  "knowledge": {"affected": [["coffee", "tea"], ["bread", "cake"]]}}'`;
}

export class CampaignList implements View {
  readonly root = element("div", { class: "view" });
  readonly title = "Campaigns";
  readonly everyMs = kEveryMs;
  private readonly loading_ = element("p", { class: "empty" }, "Loading …");
  private readonly full_ = element("section", { class: "card", hidden: true, "aria-label": "All campaigns" });
  private readonly none_ = element("section", { class: "card", hidden: true });
  private readonly command_ = element("pre", { "aria-label": "Command that creates a campaign" });
  private readonly table_: Table<Brief>;
  private readonly clock_ = new ServiceClock();

  constructor(private readonly frame_: Frame) {
    this.root.append(element("h1", { tabindex: -1 }, "Campaigns"), this.loading_, this.full_, this.none_);
    this.none_.append(element("h2", {}, "There are no campaigns yet"),
      element("p", {}, "At each decision, a campaign takes one of its actions. It learns from the resulting payoffs. " +
        "This command creates a campaign whose policy has nothing to tune; it appears here within two seconds:"), this.command_);
    const count = (name: string, of: (row: Brief) => number) => ({ name, number: true, text: (row: Brief) => countText(of(row)), sort: of });
    this.table_ = new Table<Brief>(this.full_, {
      caption: "All campaigns, with numbers of decisions", hideCaption: true, stack: true, key: (row) => row.name, empty: "",
      sorted: { column: 0, descending: false }, page: { size: 100, what: "campaigns" },
      columns: [
        { name: "Campaign", heading: true, draw: drawName, sort: (row) => row.name },
        { name: "State", draw: drawState, sort: (row) => (row.quarantined !== undefined ? "quarantined" : row.stopped ? "stopped" : "running") },
        { name: "Policy", text: (row) => row.policy, sort: (row) => row.policy },
        count("Decisions", (row) => row.decisions.decided),
        count("Complete", (row) => row.decisions.complete),
        count("Outstanding", (row) => row.decisions.outstanding),
        count("Lost", (row) => row.decisions.lost),
        { name: "Last event", number: true, text: (row) => this.lastEvent(row), sort: (row) => row.last_event_ms },
      ],
    });
  }

  async ask(): Promise<Outcome> {
    const answer = await this.frame_.api.get<Listed>(kCampaigns);
    const outcome = this.frame_.outcome(answer);
    if (answer.kind === "ok") this.show(answer.body);
    return outcome;
  }

  end(): void {}

  private lastEvent(row: Brief): string {
    const age = this.clock_.age(row.last_event_ms);
    return age === null ? kNone : `${age} ago`;
  }

  private show({ campaigns, now_ms }: Listed): void {
    this.clock_.set(now_ms);
    show(this.loading_, false);
    show(this.full_, campaigns.length > 0);
    show(this.none_, campaigns.length === 0);
    if (campaigns.length === 0) setText(this.command_, example(curlHeader(this.frame_.api.token)));
    this.table_.set(campaigns);
  }
}
