#pragma once

#include <cstdint>

#include "updraft/ids.h"

namespace updraft {

/// An action that a policy decided on.
struct Decision {
  std::uint64_t number = 0;  ///< decisions that the policy had made before
  ActionId action = 0;
  /// The propensity: the probability of this action in the distribution from which the policy drew
  /// it. 1 for policies that do not draw.
  double probability = 1.0;

  bool operator==(const Decision&) const = default;
};

}  // namespace updraft
