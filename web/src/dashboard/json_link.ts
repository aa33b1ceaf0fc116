// Links to what the service says as JSON. A link cannot bring a token: with one, it is fetched and saved.

import { element } from "../shared/dom";
import { Api, kOpenApi } from "./api";

async function save(api: Api, path: string, file: string): Promise<void> {
  const answer = await api.get<unknown>(path);
  if (answer.kind !== "ok") return;
  const address = URL.createObjectURL(new Blob([JSON.stringify(answer.body, null, 1)], { type: "application/json" }));
  element("a", { href: address, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

export function jsonLink(api: Api, path: string, file: string, text: string): HTMLAnchorElement {
  return element("a", { href: path, onclick: (event: Event) => {
    if (api.token.value === null) return;
    event.preventDefault();
    void save(api, path, file);
  } }, text);
}

export function apiLink(api: Api): HTMLAnchorElement {
  return jsonLink(api, kOpenApi, "openapi.json", "API (OpenAPI)");
}
