#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/noise_fit.h"

namespace updraft::testing {

/// A change of an action, as the search of docs/policies/up_ts.md ("A world that changes") finds it.
struct ChangeFound {
  ActionId action = 0;
  bool of_baseline = false;
  std::size_t first_new = 0;  ///< the number of the first round of the new part, among all rounds
  Real difference = 0.0L;     ///< d
  Real variance = 0.0L;       ///< of d
};

/// Looks for changes of what actions do. Keeps the numbers of the rounds of every action in blocks
/// and computes everything anew from the rounds.
class ChangeSearch {
 public:
  explicit ChangeSearch(const AffectedSets& affected);

  /// The last of `rounds` joins its action's blocks, and the action is tested.
  std::optional<ChangeFound> after(const std::vector<AtomRound>& rounds, const NoiseFit* fit);

 private:
  using Block = std::vector<std::size_t>;  ///< numbers of rounds, increasing

  void add(ActionId action, std::size_t round);

  const AffectedSets& affected_;
  std::vector<std::vector<Block>> blocks_;  ///< [action], oldest first
};

}  // namespace updraft::testing
