#pragma once

#include <functional>

#include "service/live_campaign.h"
#include "store/event_store.h"

namespace updraft {

struct ReplayVisits {
  std::function<void(const Event&)> before = {};
  std::function<void(const Event&)> after = {};
};

/// Applies all events of a stored campaign after those that `live` has, and calls `visits` before
/// and after each. Throws StoreError, and std::runtime_error if an event cannot have come next.
void replay_events(const EventStore& store, const StoredCampaign& campaign, LiveCampaign& live,
                   const ReplayVisits& visits = {});

}  // namespace updraft
