#pragma once

#include <nlohmann/json.hpp>

#include "service/campaign_definition.h"

namespace updraft {

/// The largest whole number that every reader of JSON keeps exactly.
inline constexpr std::size_t kMostWhole = 9'007'199'254'740'991;

/// Reads the member `knowledge` of a definition into campaign.knowledge, which knows nothing yet
/// but how many actions and variables there are, and into the shortest form of the definition.
/// Throws InvalidInput that names the field.
void read_knowledge(const nlohmann::json& value, CampaignDefinition& campaign,
                    nlohmann::json& shortest);

}  // namespace updraft
