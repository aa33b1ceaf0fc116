// The dashboard: a frame with the product's name and links, and in it a view by the address' fragment:
// `#/` is the list of campaigns, `#/NAME` one of them.

import { element, show } from "../shared/dom";
import { Answer, Api } from "./api";
import { Banner } from "./banner";
import { CampaignList } from "./campaign_list";
import { CampaignPage } from "./campaign_page";
import { apiLink } from "./json_link";
import { Outcome, Poll } from "./poll";
import { problemOf } from "./problem";
import { Token } from "./token";
import { TokenForm } from "./token_form";
import type { Frame, View } from "./view";

/// The campaign that the fragment names, or null for the list.
function campaignOf(fragment: string): string | null {
  if (!fragment.startsWith("#/") || fragment.length === 2) return null;
  try {
    return decodeURIComponent(fragment.slice(2));
  } catch {
    return fragment.slice(2);
  }
}

class Dashboard implements Frame {
  readonly api: Api;
  private readonly main_ = element("main", { id: "content", tabindex: -1 });
  private readonly forget_: HTMLButtonElement;
  private readonly banner_ = new Banner(() => this.poll_?.now());
  private readonly form_: TokenForm;
  private view_: View | null = null;
  private poll_: Poll | null = null;

  constructor() {
    const token: Token = new Token(() => show(this.forget_, token.value !== null));
    this.api = new Api(token);
    this.forget_ = element("button", { type: "button", class: "quiet", hidden: token.value === null, onclick: () => this.forget() }, "Forget the token");
    this.form_ = new TokenForm((given) => {
      token.set(given);
      this.poll_?.now();
    });
    const skip = element("a", { class: "skip", href: "#content", onclick: (event: Event) => {
      event.preventDefault();
      this.main_.focus();
    } }, "Skip to the content");
    document.body.replaceChildren(skip,
      element("header", { class: "top" }, element("div", { class: "top-content" },
        element("a", { class: "product", href: "#/" }, "Updraft"),
        element("nav", { "aria-label": "Service" }, element("a", { href: "#/" }, "Campaigns"), apiLink(this.api), this.forget_))),
      this.banner_.root, this.main_);
    window.addEventListener("hashchange", () => this.go(true));
    this.go(false);
  }

  outcome(answer: Answer<unknown>): Outcome {
    switch (answer.kind) {
      case "unreachable":
      case "starting":
      case "unable":
      case "refused": return this.failed(problemOf(answer)!);
      case "token": return this.askForToken(answer.sent);
    }
    if (this.form_.root.isConnected) this.enter(true);
    return "well";
  }

  /// Shows what the address names. `moved`: by a link, so that the focus moves, too.
  private go(moved: boolean): void {
    this.poll_?.stop();
    this.view_?.end();
    const name = campaignOf(window.location.hash);
    const view = name === null ? new CampaignList(this) : new CampaignPage(this, name);
    this.view_ = view;
    this.enter(moved);
    window.scrollTo(0, 0);
    this.poll_ = new Poll(view.everyMs, {
      ask: () => this.ask(view),
      broke: () => this.broke(),
      rests: (ms) => this.banner_.rests(ms),
    });
    this.poll_.start();
  }

  private enter(focus: boolean): void {
    document.title = `${this.view_!.title} – Updraft`;
    this.main_.replaceChildren(this.view_!.root);
    if (focus) this.view_!.root.querySelector("h1")?.focus({ preventScroll: true });
  }

  /// Clears the banner only once the view has shown the answer.
  private async ask(view: View): Promise<Outcome> {
    const outcome = await view.ask();
    if (outcome === "well" && view === this.view_) this.well();
    return outcome;
  }

  private well(): void {
    this.banner_.well();
    this.main_.classList.remove("stale");
  }

  private broke(): void {
    this.banner_.broke();
    this.main_.classList.add("stale");
  }

  private failed(what: string): Outcome {
    this.banner_.failed(what);
    this.main_.classList.add("stale");
    return "failed";
  }

  private askForToken(sent: string | null): Outcome {
    this.well();
    if (sent !== null && sent === this.api.token.value) {
      this.api.token.forget();
      this.form_.say("The service does not accept this token.");
    }
    if (!this.form_.root.isConnected) this.main_.replaceChildren(this.form_.root);
    this.form_.focus();
    return "ended";
  }

  /// Forgets the token and everything that the page knows through it.
  private forget(): void {
    this.api.token.forget();
    this.form_.say("");
    this.go(false);
  }
}

new Dashboard();
