// The message for an answer that has nothing to show.

import type { Answer } from "./api";

/// Without a full stop, so that more can follow; null if there is something to show.
export function problemOf(answer: Answer<unknown>): string | null {
  switch (answer.kind) {
    case "ok":
    case "unchanged": return null;
    case "unreachable": return "The service does not answer";
    case "starting": return "The service is starting";
    case "unable": return `The service cannot answer now (${answer.message})`;
    case "refused": return `The service refused the request (${answer.message})`;
    case "missing": return `The service does not have this (${answer.message})`;
    case "token": return answer.sent === null ? "The service requires a token" : "The service does not accept this token";
  }
}
