// Whether two reports are about the same campaign. The service may have been restarted with another store, in
// which the name belongs to another campaign.

import type { Report } from "./api_types";

function sameList<T>(one: T[] | undefined, other: T[] | undefined, same: (a: T, b: T) => boolean): boolean {
  if (!one || !other) return one === other;
  return one.length === other.length && one.every((value, place) => same(value, other[place]));
}

/// Compares everything in a report that a campaign never changes, and the number of events, which only grows.
export function sameCampaign(before: Report, after: Report): boolean {
  return before.name === after.name && before.policy === after.policy && before.quantity === after.quantity &&
    before.treatments === after.treatments && before.budget === after.budget && before.features === after.features &&
    before.state_version <= after.state_version &&
    sameList(before.actions, after.actions, (a, b) => a.action === b.action && a.name === b.name) &&
    before.variables === after.variables &&
    sameList(before.taken, after.taken, (a, b) => a.action === b.action && a.name === b.name) &&
    sameList(before.knowledge_summary, after.knowledge_summary, (a, b) => a === b);
}
