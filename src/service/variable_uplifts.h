#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "service/payoff_statistics.h"
#include "updraft/knowledge.h"
#include "updraft/policy.h"

namespace updraft {

/// What an action does to a variable, as the payoffs say.
struct VariableUplift {
  double mean = 0.0;      ///< payoff under the action
  double baseline = 0.0;  ///< what it is held against
  Interval interval;      ///< of mean - baseline

  double uplift() const { return mean - baseline; }
  bool excludes_zero() const { return interval.low > 0.0 || interval.high < 0.0; }
};

/// Uplifts of single variables with intervals that hold for all actions, variables and times at
/// once with 99.9 %. By Bernstein's inequality, n payoffs with variance v and range R leave a mean
/// within
///   sqrt(2 v l / n) + R l / (3 n),   l = log(4 K m n (n + 1) / 0.001)
/// with v and R as seen in all rounds.
class VariableUplifts {
 public:
  /// Of statistics that have sums per variable. Keeps references. Cost: O(K m).
  VariableUplifts(const Knowledge& knowledge, const PayoffStatistics& statistics);

  /// None as long as the action or what it is held against has no payoffs. Cost: O(1).
  std::optional<VariableUplift> of(ActionId action, VariableId variable) const;

  /// What uplifts are held against, in words.
  std::string_view baseline_text() const;

  /// Outside the declared set of the action, and yet its interval excludes 0. Empty where no sets
  /// were declared. Cost: O(m).
  std::vector<VariableId> surprising(ActionId action) const;

 private:
  /// The mean that a variable's payoffs are held against, and how many payoffs it is of; 0: known.
  struct Baseline {
    double mean = 0.0;
    double count = 0.0;
  };
  std::optional<Baseline> baseline(ActionId action, VariableId variable) const;
  double log_term(double count) const;
  double reach(double count, double variance) const;
  /// Whether the interval of an uplift excludes 0 for the action's own part of it alone, of which
  /// `square` is for a variance of 1, squared, and `fixed` the rest.
  bool may_exclude_zero(ActionId action, VariableId variable, double square, double fixed) const;

  const Knowledge& knowledge_;
  const PayoffStatistics& statistics_;
  double range_;
  std::vector<double> variances_;
  std::vector<double> rest_sums_;  // per variable, over the actions that are not said to affect it
  std::vector<double> rest_rounds_;  // the same
};

}  // namespace updraft
