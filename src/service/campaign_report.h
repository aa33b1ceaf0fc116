#pragma once

#include <nlohmann/json.hpp>

#include "service/live_campaign.h"

namespace updraft {

/// The campaign in a list: name, policy, state.
nlohmann::json brief(const LiveCampaign& campaign);

/// With its definition.
nlohmann::json described(const LiveCampaign& campaign);

/// And with what its policy believes. docs/service.md, 'Report'.
nlohmann::json campaign_report(const LiveCampaign& campaign);

}  // namespace updraft
