// The legend of a chart: a button for each series that shows and hides it.

import { arrange, element, setAttribute, setText, show } from "./dom";
import type { Series } from "./line_chart";
import { swatch } from "./series_style";

/// This many lines are switched on at first.
export const kShownAtFirst = 12;

/// Identifies a series, also after new data.
export function seriesKey(series: Series): string {
  return `${series.style} ${series.label}`;
}

interface Entry {
  button: HTMLButtonElement;
  note: HTMLElement;
}

export class ChartLegend {
  readonly root: HTMLElement;
  private readonly list_: HTMLElement;
  private readonly none_: HTMLButtonElement;
  private readonly entries_ = new Map<string, Entry>();
  private readonly on_ = new Map<string, boolean>();

  /// `changed` is called after something was switched by hand.
  constructor(title: string, private readonly changed_: () => void) {
    this.list_ = element("div", { class: "legend-entries", role: "group", "aria-label": `Lines of: ${title}` });
    this.none_ = element("button", { type: "button", class: "quiet", onclick: () => this.hideAll() }, "Hide all");
    this.root = element("div", { class: "legend" }, this.list_, this.none_);
  }

  shows(series: Series): boolean {
    return this.on_.get(seriesKey(series)) === true;
  }

  set(all: Series[]): void {
    const buttons = all.map((series) => {
      const key = seriesKey(series);
      if (!this.on_.has(key)) this.on_.set(key, this.on_.size < kShownAtFirst);
      const entry = this.entries_.get(key) ?? this.entry(key, series);
      setText(entry.note, series.note ?? "");
      show(entry.note, Boolean(series.note));
      setAttribute(entry.button, "aria-pressed", String(this.on_.get(key)));
      return entry.button;
    });
    const keys = new Set(all.map(seriesKey));
    for (const key of this.entries_.keys()) if (!keys.has(key)) this.entries_.delete(key);
    arrange(this.list_, buttons);
    show(this.none_, all.length > kShownAtFirst);
    show(this.root, all.length > 0);
  }

  private entry(key: string, series: Series): Entry {
    const note = element("span", { class: "note" });
    const button = element("button", { type: "button", class: "legend-entry", onclick: () => this.toggle(key) },
      swatch(series.style), element("span", { class: "legend-label", title: series.label }, series.label), note);
    const entry = { button, note };
    this.entries_.set(key, entry);
    return entry;
  }

  private toggle(key: string): void {
    this.put(key, !this.on_.get(key));
    this.changed_();
  }

  private hideAll(): void {
    for (const key of this.entries_.keys()) this.put(key, false);
    this.changed_();
  }

  private put(key: string, on: boolean): void {
    this.on_.set(key, on);
    setAttribute(this.entries_.get(key)!.button, "aria-pressed", String(on));
  }
}
