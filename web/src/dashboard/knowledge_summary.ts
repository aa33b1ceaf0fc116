// "Knowledge summary": what the policy was told, in words.

import { element, freshId, setText } from "../shared/dom";
import type { Report } from "./api_types";

export class KnowledgeSummary {
  readonly root: HTMLElement;
  private readonly list_ = element("ul");

  constructor() {
    const id = freshId("knowledge");
    this.root = element("section", { class: "card", "aria-labelledby": id }, element("h2", { id }, "Knowledge summary"), this.list_);
  }

  set(report: Report): void {
    const sentences = report.knowledge_summary;
    while (this.list_.children.length > sentences.length) this.list_.lastElementChild!.remove();
    while (this.list_.children.length < sentences.length) this.list_.append(element("li"));
    sentences.forEach((sentence, place) => setText(this.list_.children[place], sentence));
  }
}
