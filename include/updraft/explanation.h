#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "updraft/ids.h"
#include "updraft/interval.h"
#include "updraft/variable_set.h"

namespace updraft {

/// The action that differences refer to, unless a policy compares with another. It never changes,
/// so that estimates of different times can be compared.
inline constexpr ActionId kReferenceAction = 0;

/// How much more reward an action is estimated to bring than Explanation::reference_action. The
/// baseline cancels, so the difference is known even if the baseline is not.
struct RewardDifference {
  double estimate = 0.0;
  std::optional<double> standard_error;  ///< policies that learn the noise
  /// A 95 % confidence interval if the policy learns the noise, else its own confidence bounds: the
  /// estimate +- the radii of all means that go into it.
  Interval interval;
};

/// The estimates of a policy for one action. Numbers that are not defined yet are infinite (index
/// and radius of an action without feedback) or absent.
struct ActionExplanation {
  std::uint64_t pulls = 0;  ///< rounds of this action whose payoffs came back
  double index = 0.0;       ///< what select() compares; if that is a draw, the posterior mean
  double radius = 0.0;  ///< of one variable's mean; of the estimate in the index if the noise is
                        ///< learnt; its posterior sd if select() draws
  std::optional<double> reward;  ///< estimated expected reward, if the policy tracks it
  /// Estimated uplift over the baseline, that is over doing nothing. Absent as long as no feedback
  /// shows the baseline of a variable that the action affects; it stays absent if every action
  /// affects that variable. With unknown sets, that of the identified variables alone
  /// (up_ucb_ilift_bl: of all variables until it identifies some).
  std::optional<double> uplift;
  /// To Explanation::reference_action, for policies that learn the baseline or the noise. For
  /// up_ucb_l, of the identified variables alone, between bounds that reach at least as far as the
  /// index.
  std::optional<RewardDifference> difference;
  std::optional<VariableSet> identified;  ///< unknown sets only: surely affected
  std::optional<VariableSet> padding;     ///< unknown sets only: may be affected, counted in

  // Policies that learn the noise, once every action has feedback.
  std::optional<double> standard_error;    ///< of `uplift`, and absent with it
  std::optional<Interval> interval;        ///< 95 % confidence interval of the uplift
  std::optional<double> probability_best;  ///< that this reward is the largest, by the posterior
  /// Per atom, the weight of its mean minus its baseline: 1 if affected, else the weight of the
  /// control variate.
  std::optional<std::vector<double>> weights;
};

struct Explanation {
  std::vector<ActionExplanation> actions;
  /// The action that differences refer to: kReferenceAction, or for up_ucb_l the most pulled
  /// action, which serves as the baseline. Absent without differences.
  std::optional<ActionId> reference_action;
  std::optional<std::vector<bool>> active;  ///< up_ucb_ilift: not yet eliminated

  // Policies that learn the noise, once every action has feedback.
  std::optional<double> shrinkage;  ///< lambda: by which share correlations are pulled to 0
  std::optional<std::uint64_t> degrees_of_freedom;  ///< of the noise estimate
};

}  // namespace updraft
