#pragma once

#include <string>
#include <vector>

#include "service/campaign_definition.h"

namespace updraft {

/// The policy of a campaign and what it was told, a sentence each.
std::vector<std::string> knowledge_summary(const CampaignDefinition& campaign);

}  // namespace updraft
