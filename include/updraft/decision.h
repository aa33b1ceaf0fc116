#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "updraft/ids.h"

namespace updraft {

/// What a policy decided in a round.
struct Decision {
  std::uint64_t number = 0;  ///< decisions that the policy had made before
  ActionId action = 0;       ///< not of targeting policies
  /// The propensity: the probability of this choice in the distribution from which the policy drew
  /// it. 1 for policies that do not draw. Of targeting policies, the probability of all treatments
  /// together; 0 if it is too small for a double.
  double probability = 1.0;
  std::vector<Treatment> treatments = {};  ///< targeting policies: one per individual
  std::uint32_t revision = 0;              ///< PolicyInfo::revision of the policy
  /// Contextual policies: the index of the action; infinite if it has no feedback.
  std::optional<double> index = {};

  bool operator==(const Decision&) const = default;
};

}  // namespace updraft
