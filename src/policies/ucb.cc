#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/index_policy.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// UCB on the total reward, whose noise is m-sub-Gaussian. [auer02; hsieh22, App. D.1]
///   index(a) = mean reward(a) + m * radius(a)
/// Cost: observe and select O(K) at most; one sum per action.
class Ucb final : public IndexPolicy {
 public:
  Ucb(const PolicySpec& spec, const Knowledge& knowledge)
      : IndexPolicy(spec, knowledge, Resolution::total(),
                    exploration_alpha(spec, knowledge, ErrorSplit::kRewards)),
        reward_sum_(actions(), 0.0) {}

 private:
  double mean_reward(ActionId action) const { return reward_sum_[action] * inverse_pulls(action); }

  double index_of(ActionId action) const override {
    return mean_reward(action) + static_cast<double>(variables()) * radius(action);
  }

  double own_radii(ActionId) const override { return static_cast<double>(variables()); }

  Quantity quantity() const override { return Quantity::kReward; }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    explanation.reward = mean_reward(action);
  }

  double reward_reach(ActionId, const ActionExplanation& about) const override {
    return about.index - *about.reward;
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    reward_sum_[action] += payoffs.reward();
    mark_stale(action);
  }

  void write_statistics(StateWriter& writer) const override { writer.f64s(reward_sum_); }
  void read_statistics(StateReader& reader) override {
    reader.f64s(reward_sum_, "policy state: reward sums");
    mark_all_stale();
  }

  std::vector<double> reward_sum_;
};

}  // namespace

std::unique_ptr<Policy> make_ucb(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<Ucb>(spec, knowledge);
}

}  // namespace updraft
