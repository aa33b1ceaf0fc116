// The variables of one action: which it affects, and by how much. The service sends 50 at a time, so that any
// number of variables is fine.

import { element, freshId, setText } from "../shared/dom";
import { countText, intervalText, kNone, numberText, percent } from "../shared/numbers";
import { Pager } from "../shared/pager";
import { Column, Table } from "../shared/table";
import { Api, campaignPath } from "./api";
import type { ActionRow, Show, VariablePage, VariableRow } from "./api_types";
import { commonSpan, drawForest, Interval, Span, spanText } from "./forest";
import { problemOf } from "./problem";
import { actionName } from "./words";

const kPage = 50;
const kTypingMs = 300;
const kMostOptions = 2000;
const kAsking = "Loading …";
const kFault = "This page has a fault and cannot show the answer";

const kShows: [Show, string][] = [["affected", "affected"], ["padding", "counted as padding"], ["surprising", "surprising"], ["all", "all"]];

const kNothing: Record<Show, string> = {
  affected: "No variable is known to be affected by this action.",
  padding: "No variable is counted as padding.",
  surprising: "For no variable outside the declared set does the interval exclude 0.",
  all: "There are no variables.",
};

const kWords = { declared: "declared", identified: "identified", padding: "padding" };

function variableName(row: VariableRow): string {
  return row.name ?? `variable ${row.variable}`;
}

/// The uplift or, if there is no uplift, the difference, with its interval.
function estimateOf(row: VariableRow): Interval {
  return { estimate: row.uplift ?? row.difference, low: row.low, high: row.high };
}

/// Whether the variable is in the action's set, and how likely it is if the policy says so.
function membershipText(row: VariableRow): string {
  const word = row.affected ? kWords[row.affected] : "no";
  const likely = row.inclusion === null ? "" : ` (${percent(row.inclusion)} likely)`;
  return `${word}${likely}${row.surprising ? ", ⚠ surprising" : ""}`;
}

/// The estimate if it is of that kind.
function textOf(row: VariableRow, kind: "uplift" | "difference"): string {
  return row[kind] === null ? kNone : intervalText(row[kind], row.low, row.high);
}

/// What the choice of columns depends on.
function columnsKey(page: VariablePage | null): string {
  return `${page?.against !== undefined} ${page?.difference_to ?? ""}`;
}

export class Variables {
  readonly root: HTMLElement;
  private readonly heading_: HTMLElement;
  private readonly choose_: HTMLSelectElement | HTMLInputElement;
  private readonly radios_ = new Map<Show, HTMLInputElement>();
  private readonly search_: HTMLInputElement;
  private readonly note_ = element("p", { class: "muted" });
  private readonly problem_ = element("p", { class: "problem", role: "alert" });
  private readonly tablePlace_ = element("div");
  private table_: Table<VariableRow>;
  private columns_: string;
  private intervalColumn_ = 0;
  private readonly pager_ = new Pager(kPage, "variables", (from) => this.turn(from));
  private readonly watch_: IntersectionObserver;
  private typing_: ReturnType<typeof setTimeout> | undefined;
  private show_: Show = "affected";
  private from_ = 0;
  private shown_ = "";  // the question whose answer is on the page
  private asked_ = 0;
  private busy_ = false;
  private seen_ = false;
  private outdated_ = true;
  private span_: Span | null = null;

  constructor(private readonly api_: Api, private readonly campaign_: string, actions: ActionRow[], private action_: number) {
    const id = freshId("variables");
    this.heading_ = element("h2", { id, tabindex: -1 }, "Variables of an action");
    this.choose_ = actions.length <= kMostOptions ? this.list(actions) : this.number(actions.length);
    this.search_ = element("input", { type: "search", maxlength: 50, autocomplete: "off", spellcheck: "false", oninput: () => this.type() });
    this.root = element("section", { class: "card", "aria-labelledby": id }, this.heading_,
      element("div", { class: "controls" },
        element("label", { class: "field" }, element("span", {}, "Action"), this.choose_),
        element("label", { class: "field" }, element("span", {}, "Search by name or number"), this.search_), this.showSwitch()),
      this.note_, this.problem_, this.tablePlace_, this.pager_.root);
    this.columns_ = columnsKey(null);
    this.table_ = this.makeTable(null);
    this.watch_ = new IntersectionObserver((entries) => {
      this.seen_ = entries[entries.length - 1].isIntersecting;
      this.refresh();
    });
    this.watch_.observe(this.root);
  }

  /// The service has newer data than the page shows.
  outdate(): void {
    this.outdated_ = true;
    this.refresh();
  }

  /// Asks again if the page is outdated or the last request failed, but only while the section is visible, and with
  /// one request at a time.
  refresh(): void {
    if (this.seen_ && this.outdated_ && !this.busy_) void this.ask();
  }

  /// Shows another action at once, and scrolls to it.
  look(action: number, which: Show): void {
    this.choose_.value = String(action);
    this.action_ = action;
    this.show_ = which;
    this.radios_.get(which)!.checked = true;
    this.search_.value = "";
    this.turn(0);
    this.root.scrollIntoView({ block: "start" });
    this.heading_.focus({ preventScroll: true });
  }

  destroy(): void {
    clearTimeout(this.typing_);
    this.watch_.disconnect();
    this.asked_ += 1;
  }

  private list(actions: ActionRow[]): HTMLSelectElement {
    const select: HTMLSelectElement = element("select", { onchange: () => this.choose(Number(select.value)) },
      ...actions.map((row) => element("option", { value: row.action }, actionName(row))));
    select.value = String(this.action_);
    return select;
  }

  private number(actions: number): HTMLInputElement {
    const input: HTMLInputElement = element("input", { type: "number", min: 0, max: actions - 1, step: 1, value: this.action_, onchange: () => {
      if (input.checkValidity() && input.value !== "") this.choose(Number(input.value));
    } });
    return input;
  }

  private showSwitch(): HTMLElement {
    const name = freshId("show");
    return element("fieldset", { class: "choice" }, element("legend", {}, "Show"), ...kShows.map(([value, label]) => {
      const radio = element("input", { type: "radio", name, value, checked: value === this.show_, onchange: () => {
        this.show_ = value;
        this.turn(0);
      } });
      this.radios_.set(value, radio);
      return element("label", {}, radio, label);
    }));
  }

  private makeTable(page: VariablePage | null): Table<VariableRow> {
    return new Table<VariableRow>(this.tablePlace_, {
      caption: "Variables of the chosen action", hideCaption: true, stack: true, key: (row) => row.variable, empty: kAsking,
      mark: (row) => (row.surprising ? "surprising" : ""), columns: this.columns(page),
    });
  }

  private columns(page: VariablePage | null): Column<VariableRow>[] {
    const to = page?.difference_to;
    const columns: Column<VariableRow>[] = [
      { name: "Variable", heading: true, text: variableName },
      { name: "In the set", text: membershipText },
      { name: "Interval", note: "", draw: (cell, row) => drawForest(cell, estimateOf(row), this.span_) },
      { name: "Mean payoff", number: true, text: (row) => numberText(row.mean) },
    ];
    const estimates: Column<VariableRow>[] = [];
    if (page?.against !== undefined) {
      estimates.push({ name: "Uplift", number: true, text: (row) => textOf(row, "uplift") });
      columns.push({ name: "Baseline", number: true, text: (row) => numberText(row.baseline) });
    }
    if (to) estimates.push({ name: `Difference from ${to}`, number: true, text: (row) => textOf(row, "difference") });
    columns.splice(2, 0, ...estimates);
    this.intervalColumn_ = 2 + estimates.length;
    return columns;
  }

  /// Only the first answer says which kinds of estimates there are, and so which columns.
  private fitColumns(page: VariablePage): void {
    const columns = columnsKey(page);
    if (columns === this.columns_) return;
    this.columns_ = columns;
    this.tablePlace_.replaceChildren();
    this.table_ = this.makeTable(page);
  }

  private choose(action: number): void {
    this.action_ = action;
    this.turn(0);
  }

  private type(): void {
    clearTimeout(this.typing_);
    this.typing_ = setTimeout(() => this.turn(0), kTypingMs);
  }

  private turn(from: number): void {
    this.from_ = from;
    void this.ask();
  }

  private async ask(): Promise<void> {
    const place = ++this.asked_;
    this.busy_ = true;
    this.outdated_ = false;
    const question = this.question();
    const answer = await this.api_.get<VariablePage>(question);
    if (place !== this.asked_) return;  // a newer request is under way
    this.busy_ = false;
    try {
      if (answer.kind === "ok") this.fill(answer.body, question);
      else this.fail(problemOf(answer) ?? "", question);
    } catch (fault) {
      console.error(fault);
      this.fail(kFault, question);
    }
  }

  private question(): string {
    const query = new URLSearchParams({ show: this.show_, search: this.search_.value.trim(), from: String(this.from_), count: String(kPage) });
    return `${campaignPath(this.campaign_)}/actions/${this.action_}/variables?${query}`;
  }

  /// The last answer stays on the page, unless it is the answer to another question.
  private fail(problem: string, question: string): void {
    this.outdated_ = true;
    setText(this.problem_, `${problem}; trying again.`);
    if (question === this.shown_) return;
    this.shown_ = "";
    this.table_.setEmpty(kAsking);
    this.table_.set([]);
    this.pager_.set(0, 0);
    setText(this.note_, "");
  }

  private fill(page: VariablePage, question: string): void {
    if (page.variables.length === 0 && page.total > 0 && this.from_ > 0) {  // the list became shorter
      this.turn(0);
      return;
    }
    if (page.kept) this.fitColumns(page);
    const searched = this.search_.value.trim();
    this.table_.setEmpty(searched !== "" ? `None of these variables contains “${searched}”.` : kNothing[this.show_]);
    this.span_ = commonSpan(page.variables.map(estimateOf), true);
    this.table_.setNote(this.intervalColumn_, this.span_ ? spanText(this.span_) : "");
    this.table_.set(page.variables);
    this.pager_.set(page.from, page.total);
    setText(this.note_, this.noteOf(page));
    setText(this.problem_, "");
    this.shown_ = question;
  }

  private noteOf(page: VariablePage): string {
    const found = `${countText(page.total)} found. `;
    if (!page.kept) return `${found}Nothing is known about single variables: ${page.left_out ?? "sums per variable are not kept"}.`;
    const over = page.against ? `Uplifts are over ${page.against}. ` : "";
    const to = page.difference_to ? `Differences are from ${page.difference_to}${page.against ? ", for variables that every action affects" : ""}. ` : "";
    return `${found}${over}${to}Intervals hold for all variables, actions and times at once (99.9 %). ` +
      "Surprising: outside the declared set, and the interval excludes 0.";
  }
}
