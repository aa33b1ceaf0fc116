// One of a few, as radio buttons.

import { element, freshId } from "../shared/dom";

/// `choose` is called with the place of the option, also for the first.
export function choice(name: string, options: string[], choose: (place: number) => void): HTMLElement {
  const group = freshId("choice");
  const labels = options.map((option, place) => element("label", {},
    element("input", { type: "radio", name: group, checked: place === 0, onchange: () => choose(place) }), option));
  choose(0);
  return element("fieldset", { class: "choice" }, element("legend", {}, name), ...labels);
}
