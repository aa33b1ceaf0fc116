#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "monitor/payoff_statistics.h"
#include "monitor/variable_uplifts.h"
#include "updraft/assumption_warning.h"
#include "updraft/policy.h"

namespace updraft {

/// What the assumptions of a policy are compared with.
struct AssumptionEvidence {
  const Policy& policy;
  const Explanation& explanation;
  const PayoffStatistics& statistics;
  const VariableUplifts* uplifts = nullptr;  ///< null if sums per variable are not kept
};

/// The assumptions that the payoffs speak against. Cost: O(K m).
std::vector<AssumptionWarning> check_assumptions(const AssumptionEvidence& evidence,
                                                 const WarningWords& words);

/// The same of a contextual policy that has seen `rounds` rounds: whether its payoffs, per action,
/// are as large as those that delta and bound are right for. Cost: O(K).
std::vector<AssumptionWarning> check_context_scale(const PolicySpec& spec, std::uint64_t rounds,
                                                   std::span<const Tally> payoffs,
                                                   const WarningWords& words);

/// "Action 3", or "Action 'news'".
std::string action_text(const WarningWords& words, ActionId action);

}  // namespace updraft
