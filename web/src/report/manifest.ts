// The manifest.json of the results folder, as a table and as JSON.

import { element, freshId, scrollContainer } from "../shared/dom";
import { kNone } from "../shared/numbers";

interface Entry {
  name: string;
  value: string;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function plainText(value: unknown): string {
  if (value === null || value === "") return kNone;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
}

/// A policy in one line: "UCB: ucb, alpha = 1, 2, 3".
function objectText(value: Record<string, unknown>): string {
  const { label, spec, parameter, values } = value;
  if (typeof label !== "string" || typeof spec !== "string") return JSON.stringify(value);
  const grid = Array.isArray(values) ? `, ${plainText(parameter)} = ${values.join(", ")}` : "";
  return label === spec ? `${spec}${grid}` : `${label}: ${spec}${grid}`;
}

/// One entry for each plain value, named by its path.
function entries(value: unknown, name: string): Entry[] {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, part]) =>
      entries(part, [name, key.replace(/_/g, " ")].filter((word) => word !== "" && word !== "experiment").join(": ")));
  }
  if (!Array.isArray(value)) return [{ name, value: plainText(value) }];
  const parts = value.map((part) => (isObject(part) ? objectText(part) : plainText(part)));
  return [{ name, value: parts.length === 0 ? kNone : parts.join(value.some(isObject) ? "\n" : ", ") }];
}

export function manifestSection(manifest: unknown): HTMLElement {
  const id = freshId("manifest");
  const rows = entries(manifest, "").map((entry) => element("tr", {},
    element("th", { scope: "row" }, entry.name || "value"), element("td", { class: "manifest-value" }, entry.value)));
  const table = element("table", { class: "manifest" },
    element("caption", { id, class: "hidden-text" }, "The manifest of the results"), element("tbody", {}, ...rows));
  const rawId = freshId("manifest");
  const raw = element("pre", { id: rawId }, JSON.stringify(manifest, null, 2));
  return element("div", {}, scrollContainer(id, table),
    element("details", {}, element("summary", {}, "as JSON"), scrollContainer(rawId, raw)));
}
