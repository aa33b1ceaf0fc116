// Links to JSON of the service. A link cannot send a token, so with a token the page fetches the JSON and saves
// it, and shows a problem beside the link.

import { element, setText } from "../shared/dom";
import { Api, kOpenApi } from "./api";
import { problemOf } from "./problem";

/// Returns what went wrong; "" if nothing did.
async function save(api: Api, path: string, file: string): Promise<string> {
  const answer = await api.get<unknown>(path);
  if (answer.kind !== "ok") return `Not saved: ${problemOf(answer) ?? "there is nothing new"}.`;
  const address = URL.createObjectURL(new Blob([JSON.stringify(answer.body, null, 1)], { type: "application/json" }));
  element("a", { href: address, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  return "";
}

export function jsonLink(api: Api, path: string, file: string, text: string): HTMLElement {
  const problem = element("span", { class: "problem", role: "alert" });
  const clicked = async (event: Event) => {
    if (api.token.value === null) return;
    event.preventDefault();
    setText(problem, "");
    setText(problem, await save(api, path, file));
  };
  return element("span", {}, element("a", { href: path, onclick: clicked }, text), " ", problem);
}

export function apiLink(api: Api): HTMLElement {
  return jsonLink(api, kOpenApi, "openapi.json", "API (OpenAPI)");
}
