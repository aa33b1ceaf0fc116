// A table in a container of its own that scrolls, with headers that sort. New rows replace old ones in place:
// unchanged cells are not touched, and focus stays. Roles are explicit, because browsers forget that it is a table
// when its rows are shown as blocks.

import { arrange, element, freshId, scrollContainer, setAttribute, setText, show } from "./dom";
import { Pager } from "./pager";

export interface Column<Row> {
  name: string;
  text?: (row: Row) => string;                              // what the cell says
  draw?: (cell: HTMLTableCellElement, row: Row) => void;    // or draws, also over what it drew before
  sort?: (row: Row) => number | string | null | undefined;  // present: the header is a button; nothing known sorts last
  number?: boolean;                                         // to the right
  heading?: boolean;                                        // names the row
  note?: string;                                            // below the name in the header
}

export interface TableOptions<Row> {
  caption: string;
  hideCaption?: boolean;                              // if a heading says the same; it stays for screen readers
  columns: Column<Row>[];
  key: (row: Row) => string | number;                 // the same row at the next set
  empty: string;                                      // what to say without rows
  sorted?: { column: number; descending: boolean };   // at first; without, the order of set
  page?: { size: number; what: string };              // that many at a time, with buttons to the next
  mark?: (row: Row) => string;                        // a class of the row
  stack?: boolean;                                    // on a narrow page: rows as blocks, each cell with its column's name
}

type Value = number | string | null | undefined;

/// Nothing known comes last in both directions.
function compare(a: Value, b: Value, descending: boolean): number {
  const unknown = (value: Value) => value == null || Number.isNaN(value);
  if (unknown(a) || unknown(b)) return Number(unknown(a)) - Number(unknown(b));
  const order = typeof a === "string" || typeof b === "string"
    ? String(a).localeCompare(String(b), "en", { numeric: true }) : a! - b!;
  return descending ? -order : order;
}

export class Table<Row> {
  readonly root: HTMLElement;
  private readonly head_: HTMLTableCellElement[] = [];
  private readonly body_ = element("tbody", { role: "rowgroup" });
  private readonly empty_: HTMLElement;
  private readonly scroll_: HTMLElement;
  private readonly rows_ = new Map<string | number, HTMLTableRowElement>();
  private readonly notes_: (HTMLElement | null)[] = [];
  private readonly pager_: Pager | null;
  private data_: Row[] = [];
  private from_ = 0;
  private sorted_: { column: number; descending: boolean } | undefined;

  constructor(parent: HTMLElement, private readonly options_: TableOptions<Row>) {
    this.sorted_ = options_.sorted;
    const id = freshId("table");
    const caption = element("caption", { id, class: options_.hideCaption ? "hidden-text" : null }, options_.caption);
    const line = element("tr", { role: "row" });
    options_.columns.forEach((column, place) => line.append(this.header(column, place)));
    const table = element("table", { role: "table", class: options_.stack ? "stack" : null }, caption,
      element("thead", { role: "rowgroup" }, line), this.body_);
    this.scroll_ = scrollContainer(id, table);
    this.empty_ = element("p", { class: "empty" }, options_.empty);
    const page = options_.page;
    this.pager_ = page ? new Pager(page.size, page.what, (from) => this.turn(from)) : null;
    this.root = element("div", { class: "table" }, this.scroll_, this.pager_?.root, this.empty_);
    parent.append(this.root);
    this.show();
  }

  /// New rows in place of all.
  set(rows: Row[]): void {
    this.data_ = rows;
    this.show();
  }

  /// What to say without rows.
  setEmpty(text: string): void {
    setText(this.empty_, text);
  }

  /// Below the name in the header of a column that had a note.
  setNote(column: number, text: string): void {
    const note = this.notes_[column];
    if (note) setText(note, text);
  }

  /// The rows sorted by the chosen column, or in their original order if there is none.
  private order(rows: Row[]): Row[] {
    const sorted = this.sorted_;
    const value = sorted && this.options_.columns[sorted.column].sort;
    if (!sorted || !value) return rows;
    return rows.map((row, place) => ({ row, place, value: value(row) }))
      .sort((a, b) => compare(a.value, b.value, sorted.descending) || a.place - b.place)
      .map((entry) => entry.row);
  }

  private header(column: Column<Row>, place: number): HTMLTableCellElement {
    const note = column.note === undefined ? null : element("span", { class: "note" }, column.note);
    this.notes_.push(note);
    const content = column.sort
      ? element("button", { type: "button", class: "sort", onclick: () => this.sortBy(place) }, column.name)
      : column.name;
    const cell = element("th", { scope: "col", role: "columnheader", class: column.number ? "number" : null }, content, note);
    this.head_.push(cell);
    return cell;
  }

  private sortBy(place: number): void {
    const now = this.sorted_;
    const numbers = this.options_.columns[place].number === true;
    this.sorted_ = { column: place, descending: now?.column === place ? !now.descending : numbers };
    this.turn(0);
  }

  private turn(from: number): void {
    this.from_ = from;
    this.show();
  }

  /// Those of the page that is shown.
  private page(): Row[] {
    const rows = this.order(this.data_);
    const size = this.options_.page?.size;
    if (size === undefined) return rows;
    if (this.from_ >= rows.length) this.from_ = 0;
    this.pager_!.set(this.from_, rows.length);
    return rows.slice(this.from_, this.from_ + size);
  }

  private show(): void {
    this.head_.forEach((cell, place) => {
      const sorted = this.sorted_?.column === place;
      setAttribute(cell, "aria-sort", sorted ? (this.sorted_!.descending ? "descending" : "ascending") : null);
    });
    const seen = new Set<string | number>();
    const lines = this.page().map((row) => {
      const key = this.options_.key(row);
      seen.add(key);
      return this.line(key, row);
    });
    for (const key of this.rows_.keys()) if (!seen.has(key)) this.rows_.delete(key);
    arrange(this.body_, lines);
    show(this.empty_, lines.length === 0);
    show(this.scroll_, lines.length > 0);
  }

  private line(key: string | number, row: Row): HTMLTableRowElement {
    let line = this.rows_.get(key);
    if (!line) {
      line = element("tr", { role: "row" });
      for (const column of this.options_.columns) {
        const type = column.number ? "number" : null;
        line.append(column.heading ? element("th", { scope: "row", role: "rowheader", class: type })
          : element("td", { role: "cell", class: type, "data-column": column.name }));
      }
      this.rows_.set(key, line);
    }
    if (this.options_.mark) setAttribute(line, "class", this.options_.mark(row) || null);
    this.options_.columns.forEach((column, place) => {
      const cell = line!.cells[place];
      if (column.draw) column.draw(cell, row);
      else setText(cell, column.text ? column.text(row) : "");
    });
    return line;
  }
}
