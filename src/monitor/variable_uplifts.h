#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "monitor/payoff_statistics.h"
#include "updraft/knowledge.h"
#include "updraft/policy.h"

namespace updraft {

/// What an action does to a variable, as the payoffs say.
struct VariableUplift {
  double mean = 0.0;      ///< payoff under the action
  double baseline = 0.0;  ///< what it is held against
  Interval interval;      ///< of mean - baseline
  bool over_nothing =
      true;  ///< false: `baseline` is what other actions pay, who may affect it, too

  double uplift() const { return mean - baseline; }
  bool excludes_zero() const { return interval.low > 0.0 || interval.high < 0.0; }
};

/// Uplifts of single variables with intervals that hold for all actions, variables and times at
/// once with 99.9 %. By Bernstein's inequality, n payoffs with variance v and range R leave a mean
/// within
///   sqrt(2 v l / n) + R l / (3 n),   l = log(4 K m n (n + 1) / 0.001)
/// with R as seen in all rounds, and v as seen in those of actions that are declared to affect the
/// variable, or in those of the others, whichever the payoffs are of.
class VariableUplifts {
 public:
  /// Of statistics that have sums per variable, and rounds. Keeps references.
  VariableUplifts(const Knowledge& knowledge, const PayoffStatistics& statistics);

  /// None as long as the action or what it is held against has no payoffs. A variable that is
  /// declared to be affected by all actions is held against kReferenceAction, and without declared
  /// sets and baseline each is held against all other actions. Cost: O(K).
  std::optional<VariableUplift> of(ActionId action, VariableId variable) const;

  /// What uplifts are held against, in words; without declared sets and baseline, what differences
  /// are.
  std::string_view baseline_text() const;
  /// Whether a variable has an uplift, or will have once there are payoffs.
  bool tells_uplifts() const;
  /// Whether a variable has a difference in place of an uplift.
  bool tells_differences() const;
  /// Whether that is the payoffs of other actions, which then may be the ones that are not as
  /// declared.
  bool against_others() const;

  /// Calls visit(action, variable) for all that are outside the declared set of the action, and yet
  /// the interval excludes 0; variable by variable. Cost: O(K m).
  using Visit = std::function<void(ActionId action, VariableId variable)>;
  void for_each_surprising(const Visit& visit) const;
  /// The variables of one action. Cost: O(K m).
  std::vector<VariableId> surprising(ActionId action) const;

  /// The median of the variable's means under the actions that are not declared to affect it, where
  /// there are three or more with payoffs. Cost: O(K log K).
  std::optional<double> median_mean(VariableId variable) const;

 private:
  /// Payoffs of a variable in some rounds.
  struct Payoffs {
    double sum = 0.0;
    double count = 0.0;
    double spread = 0.0;  ///< within actions
    double degrees = 0.0;
  };
  /// In the rounds of actions that are declared to affect it, and in those of others.
  struct Split {
    Payoffs affected;
    Payoffs others;
  };
  struct Mean {
    double value = 0.0;
    double reach = 0.0;
  };

  Split split(VariableId variable, std::span<const ActionId> affecting) const;
  std::span<const ActionId> affecting(VariableId variable) const;
  std::optional<VariableUplift> of(ActionId action, VariableId variable, bool declared,
                                   const Split& split) const;
  /// Whether its baseline is that of other actions, and all are declared to affect it.
  bool has_no_baseline(std::span<const ActionId> affected_by) const;
  /// To the mean under kReferenceAction.
  std::optional<VariableUplift> difference(ActionId action, VariableId variable,
                                           const Split& split) const;
  std::optional<Mean> baseline(ActionId action, VariableId variable, bool declared,
                               const Split& split) const;
  /// False only where of() has an interval that holds 0: by the action's own part of its width.
  bool may_exclude_zero(ActionId action, VariableId variable, const Split& split) const;
  double variance(const Payoffs& payoffs) const;
  double log_term(double count) const;
  double reach(double count, double variance) const;

  const Knowledge& knowledge_;
  const PayoffStatistics& statistics_;
  double range_;
  double cells_;
  /// Of the mean of an action: sqrt(square v) + fixed is its reach.
  struct OwnReach {
    double square = 0.0;
    double fixed = 0.0;
  };
  std::vector<OwnReach> own_;
};

}  // namespace updraft
