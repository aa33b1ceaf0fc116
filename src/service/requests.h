#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/campaign_definition.h"
#include "updraft/ids.h"
#include "updraft/variable_set.h"

namespace updraft {

/// A body of POST .../decisions.
struct DecisionRequest {
  std::string id;  ///< empty if the service is to give one

  // Targeted campaigns, and campaigns with contexts.
  std::vector<double> features;  ///< one individual, or variable, after the other
  std::vector<double> baseline;  ///< empty if not given

  // Campaigns with contexts.
  std::vector<VariableSet> affected = {};  ///< per action; empty if not given
};

/// A body of PUT .../payoffs: what some variables (or rows of a pool or context) paid.
struct PayoffPart {
  std::string part;
  bool complete = true;         ///< nothing more will come
  bool dense = false;           ///< one value for every variable, and `ids` is empty
  std::vector<VariableId> ids;  ///< increasing
  std::vector<double> values;

  bool operator==(const PayoffPart&) const = default;
};

/// Sums over all variables stay below the 1e100 that policies take.
inline constexpr double kLargestPayoff = 1e90;

/// As large as policies take features and baselines.
inline constexpr double kLargestFeature = 1e100;

struct RequestLimits {
  std::size_t pool_rows = 1'000'000;  ///< and rows of a context
};

// All throw InvalidInput that names the field: not JSON, other keys, values that cannot be. What
// only the state can tell (how many rows a pool had, who paid already) is not looked at.

DecisionRequest parse_decision(std::string_view body, const CampaignDefinition& campaign,
                               const RequestLimits& limits = {});
PayoffPart parse_payoffs(std::string_view body, const CampaignDefinition& campaign);

}  // namespace updraft
