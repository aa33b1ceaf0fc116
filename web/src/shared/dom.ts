// Elements of the page. Nothing here takes HTML: text from data goes in as text, whatever it
// contains. No style attributes either, which the pages' content security policy refuses.

export type Child = Node | string | null | undefined;
export type Attribute = string | number | boolean | null | undefined | ((event: any) => void);

function apply(node: Element, attributes: Record<string, Attribute>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") throw new Error("style attributes are refused by the page's policy");
    if (typeof value === "function") {
      node.addEventListener(name.replace(/^on/, ""), value);
    } else if (name.startsWith("on")) {
      throw new Error(`${name} takes a function`);
    } else {
      setAttribute(node, name, value);
    }
  }
}

/// An element with attributes and children. `onclick` and the like take functions; true gives an empty
/// attribute; false, null and undefined give none. Children are nodes, or text; null is left out.
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, Attribute> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  apply(node, attributes);
  for (const child of children) if (child != null) node.append(child);
  return node;
}

/// The same for drawings.
export function svgElement<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Record<string, Attribute> = {}, ...children: Node[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(node, attributes);
  node.append(...children);
  return node;
}

/// Sets an attribute, or removes it if the value is false, null or undefined. Does nothing if nothing changes.
export function setAttribute(node: Element, name: string, value: string | number | boolean | null | undefined): void {
  if (value === false || value == null) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/// Sets the text of a node without other children. Does nothing if it is the same, so that selections and screen
/// readers are not disturbed.
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function show(node: HTMLElement, shown: boolean): void {
  if (node.hidden === shown) node.hidden = !shown;
}

let identifiers = 0;

/// An id that no other element of the page has.
export function freshId(prefix: string): string {
  identifiers += 1;
  return `${prefix}-${identifiers}`;
}

/// Puts `wanted` into `parent` as its only children in this order. Nodes that are there already and in
/// order are not moved, and a focused one keeps its focus.
export function arrange(parent: Element, wanted: Node[]): void {
  const focused = document.activeElement;
  const keep = new Set(wanted);
  for (const child of Array.from(parent.childNodes)) if (!keep.has(child)) child.remove();
  let place = parent.firstChild;
  for (const node of wanted) {
    if (node === place) {
      place = place.nextSibling;
    } else {
      parent.insertBefore(node, place);
    }
  }
  if (focused instanceof HTMLElement && focused !== document.activeElement && parent.contains(focused)) {
    focused.focus({ preventScroll: true });
  }
}

/// A container that scrolls sideways if its content is wider. It can then be focused, so that the arrow keys
/// scroll it. `name` is the id of the element that names it.
export function scrollContainer(name: string, content: HTMLElement): HTMLElement {
  const container = element("div", { class: "scroll" }, content);
  const watch = new ResizeObserver(() => {
    const scrolls = container.scrollWidth > container.clientWidth || container.scrollHeight > container.clientHeight;
    setAttribute(container, "tabindex", scrolls ? 0 : null);
    setAttribute(container, "role", scrolls ? "region" : null);
    setAttribute(container, "aria-labelledby", scrolls ? name : null);
  });
  watch.observe(container);
  watch.observe(content);
  return container;
}
