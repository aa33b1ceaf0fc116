#pragma once

#include <nlohmann/json.hpp>

#include "service/campaign_definition.h"

namespace updraft {

/// Reads `holdout`, `probe` and `guardrails` of a definition whose other fields were read, and puts
/// them into its shortest form. Throws InvalidInput.
void read_evidence(const nlohmann::json& document, CampaignDefinition& campaign,
                   nlohmann::json& shortest);

}  // namespace updraft
