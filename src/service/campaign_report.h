#pragma once

#include <nlohmann/json.hpp>

#include "service/live_campaign.h"

namespace updraft {

/// The campaign in a list: name, policy, state.
nlohmann::json brief(const LiveCampaign& campaign);

/// With its definition.
nlohmann::json described(const LiveCampaign& campaign);

/// And with the estimates of its policy, what it was told, and what speaks against that. With
/// `only_counts` the definition and sets of variables are left out, and numbers stand in for them:
/// however many variables there are, it is small. docs/service.md, 'Report'.
nlohmann::json campaign_report(const LiveCampaign& campaign, bool only_counts);

/// Estimates and choices over time. docs/service.md, 'Report'.
nlohmann::json campaign_history(const LiveCampaign& campaign);

}  // namespace updraft
