// What is wrong with the connection or with the page itself, since when, and when the page tries again. Screen
// readers announce the problem once, and not the countdown.

import { element, setText, show } from "../shared/dom";
import { clock } from "../shared/numbers";

export class Banner {
  readonly root: HTMLElement;
  private readonly what_ = element("span", { role: "alert" });
  private readonly next_ = element("span");
  private readonly try_: HTMLButtonElement;
  private readonly reload_ = element("button", { type: "button", hidden: true, onclick: () => window.location.reload() }, "Reload the page");
  private since_: number | null = null;
  private nextAt_ = 0;
  private timer_: ReturnType<typeof setInterval> | undefined;

  constructor(tryNow: () => void) {
    this.try_ = element("button", { type: "button", onclick: tryNow }, "Try now");
    this.root = element("div", { class: "banner", hidden: true }, element("div", { class: "banner-content" },
      element("p", {}, this.what_, this.next_), this.try_, this.reload_));
  }

  /// `what` as in "The service does not answer". The banner adds the time of the first failure.
  failed(what: string): void {
    this.say(`${what}. First failure at ${this.since()}`, false);
  }

  /// The service answers, but the page cannot show it.
  broke(): void {
    this.say(`This page has a fault and may show old numbers. Reload it. First failure at ${this.since()}`, true);
  }

  /// Sets when the page tries again.
  rests(ms: number): void {
    this.nextAt_ = Date.now() + ms;
    this.tick();
    this.timer_ ??= setInterval(() => this.tick(), 1000);
  }

  well(): void {
    if (this.since_ === null) return;
    this.since_ = null;
    clearInterval(this.timer_);
    this.timer_ = undefined;
    setText(this.what_, "");
    show(this.root, false);
  }

  private since(): string {
    this.since_ ??= Date.now();
    return clock(this.since_);
  }

  private say(text: string, reload: boolean): void {
    setText(this.what_, text);
    show(this.try_, !reload);
    show(this.reload_, reload);
    show(this.root, true);
  }

  private tick(): void {
    const left = Math.ceil((this.nextAt_ - Date.now()) / 1000);
    setText(this.next_, left > 0 ? `; trying again in ${left} s.` : "; trying now.");
  }
}
