// One campaign: its sections, filled from its report and its history. Sections are made at the first report and
// then changed in place. They are made anew only if another campaign has taken the name.

import { element, setText, show } from "../shared/dom";
import { ActionTable } from "./action_table";
import { ServiceClock } from "./age";
import { campaignPath, Answer } from "./api";
import type { History, Report } from "./api_types";
import { bestAction } from "./best_action";
import { ContextTables } from "./context_tables";
import { Evidence } from "./evidence";
import { Feedback } from "./feedback";
import { FirstSteps } from "./first_steps";
import { Heading } from "./heading";
import { jsonLink } from "./json_link";
import { KnowledgeSummary } from "./knowledge_summary";
import type { Outcome } from "./poll";
import { sameCampaign } from "./same_campaign";
import { TimeCharts } from "./time_charts";
import { TreatmentTable } from "./treatment_table";
import { Variables } from "./variables";
import type { Frame, View } from "./view";
import { Warnings } from "./warnings";

const kEveryMs = 1000;

/// A history is asked for at most this part of the time.
const kHistoryShare = 0.1;

interface Sections {
  heading: Heading;
  warnings: Warnings;
  steps: FirstSteps;
  table: ActionTable | TreatmentTable | ContextTables;
  evidence: Evidence;
  charts: TimeCharts;
  feedback: Feedback;
  knowledge: KnowledgeSummary;
  variables: Variables | null;
}

export class CampaignPage implements View {
  readonly root: HTMLElement;
  readonly everyMs = kEveryMs;
  private readonly message_: HTMLElement;
  private readonly messageTitle_: HTMLElement;
  private readonly messageText_: HTMLElement;
  private readonly content_ = element("div");
  private readonly clock_ = new ServiceClock();
  private sections_: Sections | null = null;
  private report_: Report | null = null;
  private tag_: string | null = null;
  private history_: History | null = null;
  private historyKnown_ = false;
  private historyFrom_ = 0;
  private ended_ = false;

  constructor(private readonly frame_: Frame, readonly title: string) {
    this.messageTitle_ = element("h1", { tabindex: -1 }, title);
    this.messageText_ = element("p", {}, "Loading …");
    this.message_ = element("section", { class: "card" }, this.messageTitle_, this.messageText_, element("p", {}, element("a", { href: "#/" }, "All campaigns")));
    this.root = element("div", { class: "view" }, this.message_, this.content_);
  }

  async ask(): Promise<Outcome> {
    const answer = await this.frame_.api.get<Report>(`${campaignPath(this.title)}/report?sets=count`, this.tag_);
    if (this.ended_) return "ended";
    const outcome = this.frame_.outcome(answer);
    if (outcome === "failed") this.historyKnown_ = false;  // it may come back with another store
    if (answer.kind === "ok") {
      if (!this.sections_) await this.firstHistory();
      if (this.ended_) return "ended";
      this.show(answer.body, answer.tag);
    }
    if (answer.kind === "missing") this.missing(answer);
    else if (outcome === "well") await this.goOn(this.report_!, this.sections_!);
    return outcome;
  }

  end(): void {
    this.ended_ = true;
    this.dropSections();
  }

  private show(report: Report, tag: string | null): void {
    this.tag_ = null;  // until all of it is shown; otherwise a fault on the way would not be tried again
    if (this.report_ && !sameCampaign(this.report_, report)) this.forget();
    this.report_ = report;
    this.clock_.set(report.now_ms);
    show(this.message_, false);
    show(this.content_, true);
    const sections = this.sections_ ??= this.make(report);
    sections.heading.set(report);
    sections.warnings.set(report);
    sections.steps.set(report);
    sections.table.set(report);
    sections.evidence.set(report);
    sections.charts.set(report, this.history_);
    sections.feedback.set(report);
    sections.knowledge.set(report);
    sections.variables?.outdate();
    this.tag_ = tag;
  }

  /// What changes without a new report.
  private async goOn(report: Report, sections: Sections): Promise<void> {
    sections.heading.tick(report, this.clock_);
    sections.feedback.tick(report, this.clock_);
    sections.variables?.refresh();
    await this.askHistory(report, sections);
  }

  /// Forgets what is known about the campaign that had this name before.
  private forget(): void {
    this.dropSections();
    this.history_ = null;
    this.historyKnown_ = false;
    this.historyFrom_ = 0;
  }

  private dropSections(): void {
    this.sections_?.charts.destroy();
    this.sections_?.variables?.destroy();
    this.sections_ = null;
  }

  /// Replaces the sections that are on the page.
  private make(report: Report): Sections {
    const { api } = this.frame_;
    const focused = document.activeElement === this.messageTitle_ || this.content_.contains(document.activeElement);
    const variables = report.actions ? new Variables(api, report.name, report.actions, bestAction(report.actions) ?? 0) : null;
    const sections = {
      heading: new Heading(report.name, report.treated !== undefined),
      warnings: new Warnings((action) => variables?.look(action, "surprising")),
      steps: new FirstSteps(api.token),
      table: report.actions ? new ActionTable(report, (action) => variables?.look(action, "affected"))
        : report.taken ? new ContextTables(report) : new TreatmentTable(report),
      evidence: new Evidence(),
      charts: new TimeCharts(report),
      feedback: new Feedback(),
      knowledge: new KnowledgeSummary(),
      variables,
    };
    const path = `${campaignPath(report.name)}/report`;
    this.content_.replaceChildren(sections.heading.root, sections.warnings.root, sections.steps.root, sections.table.root,
      sections.evidence.root, sections.charts.root,
      element("div", { class: "pair cards" }, sections.feedback.root, sections.knowledge.root));
    if (variables) this.content_.append(variables.root);
    this.content_.append(element("p", { class: "links" }, jsonLink(api, path, `${report.name}.json`, "This report as JSON")));
    if (focused) this.content_.querySelector("h1")!.focus({ preventScroll: true });
    return sections;
  }

  private missing(answer: Answer<unknown> & { kind: "missing" }): void {
    this.tag_ = null;
    this.historyKnown_ = false;
    setText(this.messageTitle_, `There is no campaign “${this.title}”`);
    setText(this.messageText_, answer.message);
    show(this.message_, true);
    show(this.content_, false);
  }

  /// Asks before anything is drawn, so that lines do not jump.
  private async firstHistory(): Promise<void> {
    const answer = await this.frame_.api.get<History>(`${campaignPath(this.title)}/history`);
    if (answer.kind !== "ok") return;
    this.history_ = answer.body;
    this.historyKnown_ = true;
  }

  /// Asks for the history if the report says that there is a new one.
  private async askHistory(report: Report, sections: Sections): Promise<void> {
    const began = performance.now();
    if ((this.historyKnown_ && this.history_?.version === report.history_version) || began < this.historyFrom_) return;
    const answer = await this.frame_.api.get<History>(`${campaignPath(this.title)}/history`);
    if (this.ended_ || answer.kind !== "ok") return;
    sections.charts.set(report, answer.body);
    this.history_ = answer.body;
    this.historyKnown_ = true;
    this.historyFrom_ = performance.now() + (performance.now() - began) / kHistoryShare;
  }
}
