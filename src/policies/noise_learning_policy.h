#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <span>

#include "stats/atom_moments.h"
#include "stats/baseline_posterior.h"
#include "stats/conditional_noise.h"
#include "stats/count_unit.h"
#include "stats/factored_noise.h"
#include "stats/noise_model.h"
#include "stats/recent_rounds.h"
#include "updraft/policy.h"

namespace updraft {

/// kappa = sqrt(degrees / chi-squared(degrees)): what not knowing the noise's variance does to a
/// posterior draw. Made of draws of `stream` at round `decision` that no normal of it uses.
double posterior_scale(const Stream& stream, std::uint64_t decision, std::uint64_t degrees);

/// What the policies with nothing to tune share: known affected sets, a baseline that is known or
/// learnt, and a noise model that is learnt in place of a given alpha.
///   estimate(a) = w(a)'(mean(a) - bhat)
///   standard error(a)^2 = s(a)^2 / n(a) + f w(a)' P^-1 w(a)   (second term: unknown baseline only)
/// with the weights w and the variance s^2 of the control variates (stats/noise_model.h) and the
/// posterior of the baseline (stats/baseline_posterior.h). The variance of an atom depends on the
/// action where that affects it (stats/own_variances.h). The model is fitted anew, and with it w,
/// s and the precisions in P, whenever the rounds have grown by the share `refit`; means and pulls
/// are always those of now.
/// All actions are taken once first.
/// The estimate is one of the uplift only if every atom of the action is left alone by some other.
/// If not, all estimates have the same unknown baseline in them, and only differences are known.
///
/// With forgetting = auto, the rounds of each action are searched for a change of w(a)'x after
/// every round of it (stats/recent_rounds.h). One that is found takes away the rounds before it
/// from mean(a) and n(a), and makes the others uncertain: with q, the squared changes found so far
/// per action and round, s(a)^2 / n(a) becomes s(a)^2 / n(a) + q times the rounds since the last of
/// a. Before a change is found, every decision is the one without forgetting.
/// docs/policies/up_ts.md#a-world-that-changes has the rules.
///
/// Cost with G atoms: observe G^2 / 2 (unknown baseline: 2 G^2 more), a fit K G^3 / 6 (K G^3 / 2).
/// With more than AtomMoments::kMostInFull atoms the noise is that of a few factors
/// (stats/factored_noise.h): observe O(G), a fit O(G (K + 32)^2).
class NoiseLearningPolicy : public Policy {
 public:
  Explanation explain(Detail detail) const override;
  double index(ActionId action) const override;

 protected:
  /// A baseline that is in `knowledge` is taken for known.
  NoiseLearningPolicy(const PolicySpec& spec, const Knowledge& knowledge);

  /// The allowed action to take without estimates: one without feedback, or, as long as an action
  /// that is not allowed has none, the one offered least often.
  std::optional<ActionId> forced(AllowedActions allowed) const;

  bool baseline_known() const { return baseline_.has_value(); }
  /// Whether the noise is that of a few factors.
  bool factored() const { return factored_.has_value(); }
  std::size_t atoms() const { return moments_.atoms(); }
  const NoiseModel& model() const { return model_; }

  /// Per action, what the index adds to the estimate; absent where select() draws.
  virtual std::optional<Eigen::VectorXd> radii() const = 0;

  // All per action, once every action has feedback.

  Eigen::VectorXd estimates() const;
  Eigen::VectorXd standard_errors() const;
  Eigen::VectorXd own_errors() const;
  /// Of the difference of each estimate to that of `reference`: s(a)^2 / n(a) + s(r)^2 / n(r) +
  /// f (w(a) - w(r))' P^-1 (w(a) - w(r)), and 0 for `reference` itself.
  Eigen::VectorXd difference_errors(ActionId reference) const;
  /// Estimates for a baseline of bhat + scale * `deviation`, which is per atom. Not if factored.
  const Eigen::VectorXd& estimates_at(const Eigen::VectorXd& deviation);
  /// Errors of the estimates by what is unknown of the baseline, a row per draw, from rows of
  /// baseline_width() standard normals, before kappa. Unknown baseline only.
  Eigen::MatrixXd baseline_errors(const Eigen::MatrixXd& normals) const;
  std::size_t baseline_width() const {
    return factored() ? actions() : std::min(actions(), atoms());
  }
  /// sqrt(s(a)^2 / n(a)).
  double own_error(ActionId action) const;
  /// Estimate for the model's centre as baseline: exact where the baseline is known.
  double centred(ActionId action) const { return centred_[action]; }

  /// Unknown baseline only, not if factored.
  BaselinePosterior& posterior() { return *posterior_; }

 private:
  void absorb(ActionId action, const Payoffs& payoffs) override;
  void write_statistics(StateWriter& writer) const override;
  void read_statistics(StateReader& reader) override;

  void fit();
  /// Everything that follows from the model and the moments.
  void derive();
  void centre(ActionId action);
  /// (bhat - centre) / scale. Unknown baseline only, as the next.
  const Eigen::VectorXd& shift() const;
  /// A matrix whose columns have the baseline's covariances of the estimates, before inflation, as
  /// inner products.
  Eigen::MatrixXd whitened_weights() const;
  /// Brings the factored baseline up to date.
  FactoredNoise& learnt() const;
  /// Whether the estimate of the action is one of its uplift.
  bool uplift_identified(ActionId action) const;
  /// Whether the residuals tell anything of the noise: an action has payoffs of two rounds.
  bool noise_known() const;
  std::vector<double> probabilities_best() const;
  /// Of freedom, of the interval of the uplift of an action, or of the difference of two, with this
  /// standard error.
  std::uint64_t interval_degrees(std::span<const ActionId> compared, double error) const;

  // Forgetting = auto.

  /// What rounds of an action are compared by.
  Contrast contrast_of(ActionId action) const;
  /// By how much the contrast of a round is farther from the action's mean than rounds count.
  double beyond(ActionId action, std::span<const double> sums) const;
  void look_for_change(ActionId action);
  void read_changes(StateReader& reader);
  /// Whether rounds of actions that leave V(action) alone changed as this split did.
  bool others_agree(ActionId action, const Contrast& contrast, const Split& split) const;
  Eigen::VectorXd mean_of(ActionId action) const;
  double rounds_of(ActionId action) const;

  double refit_;
  bool diagonal_;
  std::optional<RecentRounds> recent_;  // absent if nothing is ever forgotten
  std::vector<FoundChange> changes_;
  double squared_changes_ = 0.0;             // of effects, found so far
  std::optional<Eigen::VectorXd> baseline_;  // per atom, where known
  AtomMoments moments_;
  CountUnit counts_;
  NoiseModel model_;
  std::optional<ConditionalNoise> noise_;               // of model_, once fitted; not if factored
  mutable std::optional<BaselinePosterior> posterior_;  // factorises when asked; not if factored
  mutable std::optional<FactoredNoise> factored_;       // in place of both
  mutable bool learnt_ = false;                         // factored_ knows the baseline of now
  Eigen::MatrixXd weights_;                             // per action a column w(a)
  Eigen::MatrixXd scaled_weights_;                      // the same, each atom times its scale
  Eigen::VectorXd own_sd_;                              // s(a)
  Eigen::VectorXd centred_;
  Eigen::VectorXd shifted_;  // scratch of estimates_at()
};

}  // namespace updraft
