// What the frame shows: the list, or one campaign.

import type { Api, Answer } from "./api";
import type { Outcome } from "./poll";

/// What the views may ask of the frame around them.
export interface Frame {
  api: Api;
  /// Handles what any answer may be: not reachable, starting, unable, refused, no token. "well" means that the
  /// answer is for the view: ok, unchanged, or missing. What is said of failures goes once it is shown.
  outcome(answer: Answer<unknown>): Outcome;
}

export interface View {
  root: HTMLElement;
  title: string;
  everyMs: number;
  /// Asks the service once and shows the answer.
  ask(): Promise<Outcome>;
  /// Ends what it started; it is not shown again.
  end(): void;
}
