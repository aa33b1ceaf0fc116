// The policies that look at the reward alone: ucb and ts.

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

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
/// leaves none.
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
    for (ActionId a = 0; a < actions(); ++a) {
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

}  // namespace

ReferencePointer reference_ucb(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<Ucb>(spec, knowledge);
}

ReferencePointer reference_ts(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<Ts>(spec, knowledge);
}

}  // namespace updraft::testing
