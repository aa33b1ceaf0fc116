#pragma once

#include <nlohmann/json.hpp>

#include "service/live_campaign.h"
#include "service/queries.h"

namespace updraft {

/// docs/service.md, 'Report'. Cost: O(K) a row, of surprising ones O(K m) once, and what the policy
/// takes to explain itself.
nlohmann::json variable_page(const LiveCampaign& campaign, const VariableQuery& query);

}  // namespace updraft
