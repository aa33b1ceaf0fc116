// Which part of a long list is shown, and buttons to the next and the one before.

import { element, setText, show } from "./dom";
import { countText } from "./numbers";

export class Pager {
  readonly root: HTMLElement;
  private readonly text_ = element("span", { class: "pager-text", role: "status" });
  private readonly previous_: HTMLButtonElement;
  private readonly next_: HTMLButtonElement;
  private from_ = 0;
  private total_ = 0;

  /// `moved` gets the place of the first thing to show. `what` names the things: "variables".
  constructor(private readonly size_: number, private readonly what_: string, private readonly moved_: (from: number) => void) {
    this.previous_ = element("button", { type: "button", onclick: () => this.back() }, "Previous");
    this.next_ = element("button", { type: "button", onclick: () => this.on() }, "Next");
    this.root = element("div", { class: "pager", hidden: true }, this.text_, this.previous_, this.next_);
  }

  /// Sets what is shown now: from `from`, of `total`. Hidden if all fits on one page.
  set(from: number, total: number): void {
    this.from_ = from;
    this.total_ = total;
    const last = Math.min(total, from + this.size_);
    setText(this.text_, total === 0 ? "" : `${countText(from + 1)} to ${countText(last)} of ${countText(total)} ${this.what_}`);
    this.disable(this.previous_, from <= 0);
    this.disable(this.next_, last >= total);
    show(this.root, total > this.size_ || from > 0);
  }

  private back(): void {
    if (this.from_ > 0) this.moved_(Math.max(0, this.from_ - this.size_));
  }

  private on(): void {
    if (this.from_ + this.size_ < this.total_) this.moved_(this.from_ + this.size_);
  }

  /// Not `disabled`: a button at the end of the list must keep the focus.
  private disable(button: HTMLButtonElement, off: boolean): void {
    button.setAttribute("aria-disabled", String(off));
  }
}
