#pragma once

#include <functional>

#include "service/live_campaign.h"
#include "store/campaign_store.h"

namespace updraft {

/// Applies all events of a stored campaign after those that `live` has, and calls `visit` after
/// each. Throws StoreError, and std::runtime_error where an event cannot have come next.
void replay_events(const CampaignStore& store, const StoredCampaign& campaign, LiveCampaign& live,
                   const std::function<void(const Event&)>& visit = {});

}  // namespace updraft
