#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stats/payoff_sums.h"
#include "updraft/affected_sets.h"
#include "updraft/ids.h"
#include "updraft/payoffs.h"
#include "updraft/state_io.h"

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
  static constexpr std::size_t kMostCells = std::size_t{1} << 21;

  /// `affected` as declared, or null. Memory for variables is taken with the first payoffs.
  PayoffStatistics(std::size_t actions, std::size_t variables,
                   std::shared_ptr<const AffectedSets> affected);

  std::size_t actions() const { return rewards_.size(); }
  std::size_t variables() const { return variables_; }

  /// Dense or sparse payoffs of a round. Cost: O(payoffs given + ranges of the action's set).
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

  /// Whether there are few enough variables for what follows; it is there once rounds() > 0.
  bool per_variable() const { return per_variable_; }
  PayoffRow sums(ActionId action) const { return sums_->of(action); }
  /// Of the payoffs of a variable in rounds of actions that are declared to affect it, and in
  /// others.
  double squares(VariableId variable, bool affected) const {
    return (affected ? affected_squares_ : other_squares_)[variable];
  }
  /// The root of the mean of the variables' variances within actions; none as long as no action has
  /// two rounds. Cost: O(K m).
  std::optional<double> typical_sd() const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  std::uint64_t degrees() const;
  void make_sums();
  void add_squares(ActionId action, const Payoffs& payoffs);

  std::size_t variables_;
  std::shared_ptr<const AffectedSets> affected_;
  bool per_variable_;
  std::uint64_t rounds_ = 0;
  std::vector<Tally> rewards_;  // per action
  double least_ = 0.0;
  double largest_ = 0.0;
  std::optional<PayoffSums> sums_;
  std::vector<double> affected_squares_;  // per variable
  std::vector<double> other_squares_;     // per variable
};

}  // namespace updraft
