// The numbers of a chart as a table in a <details>: what the chart shows, for those who cannot see it or
// want the numbers. Filled only while open.

import { element, freshId, scrollContainer, setText } from "./dom";
import type { Series } from "./line_chart";

export interface ChartNumbers {
  title: string;
  xName: string;
  xText: (x: number) => string;
  text: (series: Series, at: number) => string;   // the value at a place of the series, with its band
  x: number[];                                    // of all shown series, rising
  series: Series[];                               // those shown
}

/// The last place where the rising `x` has this value, or -1.
export function placeOf(x: number[], value: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x[low - 1] === value ? low - 1 : -1;
}

export class ChartTable {
  readonly root: HTMLDetailsElement;
  private readonly caption_: HTMLElement;
  private readonly head_ = element("tr");
  private readonly body_ = element("tbody");

  constructor(private readonly numbers_: () => ChartNumbers) {
    const id = freshId("table");
    this.caption_ = element("caption", { id, class: "hidden-text" });
    const table = element("table", {}, this.caption_, element("thead", {}, this.head_), this.body_);
    this.root = element("details", { ontoggle: () => this.update() },
      element("summary", {}, "as a table"), scrollContainer(id, table));
  }

  update(): void {
    if (!this.root.open) {
      this.head_.replaceChildren();
      this.body_.replaceChildren();
      return;
    }
    const numbers = this.numbers_();
    setText(this.caption_, numbers.title);
    fill(this.head_, [numbers.xName, ...numbers.series.map((series) => series.label)], () => element("th", { scope: "col", class: "number" }));
    while (this.body_.rows.length > numbers.x.length) this.body_.deleteRow(-1);
    while (this.body_.rows.length < numbers.x.length) this.body_.append(element("tr"));
    // Newest first: these rows change, and people look for them.
    numbers.x.forEach((x, i) => {
      const row = this.body_.rows[numbers.x.length - 1 - i];
      const cells = numbers.series.map((series) => {
        const at = placeOf(series.x, x);
        return at < 0 ? "" : numbers.text(series, at);
      });
      fill(row, [numbers.xText(x), ...cells], (place) =>
        place === 0 ? element("th", { scope: "row", class: "number" }) : element("td", { class: "number" }));
    });
  }
}

function fill(row: HTMLTableRowElement, texts: string[], make: (place: number) => HTMLTableCellElement): void {
  while (row.cells.length > texts.length) row.deleteCell(-1);
  while (row.cells.length < texts.length) row.append(make(row.cells.length));
  texts.forEach((text, place) => setText(row.cells[place], text));
}
