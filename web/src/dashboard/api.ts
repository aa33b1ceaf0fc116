// Requests to the service. Addresses are relative to the page's, so that it also works behind a prefix.

import type { Token } from "./token";

export type Answer<T> =
  | { kind: "ok"; body: T; tag: string | null }
  | { kind: "unchanged" }                      // the tag that was sent is still good
  | { kind: "token"; sent: string | null }     // 401, with the token that was sent
  | { kind: "missing"; message: string }       // 404
  | { kind: "starting" }                       // 503, until all campaigns are rebuilt
  | { kind: "unable"; message: string }        // 503 for any other reason
  | { kind: "refused"; message: string }       // any other answer
  | { kind: "unreachable" };

/// How long an answer may take.
const kPatienceMs = 20000;

export const kCampaigns = "v1/campaigns";
export const kOpenApi = "v1/openapi.json";

export function campaignPath(name: string): string {
  return `${kCampaigns}/${encodeURIComponent(name)}`;
}

/// The whole address, for a command line.
export function fullAddress(path: string): string {
  return new URL(path, document.baseURI.replace(/[?#].*$/, "")).href;
}

/// What a command line also needs if the service has tokens.
export function curlHeader(token: Token): string {
  return token.value === null ? "" : ' -H "Authorization: Bearer $TOKEN"';
}

async function message(response: Response): Promise<string> {
  const fallback = `status ${response.status} ${response.statusText}`.trim();
  try {
    const body = await response.json();
    const said = body?.error?.message;
    return typeof said === "string" ? said : fallback;
  } catch {
    return fallback;
  }
}

function unavailable(message: string): Answer<never> {
  return message.startsWith("starting") ? { kind: "starting" } : { kind: "unable", message };
}

async function read<T>(response: Response, sent: string | null): Promise<Answer<T>> {
  switch (response.status) {
    case 304: return { kind: "unchanged" };
    case 401: return { kind: "token", sent };
    case 404: return { kind: "missing", message: await message(response) };
    case 503: return unavailable(await message(response));
  }
  if (!response.ok) return { kind: "refused", message: await message(response) };
  return { kind: "ok", body: await response.json() as T, tag: response.headers.get("ETag") };
}

export class Api {
  constructor(readonly token: Token) {}

  /// Never throws: a failure is an answer, too. `tag` is the tag of the answer that the page already has.
  async get<T>(path: string, tag: string | null = null): Promise<Answer<T>> {
    const sent = this.token.value;
    const headers: Record<string, string> = { Accept: "application/json" };
    if (sent !== null) headers.Authorization = `Bearer ${sent}`;
    if (tag !== null) headers["If-None-Match"] = tag;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), kPatienceMs);
    try {
      return await read<T>(await fetch(path, { headers, cache: "no-store", credentials: "same-origin", redirect: "error", signal: patience.signal }), sent);
    } catch {
      return { kind: "unreachable" };
    } finally {
      clearTimeout(timer);
    }
  }
}
