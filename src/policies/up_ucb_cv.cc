#include <algorithm>
#include <cmath>

#include "policies/all_policies.h"
#include "policies/noise_learning_policy.h"

namespace updraft {
namespace {

/// The upper bound that goes with up_ts, for those who want no randomness: t observations,
///   index(a) = estimate(a) + sqrt(2 log t) error(a)
/// The baseline is known (up_ucb_cv_bl) or learnt (up_ucb_cv). error(a) is the part of the standard
/// error of the estimate that pulls of a reduce, s(a) / sqrt(n(a)); with radius = whole, all of it.
///
/// The whole error holds what is unknown of the baseline, which only pulls of *other* actions
/// reduce: an action can look the better the less the others are taken, and then all others starve.
/// docs/policies/up_ucb_cv.md has an example with linear regret.
/// Cost: select O(K) with a known baseline, else G^3 / 6 once per observation, and with
/// radius = whole K G^2 / 2 more.
class UpUcbCv final : public NoiseLearningPolicy {
 public:
  UpUcbCv(const PolicySpec& spec, const Knowledge& knowledge)
      : NoiseLearningPolicy(spec, knowledge), whole_(spec.word("radius") == "whole") {}

 private:
  std::optional<Eigen::VectorXd> radii() const override {
    return factor() * (whole_ ? standard_errors() : own_errors());
  }

  double factor() const { return std::sqrt(2.0 * std::log(static_cast<double>(observations()))); }

  /// With s(a)^2 / n(a) after the decisions of ahead(). What is unknown of the baseline, and the
  /// factor, stay.
  Eigen::VectorXd radii_in_batch() const {
    Eigen::VectorXd squares = (whole_ ? standard_errors() : own_errors()).cwiseAbs2();
    for (ActionId action = 0; action < actions(); ++action) {
      const auto count = static_cast<double>(pulls(action));
      const auto more = static_cast<double>(ahead()[action]);
      const double own = own_error(action);
      squares[action] = std::max(0.0, squares[action] - own * own * more / (count + more));
    }
    return factor() * squares.cwiseSqrt();
  }

  ActionId choose(const Stream& stream) override { return choose_among({}, stream); }

  ActionId choose_among(AllowedActions allowed, const Stream&) override {
    if (const auto action = forced(allowed)) return *action;
    const Eigen::VectorXd index = estimates() + (ahead().empty() ? *radii() : radii_in_batch());
    return allowed.largest(actions(), [&](ActionId action) { return index[action]; });
  }

  bool whole_;
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_cv(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbCv>(spec, knowledge);
}

}  // namespace updraft
