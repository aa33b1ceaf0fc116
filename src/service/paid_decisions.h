#pragma once

#include <functional>

#include "service/live_campaign.h"
#include "store/event_store.h"

namespace updraft {

/// A decision whose payoffs are complete.
struct PaidDecision {
  std::string id;
  std::int64_t time_ms = 0;  ///< when it was made
  Decided decided;
  PayoffPart payoffs;  ///< all of them
};

/// Calls `visit` for each decision of a stored campaign whose payoffs are complete, in the order in
/// which they became so: that in which the policy learned from them. Keeps only decisions that are
/// not complete in memory. Throws StoreError.
void for_each_paid(const EventStore& store, const StoredCampaign& campaign,
                   const std::function<void(const PaidDecision&)>& visit);

}  // namespace updraft
