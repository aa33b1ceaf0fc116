#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/limits.h"
#include "policies/all_policies.h"
#include "policies/noise_learning_policy.h"
#include "policies/reward_thompson.h"
#include "stats/student.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Thompson sampling on the total reward with Gaussian prior and noise. [hsieh22, App. D.1]
///   noise variance s2 = m^2 * sigma2, prior N(mean0, variance0), S = sum of rewards, N pulls:
///   posterior mean = (mean0 s2 + variance0 S) / (s2 + N variance0)
///   posterior variance = variance0 s2 / (s2 + N variance0)
/// Takes the action with the largest draw from its posterior; there is no forced start.
/// Deviation: an action that was offered and has no feedback yet is left out as long as there
/// are others, so that selections without feedback offer every action once.
/// Cost: observe O(1); select O(K) with one normal draw per action.
class ThompsonSampling final : public RewardThompson {
 public:
  ThompsonSampling(const PolicySpec& spec, const Knowledge& knowledge)
      : RewardThompson(spec, knowledge),
        prior_(*knowledge.reward_prior()),
        reward_sum_(actions(), 0.0) {
    const auto m = static_cast<double>(variables());
    noise_variance_ = m * m * spec.number("sigma2").value();
    for (ActionId action = 0; action < actions(); ++action) update_posterior(action);
  }

 private:
  /// Refreshes what follows from the action's pulls and rewards.
  void update_posterior(ActionId action) {
    const double precision =
        noise_variance_ + static_cast<double>(pulls()[action]) * prior_.variance;
    set_posterior(
        action, (prior_.mean * noise_variance_ + prior_.variance * reward_sum_[action]) / precision,
        std::sqrt(prior_.variance * noise_variance_ / precision));
  }

  double width_factor(const Stream&) const override { return 1.0; }
  double factor_95() const override { return kNormal95; }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    reward_sum_[action] += payoffs.reward();
    update_posterior(action);
  }

  void write_statistics(StateWriter& writer) const override { writer.f64s(reward_sum_); }
  void read_statistics(StateReader& reader) override {
    reader.f64s(reward_sum_, "policy state: reward sums");
    for (ActionId action = 0; action < actions(); ++action) update_posterior(action);
  }

  RewardPrior prior_;
  double noise_variance_ = 0.0;
  std::vector<double> reward_sum_;
};

/// The same with nothing told: a flat prior on the expected rewards and on the logarithm of the
/// noise's variance.
///   W = sum over all rounds of (reward - mean reward of its action)^2, df = rounds - K
///   kappa = sqrt(df / chi-squared(df)), the uncertainty of the variance itself
///   u(a) = mean reward(a) + kappa sqrt(W / df / N(a)) z(a)
/// Takes every action once, then the one with the largest mean reward until an action has payoffs
/// of two rounds (df = 1), then the one with the largest u. Where sqrt(W / df) is below 1e-13 of
/// the largest |mean reward|, rewards do not vary but for rounding: W counts as 0. All draws behind
/// a probability have the kappa of the decision: given it they are independent. Cost: observe O(K);
/// select O(K) with one normal draw per action, and chi-squared.
class LearningThompsonSampling final : public RewardThompson {
 public:
  LearningThompsonSampling(const PolicySpec& spec, const Knowledge& knowledge)
      : RewardThompson(spec, knowledge), mean_reward_(actions(), 0.0) {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    for (ActionId action = 0; action < actions(); ++action) {
      set_posterior(action, kUnknown, kUnknown);
    }
  }

 private:
  std::uint64_t degrees() const { return observations() - actions_with_feedback(); }
  bool noise_known() const override { return degrees() > 0; }

  /// The action to take as long as nothing is known of the noise.
  std::optional<ActionId> forced(AllowedActions allowed) const override {
    if (!all_have_feedback(allowed)) return untried(allowed);
    if (noise_known()) return std::nullopt;
    return allowed.largest(actions(), [&](ActionId action) { return mean_reward_[action]; });
  }

  double width_factor(const Stream& stream) const override {
    return posterior_scale(stream, decisions(), degrees());
  }
  double factor_95() const override { return student_95(degrees()); }

  /// Of the noise; infinite as long as nothing is known of it.
  double variance() const {
    if (!noise_known()) return std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (const double mean : mean_reward_) largest = std::max(largest, std::abs(mean));
    const double estimate = squares_ / static_cast<double>(degrees());
    return std::sqrt(estimate) > kRounding * largest ? estimate : 0.0;
  }

  /// Refreshes what follows from the pulls and rewards of all actions.
  void update_posteriors() {
    const double variance = this->variance();
    for (ActionId action = 0; action < actions(); ++action) {
      if (pulls(action) == 0) continue;
      const auto count = static_cast<double>(pulls(action));
      set_posterior(action, mean_reward_[action], std::sqrt(variance / count));
    }
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    double& mean = mean_reward_[action];
    const double before = payoffs.reward() - mean;
    mean += before / static_cast<double>(pulls(action));
    squares_ += before * (payoffs.reward() - mean);
    update_posteriors();
  }

  void write_statistics(StateWriter& writer) const override {
    writer.f64s(mean_reward_);
    writer.f64(squares_);
  }
  void read_statistics(StateReader& reader) override {
    reader.f64s(mean_reward_, "policy state: mean rewards");
    squares_ = reader.f64();
    if (!(squares_ >= 0.0) || !std::isfinite(squares_)) {
      throw InvalidInput("policy state: sum of squares", squares_, "must be finite and >= 0");
    }
    update_posteriors();
  }

  std::vector<double> mean_reward_;
  double squares_ = 0.0;  // W
};

}  // namespace

std::unique_ptr<Policy> make_ts(const PolicySpec& spec, const Knowledge& knowledge) {
  if (spec.number("sigma2")) return std::make_unique<ThompsonSampling>(spec, knowledge);
  for (const char* parameter : {"prior_mean", "prior_variance"}) {
    if (const auto given = spec.number(parameter)) {
      throw InvalidInput(fmt::format("ts.{}", parameter), *given,
                         "needs sigma2 too; without sigma2, ts learns both prior and noise");
    }
  }
  return std::make_unique<LearningThompsonSampling>(spec, knowledge);
}

}  // namespace updraft
