#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "updraft/ids.h"
#include "updraft/interval.h"
#include "updraft/variable_set.h"

namespace updraft {

/// How much of an explanation is worth its time: kCheap leaves out what takes most of it, the
/// probabilities of being best.
enum class Detail { kWhole, kCheap };

/// What the estimates of a policy are of. It is the same for all actions, and it never changes.
enum class Quantity {
  kUplift,      ///< over doing nothing
  kDifference,  ///< of the reward to that of Explanation::reference_action
  kReward,
};

/// What the interval of an estimate is.
enum class IntervalKind {
  kConfidence95,      ///< 95 % confidence intervals, if the policy learns the noise
  kPosterior,         ///< holds 95 % of the posterior
  kConfidenceBounds,  ///< the policy's own: the estimate +- the radii of all means that go into it
  /// The same if sets are unknown: the radii are those of the identified variables, and the
  /// interval reaches at least as far as the index, which counts in others.
  kConfidenceBoundsOfCounted,
};

/// An estimate with its interval. Each is absent as long as there is nothing to go by.
struct IntervalEstimate {
  std::optional<double> value;
  std::optional<Interval> interval;

  bool operator==(const IntervalEstimate&) const = default;
};

/// The action that differences refer to, unless a policy compares with another. It never changes,
/// so that estimates of different times can be compared.
inline constexpr ActionId kReferenceAction = 0;

/// How much more reward an action is estimated to bring than Explanation::reference_action. The
/// baseline cancels, so the difference is known even if the baseline is not.
struct RewardDifference {
  double estimate = 0.0;
  std::optional<double> standard_error;  ///< policies that learn the noise
  /// A 95 % confidence interval if the policy learns the noise, infinite before anything is known
  /// of it; else the policy's own confidence bounds: the estimate +- the radii of all means that go
  /// into it.
  Interval interval;
};

/// The estimates of a policy for one action. Numbers that are not defined yet are infinite (index
/// and radius of an action without feedback) or absent.
struct ActionExplanation {
  std::uint64_t pulls = 0;  ///< rounds of this action whose payoffs came back
  double index = 0.0;       ///< what select() compares; if that is a draw, the posterior mean
  /// Of Explanation::quantity, with an interval of Explanation::interval_kind.
  IntervalEstimate estimate;
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
  /// up_ts_sparse: per unit, the probability that the action moves it. `identified` has the
  /// variables of the units with at least 0.9.
  std::optional<std::vector<double>> inclusion;

  // Policies that learn the noise, once every action has feedback; the first three, once one of
  // them also has that of two rounds.
  std::optional<double> standard_error;  ///< of `uplift`, and absent with it
  std::optional<Interval> interval;      ///< 95 % confidence interval of the uplift
  /// That this reward is the largest, by the posterior under a prior that is learnt from the
  /// estimates. Right as often as it says over many instances, not on each of them
  /// (docs/policies/up_ts.md#calibration).
  std::optional<double> probability_best;
  /// Per atom, the weight of its mean minus its baseline: 1 if affected, else the weight of the
  /// control variate.
  std::optional<std::vector<double>> weights;

  // Contextual policies.
  bool chosen = false;      ///< as decide() would
  std::string_view reason;  ///< why chosen or not
};

/// The estimates of a targeting policy for one individual of a pool. An estimate is absent if the
/// observed payoffs do not determine it: the individual's features are not a linear combination of
/// those observed with the treatment (for an uplift over a learnt baseline, also of those observed
/// without any). An interval is the estimate +- beta times the widths that go into it.
struct IndividualExplanation {
  Treatment treatment = 0;       ///< the one with the largest index
  double index = 0.0;            ///< by which individuals are compared
  double greedy_index = 0.0;     ///< the same without widths, as a greedy policy would use
  std::optional<double> payoff;  ///< estimated, with that treatment
  std::optional<Interval> payoff_interval;
  std::optional<double> uplift;      ///< of that treatment over none; never for c2_ucb
  std::optional<Interval> interval;  ///< of the uplift
  bool chosen = false;               ///< as decide() would, leaving exploration at random aside
  std::string_view reason;           ///< why chosen or not
};

/// A change that a policy found in what an action does, or in the baseline of what it moves.
struct FoundChange {
  ActionId action = 0;
  bool of_baseline = false;  ///< rounds of other actions changed alike: not the action's doing
  double before = 0.0;       ///< estimated uplift (of_baseline: mean payoffs of what it moves)
  double after = 0.0;        ///< now, or of the rounds until the change was found if the effect
                             ///< changed again later
  std::uint64_t round = 0;   ///< the first that is different, numbered from 1 as learned from
  std::uint64_t found = 0;   ///< the round that gave it away
};

/// In a contextual policy, the estimates are of the round's variables. An estimate is then also
/// absent if the observed payoffs do not determine it: the features of a variable that it counts
/// are not a linear combination of those observed with the action, or with what it is compared
/// with. An interval is the estimate +- beta times the widths that go into it.
struct Explanation {
  std::vector<ActionExplanation> actions;          ///< not of targeting policies
  std::vector<IndividualExplanation> individuals;  ///< of targeting policies
  Quantity quantity = Quantity::kReward;
  IntervalKind interval_kind = IntervalKind::kConfidenceBounds;
  /// Policies that learn the noise: whether an action has payoffs of two rounds. Before that there
  /// are no standard errors, intervals and probabilities of being best: the posterior may have no
  /// width, which says nothing.
  bool noise_known = true;
  /// Whether the reference action changes with the payoffs: it is then the one with most of them.
  bool reference_moves = false;
  /// The action that differences refer to: kReferenceAction, or the most pulled action if that
  /// serves as the baseline (up_ucb_l, and contextual policies that know neither the baseline nor
  /// the sets). Absent without differences.
  std::optional<ActionId> reference_action;
  std::optional<std::vector<bool>> active;  ///< up_ucb_ilift: not yet eliminated
  /// Policies that look for changes (forgetting = auto): the last kMostChanges, oldest first.
  std::vector<FoundChange> changes;
  static constexpr std::size_t kMostChanges = 32;

  // Policies that learn the noise, once every action has feedback.
  std::optional<double> shrinkage;  ///< lambda: by which share correlations are pulled to 0
  std::optional<std::uint64_t> degrees_of_freedom;  ///< of the noise estimate
};

}  // namespace updraft
