#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "reference/noise_fit.h"

namespace updraft::testing {

/// A change of what an action does, or of the baseline of what it moves.
struct ChangeFound {
  ActionId action = 0;
  bool of_baseline = false;
  std::size_t first_new = 0;  ///< the first round of the new part, numbered from 0 among all
  std::vector<std::size_t> old_part;  ///< numbers of rounds
  std::vector<std::size_t> new_part;
  Real difference = 0.0L;  ///< d
  Real variance = 0.0L;    ///< s^2 (1/n + 1/n')
};

/// The search of docs/policies/up_ts.md ("A world that changes"), straight from the page: blocks
/// hold the numbers of rounds, and everything is computed anew from the rounds.
class ChangeSearch {
 public:
  explicit ChangeSearch(const AffectedSets& affected)
      : affected_(affected), blocks_(affected.actions()) {}

  /// The last of `rounds` joins the blocks of its action. `fit` is that of before this round, null
  /// before the first; `counted` are the action's earlier rounds that count for its mean.
  void add(const std::vector<AtomRound>& rounds, const NoiseFit* fit,
           const std::vector<std::size_t>& counted);

  /// Tests the action of the last round. If a change is found, the old part leaves the blocks.
  std::optional<ChangeFound> look(const std::vector<AtomRound>& rounds, const NoiseFit& fit);

 private:
  using Block = std::vector<std::size_t>;  ///< numbers of rounds, increasing

  void merge(std::vector<Block>& blocks) const;
  bool others_agree(const std::vector<AtomRound>& rounds, const NoiseFit& fit,
                    const ChangeFound& change) const;

  const AffectedSets& affected_;
  std::vector<std::vector<Block>> blocks_;  // [action], oldest first
  std::vector<Real> beyond_;                // per round, what clipping takes from w'x
};

/// The mean of x over the rounds with these numbers, of which there must be one.
Vector mean_over_numbers(const std::vector<AtomRound>& rounds,
                         const std::vector<std::size_t>& numbers);

}  // namespace updraft::testing
