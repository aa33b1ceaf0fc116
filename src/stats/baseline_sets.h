#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "updraft/ids.h"

namespace updraft {

/// The confidence interval of one variable's mean under an action. Closed.
struct ActionInterval {
  double lower = 0.0;
  double upper = 0.0;
  ActionId action = 0;
};

/// For each variable the actions that leave it alone, as far as intervals can tell: those whose
/// interval meets that of another action. [hsieh22, eq. of the baseline sets in Section 6.2.2]
/// A set is empty or has at least two actions. Memory: K bits per variable.
class BaselineSets {
 public:
  /// All sets are empty.
  BaselineSets(std::size_t actions, std::size_t variables)
      : actions_(actions), words_((actions + 63) / 64), bits_(variables * words_, 0) {}

  bool contains(VariableId variable, ActionId action) const {
    return (bits_[variable * words_ + action / 64] >> (action % 64)) & 1;
  }

  /// Makes the set of a variable those of `intervals` that meet another. Sorts the intervals.
  /// Cost: O(n log n) for n intervals.
  void assign(VariableId variable, std::span<ActionInterval> intervals);

  /// The action of a set with the most pulls, the lowest id among equals; none where the set is
  /// empty. Cost: O(K).
  std::optional<ActionId> most_pulled(VariableId variable,
                                      std::span<const std::uint64_t> pulls) const;

  /// Whether no set has an action that is not active, 1 in `active`.
  bool all_active(std::span<const std::uint64_t> active) const;

  /// ceil(K / 64) words per variable, action a at bit a % 64 of word a / 64.
  std::vector<std::uint64_t>& bits() { return bits_; }
  const std::vector<std::uint64_t>& bits() const { return bits_; }

 private:
  void set(VariableId variable, ActionId action, bool member);

  std::size_t actions_;
  std::size_t words_;  // per variable
  std::vector<std::uint64_t> bits_;
};

}  // namespace updraft
