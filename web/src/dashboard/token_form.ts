// Asks for the token if the service requires one.

import { element, freshId, setText } from "../shared/dom";

export class TokenForm {
  readonly root: HTMLElement;
  private readonly input_: HTMLInputElement;
  private readonly problem_ = element("p", { class: "problem", role: "alert" });

  constructor(given: (token: string) => void) {
    const id = freshId("token");
    this.input_ = element("input", { id, type: "password", autocomplete: "off", spellcheck: "false", autocapitalize: "none", required: true });
    const submit = (event: Event) => {
      event.preventDefault();
      const token = this.input_.value.trim();
      if (/^[\x21-\x7e]+$/.test(token)) {
        this.input_.value = "";
        given(token);
      } else {
        this.say("A token consists of visible ASCII characters, without spaces.");
      }
    };
    this.root = element("section", { class: "card" }, element("h1", { tabindex: -1 }, "This service requires a token"),
      element("form", { class: "token-form", onsubmit: submit },
        element("label", { for: id, class: "field" }, element("span", {}, "Token"), this.input_),
        element("button", { type: "submit", class: "main" }, "Continue")),
      this.problem_,
      element("p", { class: "muted" }, "Enter a line of the token file that the service was started with (--token-file). " +
        "The page keeps it until this tab is closed and sends it only to this service."));
  }

  say(problem: string): void {
    setText(this.problem_, problem);
  }

  focus(): void {
    this.input_.focus();
  }
}
