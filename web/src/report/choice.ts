// A choice of one option among a few, as radio buttons.

import { element, freshId } from "../shared/dom";

/// `choose` is called with the position of the chosen option; the first is position 0.
export function choice(name: string, options: string[], choose: (place: number) => void): HTMLElement {
  const group = freshId("choice");
  const labels = options.map((option, place) => element("label", {},
    element("input", { type: "radio", name: group, checked: place === 0, onchange: () => choose(place) }), option));
  choose(0);
  return element("fieldset", { class: "choice" }, element("legend", {}, name), ...labels);
}
