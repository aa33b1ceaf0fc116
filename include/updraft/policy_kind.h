#pragma once

#include <cstddef>

namespace updraft {

/// What a policy decides on, and so what a Round tells it.
enum class PolicyKind {
  kPlain,       ///< one action for all variables, which are the same in every round
  kTargeting,   ///< which individuals of a pool get which treatment
  kContextual,  ///< one action for all variables, which have features that change with the round
};

/// The sizes that a targeting policy is made for.
struct TargetingShape {
  std::size_t features = 0;    ///< d >= 1, of one individual
  std::size_t treatments = 1;  ///< Z >= 1
  std::size_t budget = 1;      ///< L >= 1: how many individuals may be treated in a round

  bool operator==(const TargetingShape&) const = default;
};

/// The sizes that a contextual policy is made for.
struct ContextualShape {
  std::size_t features = 0;  ///< d >= 1, of one variable
  std::size_t actions = 0;   ///< K >= 1

  bool operator==(const ContextualShape&) const = default;
};

}  // namespace updraft
