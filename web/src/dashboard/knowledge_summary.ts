// "What the policy was told", in words.

import { element, freshId, setText } from "../shared/dom";
import type { Report } from "./api_types";

export class Told {
  readonly root: HTMLElement;
  private readonly list_ = element("ul");

  constructor() {
    const id = freshId("told");
    this.root = element("section", { class: "card", "aria-labelledby": id }, element("h2", { id }, "What the policy was told"), this.list_);
  }

  set(report: Report): void {
    const { told } = report;
    while (this.list_.children.length > told.length) this.list_.lastElementChild!.remove();
    while (this.list_.children.length < told.length) this.list_.append(element("li"));
    told.forEach((sentence, place) => setText(this.list_.children[place], sentence));
  }
}
