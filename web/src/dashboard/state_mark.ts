// Running or stopped, in words and by a mark.

import { element, setAttribute, setText } from "../shared/dom";

export function stateMark(): HTMLElement {
  return element("span", { class: "mark" });
}

export function setState(mark: HTMLElement, stopped: boolean): void {
  setText(mark, stopped ? "■ stopped" : "● running");
  setAttribute(mark, "class", stopped ? "mark" : "mark good");
}
