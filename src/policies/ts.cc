#include <cmath>

#include "policies/all_policies.h"
#include "updraft/error.h"
#include "updraft/state.h"

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
class ThompsonSampling final : public Policy {
 public:
  ThompsonSampling(const PolicySpec& spec, const Knowledge& knowledge)
      : Policy(spec, knowledge, Resolution::total()),
        prior_(*knowledge.reward_prior()),
        reward_sum_(actions(), 0.0) {
    const auto m = static_cast<double>(variables());
    noise_variance_ = m * m * spec.number("sigma2").value();
  }

  Explanation explain() const override {
    Explanation explanation;
    for (ActionId action = 0; action < actions(); ++action) {
      ActionExplanation about;
      about.pulls = pulls(action);
      about.index = posterior_mean(action);
      about.radius = std::sqrt(posterior_variance(action));
      about.reward = about.index;
      explanation.actions.push_back(about);
    }
    return explanation;
  }

 private:
  double precision_denominator(ActionId action) const {
    return noise_variance_ + static_cast<double>(pulls(action)) * prior_.variance;
  }
  double posterior_mean(ActionId action) const {
    return (prior_.mean * noise_variance_ + prior_.variance * reward_sum_[action]) /
           precision_denominator(action);
  }
  double posterior_variance(ActionId action) const {
    return prior_.variance * noise_variance_ / precision_denominator(action);
  }

  bool waiting(ActionId action) const { return pulls(action) == 0 && offers()[action] > 0; }

  ActionId choose(const Stream& stream) override {
    bool all_waiting = true;
    for (ActionId action = 0; action < actions(); ++action) {
      all_waiting = all_waiting && waiting(action);
    }
    const auto round = static_cast<std::uint32_t>(decisions());
    const std::uint64_t first = (decisions() >> 32) * actions();
    ActionId best = 0;
    double best_draw = 0.0;
    bool found = false;
    for (ActionId action = 0; action < actions(); ++action) {
      if (waiting(action) && !all_waiting) continue;
      const double draw = posterior_mean(action) + std::sqrt(posterior_variance(action)) *
                                                       stream.normal(round, first + action);
      if (!found || draw > best_draw) {
        best = action;
        best_draw = draw;
        found = true;
      }
    }
    return best;
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    reward_sum_[action] += payoffs.reward();
  }

  void write_statistics(StateWriter& writer) const override { writer.f64s(reward_sum_); }
  void read_statistics(StateReader& reader) override {
    reader.f64s(reward_sum_, "policy state: reward sums");
  }

  RewardPrior prior_;
  double noise_variance_ = 0.0;
  std::vector<double> reward_sum_;
};

}  // namespace

std::unique_ptr<Policy> make_ts(const PolicySpec& spec, const Knowledge& knowledge) {
  if (!spec.number("sigma2")) {
    throw InvalidInput("ts.sigma2", "missing: give sigma2 (> 0); the noise variance is m^2 sigma2");
  }
  return std::make_unique<ThompsonSampling>(spec, knowledge);
}

}  // namespace updraft
