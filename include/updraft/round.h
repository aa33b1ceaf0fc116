#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "updraft/ids.h"
#include "updraft/variable_set.h"

namespace updraft {

/// What is known before a decision: nothing in a plain bandit, whose rounds are all alike; a row of
/// features for each individual if a policy chooses whom to treat; a row for each variable if it is
/// contextual. A round of a plain or contextual policy may allow only some actions. Never the
/// truth. This is a view: it must not outlive what it refers to.
struct Round {
  std::span<const double> features = {};  ///< one row after the other
  std::size_t width = 0;                  ///< features of one row
  std::span<const double> baseline =
      {};  ///< expected payoff of each row if nothing is done, if known
  /// Contextual policies. V(t, a): for each action, the variables that it affects in this round, if
  /// known.
  std::span<const VariableSet> affected = {};
  /// Plain and contextual policies. The actions that may be taken in this round, ids increasing;
  /// empty: all.
  std::span<const ActionId> allowed = {};
  /// Plain policies. For each action, how many decisions come before this one in its batch: their
  /// payoffs come only after the whole batch. Policies that do not draw take them for pulls that
  /// leave every estimate as it is (docs/changing-world.md); for the others they change nothing.
  /// Empty: none.
  std::span<const std::uint64_t> ahead = {};

  std::size_t size() const { return width == 0 ? 0 : features.size() / width; }
  std::span<const double> row(std::size_t i) const { return features.subspan(i * width, width); }
};

}  // namespace updraft
