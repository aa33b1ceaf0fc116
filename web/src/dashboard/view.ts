// What the frame shows: the list of campaigns, or one campaign.

import type { Api, Answer } from "./api";
import type { Outcome } from "./poll";

/// What the views may ask of the frame around them.
export interface Frame {
  api: Api;
  /// Handles the answers that are the same for all views: not reachable, starting, unable, refused, no token. "well"
  /// means that the answer is for the view: ok, unchanged, or missing. Once the view shows it, the banner goes.
  outcome(answer: Answer<unknown>): Outcome;
}

export interface View {
  root: HTMLElement;
  title: string;
  everyMs: number;
  /// Asks the service once and shows the answer.
  ask(): Promise<Outcome>;
  /// Stops everything that the view has started. It is not shown again.
  end(): void;
}
