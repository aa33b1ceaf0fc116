// Running, stopped or quarantined, in words and by a mark.

import { element, setAttribute, setText } from "../shared/dom";

export function stateMark(): HTMLElement {
  return element("span", { class: "mark" });
}

/** `quarantined` is why the campaign cannot be used, if it cannot. */
export function setState(mark: HTMLElement, stopped: boolean, quarantined?: string): void {
  setText(mark, quarantined !== undefined ? "▲ quarantined" : stopped ? "■ stopped" : "● running");
  setAttribute(mark, "class", quarantined !== undefined ? "mark warning" : stopped ? "mark" : "mark good");
  setAttribute(mark, "title", quarantined ?? "");
}
