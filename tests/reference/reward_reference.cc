// The policies that look at the reward alone: ucb and ts.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "random/chi_squared.h"
#include "reference/reference_parameters.h"
#include "reference/ucb_reference.h"

namespace updraft::testing {

namespace {

/// UCB on the reward, which is m-sub-Gaussian. [hsieh22, section 2]
///   index(a) = mean reward(a) + m radius(a)
class Ucb final : public UcbReference {
 public:
  using UcbReference::UcbReference;

 protected:
  double index(ActionId a) const override {
    return mean_reward(a) + static_cast<double>(variables()) * radius(a);
  }
};

/// Thompson sampling with Gaussian prior N(mu0, v0) and Gaussian noise of variance
/// s2 = m^2 sigma2 on the reward. [hsieh22, appendix on the experiments, 'Thompson Sampling']
///   posterior mean     = (mu0 s2 + v0 sum of rewards) / (s2 + N(a) v0)
///   posterior variance = v0 s2 / (s2 + N(a) v0)
///   index(a)           = posterior mean + sqrt(posterior variance) z(a)
/// An action that was offered and has no observation yet is left out (-infinity), unless that
/// leaves none that is allowed.
class Ts final : public ReferencePolicy {
 public:
  Ts(const PolicySpec& spec, const Knowledge& knowledge)
      : ReferencePolicy(knowledge.actions(), knowledge.variables()) {
    const double m = static_cast<double>(knowledge.variables());
    noise_variance_ = m * m * given_number(spec, "sigma2");
    const std::optional<RewardPrior> prior = knowledge.reward_prior();
    std::optional<double> known_mean;
    std::optional<double> known_variance;
    if (prior) known_mean = prior->mean;
    if (prior) known_variance = prior->variance;
    prior_mean_ = given_number(spec, "prior_mean", known_mean);
    prior_variance_ = given_number(spec, "prior_variance", known_variance);
  }

  std::vector<double> indices(const Stream& stream) const override {
    bool any_candidate = false;
    for (const ActionId a : allowed()) {
      if (!awaits_first_feedback(a)) any_candidate = true;
    }
    std::vector<double> draws;
    for (ActionId a = 0; a < actions(); ++a) {
      const double z = stream.normal(static_cast<std::uint32_t>(decisions()), a);
      const bool left_out = any_candidate && awaits_first_feedback(a);
      draws.push_back(left_out ? -std::numeric_limits<double>::infinity()
                               : posterior_mean(a) + std::sqrt(posterior_variance(a)) * z);
    }
    return draws;
  }

  std::optional<double> explained_index(ActionId a) const override { return posterior_mean(a); }

  std::optional<double> explained_radius(ActionId a) const override {
    return std::sqrt(posterior_variance(a));
  }

  double magnitude(ActionId a) const override {
    return std::abs(posterior_mean(a)) + std::sqrt(posterior_variance(a));
  }

 private:
  bool awaits_first_feedback(ActionId a) const { return offers(a) > 0 && pulls(a) == 0; }

  double posterior_mean(ActionId a) const {
    double reward_sum = 0.0;
    for (VariableId i = 0; i < variables(); ++i) reward_sum += sum(a, i);
    return (prior_mean_ * noise_variance_ + prior_variance_ * reward_sum) /
           (noise_variance_ + static_cast<double>(pulls(a)) * prior_variance_);
  }

  double posterior_variance(ActionId a) const {
    return prior_variance_ * noise_variance_ /
           (noise_variance_ + static_cast<double>(pulls(a)) * prior_variance_);
  }

  double noise_variance_ = 0.0;
  double prior_mean_ = 0.0;
  double prior_variance_ = 0.0;
};

/// Thompson sampling on the reward that is told nothing: flat prior on the expected rewards and on
/// the logarithm of the noise's variance. With n rounds in all, x the rewards and df = n less the
/// number of actions that have feedback,
///   s2       = sum over all rounds of (x - mean reward of the round's action)^2 / df
///   index(a) = mean reward(a) + sqrt(df / chi-squared(df)) sqrt(s2 / N(a)) z(a)
/// Actions without feedback first; as long as df = 0, index(a) = mean reward(a). s2 = 0 where its
/// root is at most 1e-13 of the largest |mean reward|. z(a) is normal a
/// of the round, the chi-squared is drawn from 2^32 on.
class LearningTs final : public ReferencePolicy {
 public:
  explicit LearningTs(const Knowledge& knowledge)
      : ReferencePolicy(knowledge.actions(), knowledge.variables()),
        rewards_(knowledge.actions()) {}

  std::vector<double> indices(const Stream& stream) const override {
    const auto round = static_cast<std::uint32_t>(decisions());
    double kappa = 0.0;
    if (const std::uint64_t df = degrees(); df > 0) {
      kappa = std::sqrt(static_cast<double>(df) /
                        chi_squared(stream, round, std::uint64_t{1} << 32, df));
    }
    std::vector<double> draws;
    for (ActionId a = 0; a < actions(); ++a) {
      const double width = degrees() > 0 ? kappa * sd(a) : 0.0;
      draws.push_back(pulls(a) == 0 ? std::numeric_limits<double>::infinity()
                                    : mean_of(a) + width * stream.normal(round, a));
    }
    return draws;
  }

  std::optional<double> explained_index(ActionId a) const override {
    return pulls(a) == 0 ? std::numeric_limits<double>::infinity() : mean_of(a);
  }

  std::optional<double> explained_radius(ActionId a) const override {
    return pulls(a) == 0 || degrees() == 0 ? std::numeric_limits<double>::infinity() : sd(a);
  }

  double magnitude(ActionId a) const override {
    return std::abs(mean_of(a)) + (pulls(a) > 0 && degrees() > 0 ? sd(a) : 0.0);
  }

 private:
  void after_observe(ActionId a, std::span<const double> payoffs) override {
    double reward = 0.0;
    for (const double y : payoffs) reward += y;
    rewards_[a].push_back(reward);
  }

  std::uint64_t degrees() const {
    std::uint64_t df = 0;
    for (const auto& of_action : rewards_) {
      if (!of_action.empty()) df += of_action.size() - 1;
    }
    return df;
  }

  double mean_of(ActionId a) const {
    long double total = 0.0L;
    for (const double reward : rewards_[a]) total += reward;
    return rewards_[a].empty() ? 0.0 : static_cast<double>(total / rewards_[a].size());
  }

  double sd(ActionId a) const {
    double squares = 0.0;
    double largest = 0.0;
    for (ActionId b = 0; b < actions(); ++b) {
      const double mean = mean_of(b);
      largest = std::max(largest, std::abs(mean));
      for (const double reward : rewards_[b]) squares += (reward - mean) * (reward - mean);
    }
    const double variance = squares / static_cast<double>(degrees());
    if (std::sqrt(variance) <= 1e-13 * largest) return 0.0;
    return std::sqrt(variance / static_cast<double>(pulls(a)));
  }

  std::vector<std::vector<double>> rewards_;  // per action
};

}  // namespace

ReferencePointer reference_ucb(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<Ucb>(spec, knowledge);
}

ReferencePointer reference_ts(const PolicySpec& spec, const Knowledge& knowledge) {
  if (!spec.number("sigma2")) return std::make_unique<LearningTs>(knowledge);
  return std::make_unique<Ts>(spec, knowledge);
}

}  // namespace updraft::testing
