#include <cmath>

#include "policies/all_policies.h"
#include "policies/decision_draws.h"
#include "policies/decision_normals.h"
#include "policies/noise_learning_policy.h"

namespace updraft {
namespace {

/// Thompson sampling on the uplift with learnt noise; the baseline is known (up_ts_bl) or learnt
/// (up_ts).
///   kappa = sqrt(dof / chi-squared(dof)), the uncertainty of the noise itself
///   baseline~ = bhat + kappa sqrt(f) P^-1/2 z
///   u(a) = w(a)'(mean(a) - baseline~) + kappa sqrt(s(a)^2 / n(a)) z(a)
/// Takes the action with the largest u.
/// Draws of a decision: normals 0..G-1 for the baseline where it is learnt (0..K-1 with the noise
/// of a few factors), one normal per action after these, and chi-squared.
/// All draws behind a probability have the kappa of the decision: given it they are independent.
/// Cost: select O(K) with a known baseline, else G^3 / 6 once per observation and O(G^2 + K G);
/// with the noise of a few factors that of FactoredNoise.
class UpTs final : public NoiseLearningPolicy {
 public:
  UpTs(const PolicySpec& spec, const Knowledge& knowledge)
      : NoiseLearningPolicy(spec, knowledge),
        baseline_draws_(baseline_known() ? 0
                        : factored()     ? baseline_width()
                                         : atoms()),
        draws_(baseline_draws_ + actions()),
        deviation_(static_cast<Eigen::Index>(baseline_draws_)) {}

 private:
  std::optional<Eigen::VectorXd> radii() const override { return std::nullopt; }

  ActionId choose(const Stream& stream) override { return choose_among({}, stream); }

  ActionId choose_among(AllowedActions allowed, const Stream& stream) override {
    if (const auto action = forced(allowed)) return *action;
    const double kappa = posterior_scale(stream, decisions(), model().degrees);
    const double* normals = draws_.of(stream, decisions());
    const auto normal = [&](std::size_t j) { return normals[j * DecisionNormals::kBlock]; };
    for (std::size_t j = 0; j < baseline_draws_; ++j) {
      deviation_[static_cast<Eigen::Index>(j)] = normal(j);
    }
    const double* estimate = baseline_known() ? nullptr : drawn_estimates(kappa).data();
    return allowed.largest(actions(), [&](ActionId action) {
      return (estimate != nullptr ? estimate[action] : centred(action)) +
             kappa * own_error(action) * normal(baseline_draws_ + action);
    });
  }

  /// The estimates at a baseline drawn by the normals in deviation_, which become that draw.
  const Eigen::VectorXd& drawn_estimates(double kappa) {
    if (factored()) {
      drawn_ = estimates() + kappa * baseline_errors(deviation_.transpose()).transpose();
      return drawn_;
    }
    posterior().spread(deviation_);
    deviation_ *= kappa * std::sqrt(model().inflation());
    return drawn_ = estimates_at(deviation_);
  }

  std::vector<double> probabilities_given(ActionId action, const Stream& stream,
                                          AllowedActions allowed) override {
    if (forced(allowed)) return Policy::probabilities_given(action, stream);
    const double kappa = posterior_scale(stream, decisions(), model().degrees);
    const double* normals = draws_.of(stream, decisions());
    const auto others = [&](std::size_t width, std::uint64_t part) {
      return other_normals(stream, decisions(), actions(), width, part);
    };
    Eigen::VectorXd estimate = estimates();
    const auto count = static_cast<Eigen::Index>(actions());
    DecisionDraws draws;
    draws.own.resize(static_cast<Eigen::Index>(independent_draws(actions())), count);
    draws.own.bottomRows(draws.own.rows() - 1) = others(actions(), 0);
    for (ActionId a = 0; a < actions(); ++a) {
      draws.own(0, a) = normals[(baseline_draws_ + a) * DecisionNormals::kBlock];
      draws.own.col(a) *= kappa * own_error(a);
    }
    if (!baseline_known()) {
      draws.common.resize(draws.own.rows(), count);
      draws.common.row(0) = (drawn_ - estimate).transpose();
      draws.common.bottomRows(draws.own.rows() - 1) =
          kappa * baseline_errors(others(baseline_width(), 1));
    }
    for (ActionId a = 0; a < actions(); ++a) {
      if (!allowed.contains(a)) leave_out(a, estimate, draws);
    }
    return shares_best(action, estimate, draws);
  }

  std::size_t baseline_draws_;
  DecisionNormals draws_;
  Eigen::VectorXd deviation_;
  Eigen::VectorXd drawn_;  // estimates of the last decision, at the baseline that it drew
};

}  // namespace

std::unique_ptr<Policy> make_up_ts(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpTs>(spec, knowledge);
}

}  // namespace updraft
