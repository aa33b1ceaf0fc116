#pragma once

#include <cstdint>

#include "service/campaign_definition.h"

namespace updraft {

/// What a campaign takes while it lives, estimated from its definition before anything is made of
/// it. Outstanding decisions are not counted: they have limits of their own. Rows that a policy
/// keeps for ever are counted as they come (policies/kept_bytes.h).
struct CampaignCost {
  std::uint64_t bytes = 0;
  /// Multiplications of the slowest step of a decision or of learning from its payoffs, apart from
  /// what grows with the rows that a request brings. About 1e9 take a second.
  std::uint64_t work = 0;
};

CampaignCost cost_of(const CampaignDefinition& campaign);

/// Throws InvalidInput that names the field if it is more than the limits allow.
void check_cost(const CampaignDefinition& campaign, const DefinitionLimits& limits);

}  // namespace updraft
