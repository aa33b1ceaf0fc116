#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/payoff_sums.h"
#include "updraft/ids.h"
#include "updraft/payoffs.h"
#include "updraft/state.h"

namespace updraft {

/// Of numbers that came one by one.
struct Tally {
  std::uint64_t count = 0;
  double sum = 0.0;
  double squares = 0.0;

  void add(double value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / static_cast<double>(count); }  ///< where there are any
  /// Sum of squared distances from the mean.
  double spread() const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);
};

/// What came of each action, whatever its policy keeps: so that people can look at single
/// variables, and what was declared can be held against it.
class PayoffStatistics {
 public:
  /// Sums per action and variable are kept up to this many.
  static constexpr std::size_t kMostCells = std::size_t{1} << 22;

  PayoffStatistics(std::size_t actions, std::size_t variables);

  std::size_t actions() const { return rewards_.size(); }
  std::size_t variables() const { return variables_; }

  /// Dense or sparse payoffs of a round. Cost: O(payoffs given).
  void add(ActionId action, const Payoffs& payoffs);

  std::uint64_t rounds() const { return rounds_; }
  std::uint64_t rounds(ActionId action) const { return rewards_[action].count; }
  /// The rewards of an action, round by round.
  const Tally& rewards(ActionId action) const { return rewards_[action]; }

  /// The variance of the reward within actions; none as long as no action has two rounds.
  std::optional<double> reward_variance() const;

  // Of single payoffs, those that were not given counted as 0. Where rounds() > 0.
  double mean() const;
  double least() const { return least_; }
  double largest() const { return largest_; }

  /// Whether what follows is there.
  bool per_variable() const { return sums_.has_value(); }
  PayoffRow sums(ActionId action) const { return sums_->of(action); }
  /// Of each variable, within actions; empty as long as no action has two rounds. Cost: O(K m).
  std::vector<double> variances() const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  std::uint64_t degrees() const;

  std::size_t variables_;
  std::uint64_t rounds_ = 0;
  std::vector<Tally> rewards_;  // per action
  double least_ = 0.0;
  double largest_ = 0.0;
  std::optional<PayoffSums> sums_;
  std::vector<double> squares_;  // per variable, or none
};

}  // namespace updraft
