// What contradicts what was declared, and what to do. Screen readers announce a warning when it is new, and not
// when its numbers change.

import { arrange, element, setText, show } from "../shared/dom";
import type { Report, Warning } from "./api_types";
import { actionName } from "./words";

const kShown = 5;

interface Entry {
  root: HTMLElement;
  message: HTMLElement;
  advice: HTMLElement;
}

function keyOf(warning: Warning): string {
  return `${warning.kind} ${warning.action ?? ""}`;
}

export class Warnings {
  readonly root: HTMLElement;
  private readonly list_ = element("ul", { class: "warnings" });
  private readonly more_ = element("details");
  private readonly moreText_ = element("summary");
  private readonly moreList_ = element("ul", { class: "warnings" });
  private readonly announced_ = element("p", { class: "hidden-text", role: "alert" });
  private readonly entries_ = new Map<string, Entry>();

  /// `look` shows the surprising variables of an action.
  constructor(private readonly look_: (action: number) => void) {
    this.more_.append(this.moreText_, this.moreList_);
    this.root = element("section", { class: "card warning", hidden: true, "aria-label": "Warnings" },
      element("h2", {}, "Warnings"), this.list_, this.more_, this.announced_);
  }

  set(report: Report): void {
    const seen = new Map<string, number>();
    const fresh: string[] = [];
    const entries = report.warnings.map((warning) => {
      const place = seen.get(keyOf(warning)) ?? 0;
      seen.set(keyOf(warning), place + 1);
      const key = `${keyOf(warning)} ${place}`;
      if (!this.entries_.has(key)) fresh.push(warning.message);
      return { key, root: this.entry(key, warning) };
    });
    const keys = new Set(entries.map((entry) => entry.key));
    for (const key of this.entries_.keys()) if (!keys.has(key)) this.entries_.delete(key);
    const roots = entries.map((entry) => entry.root);
    arrange(this.list_, roots.slice(0, kShown));
    arrange(this.moreList_, roots.slice(kShown));
    setText(this.moreText_, `${roots.length - kShown} more`);
    show(this.more_, roots.length > kShown);
    show(this.root, roots.length > 0);
    if (fresh.length > 0) setText(this.announced_, `Warning: ${fresh[0]}${fresh.length > 1 ? ` And ${fresh.length - 1} more.` : ""}`);
    if (roots.length === 0) setText(this.announced_, "");
  }

  private entry(key: string, warning: Warning): HTMLElement {
    let entry = this.entries_.get(key);
    if (!entry) {
      const message = element("strong");
      const advice = element("span");
      const { action } = warning;
      const look = warning.kind === "outside_declared" && action !== undefined
        ? element("p", {}, element("button", { type: "button", onclick: () => this.look_(action) },
          `Show these variables of ${actionName({ action, name: warning.name })}`)) : null;
      const root = element("li", {}, element("p", {}, "⚠ ", message), element("p", {}, "What to do: ", advice), look);
      entry = { root, message, advice };
      this.entries_.set(key, entry);
    }
    setText(entry.message, warning.message);
    setText(entry.advice, warning.advice);
    return entry.root;
  }
}
