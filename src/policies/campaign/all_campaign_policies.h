#pragma once

#include <memory>

#include "updraft/campaign_policy.h"

namespace updraft {

// Each defined beside its algorithm. The specs have passed the registry's checks.

/// c2_up_ucb, c2_up_ucb_bl, c2_ucb, greedy, greedy_bl, eps_greedy, eps_greedy_bl.
std::unique_ptr<CampaignPolicy> make_learning_campaign(const PolicySpec& spec,
                                                       const CampaignShape& shape);
/// random, oracle.
std::unique_ptr<CampaignPolicy> make_random_campaign(const PolicySpec& spec,
                                                     const CampaignShape& shape);
std::unique_ptr<CampaignPolicy> make_oracle_campaign(const PolicySpec& spec,
                                                     const CampaignShape& shape);

}  // namespace updraft
