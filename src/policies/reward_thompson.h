#pragma once

#include <optional>
#include <vector>

#include "policies/decision_normals.h"
#include "updraft/policy.h"

namespace updraft {

/// What the policies that draw from a posterior of the total reward share: the posterior of each
/// action is normal, given a factor that widens all of them and that may be drawn as well.
///   value(a) = mean(a) + factor * sd(a) * z(a)
/// Takes the action with the largest value, the lowest id among equals. An action that was offered
/// and has no feedback yet is left out as long as there are others. In a round that allows only
/// some actions, all of this is about these.
class RewardThompson : public Policy {
 public:
  Explanation explain(Detail detail) const override;
  double index(ActionId action) const override { return mean_[action]; }

 protected:
  RewardThompson(const PolicySpec& spec, const Knowledge& knowledge);

  void set_posterior(ActionId action, double mean, double sd) {
    mean_[action] = mean;
    sd_[action] = sd;
  }

 private:
  /// The action to take without a draw; absent if a draw decides.
  virtual std::optional<ActionId> forced(AllowedActions) const { return std::nullopt; }
  /// For the decision at hand. Only asked if a draw decides.
  virtual double width_factor(const Stream& stream) const = 0;
  /// How many sd(a) from the mean an interval reaches that holds 95 % of the posterior.
  virtual double factor_95() const = 0;
  virtual bool noise_known() const { return true; }

  bool waiting(ActionId action) const { return pulls()[action] == 0 && offers()[action] > 0; }
  bool leaves_out_waiting(AllowedActions allowed) const;
  ActionId choose(const Stream& stream) override { return choose_among({}, stream); }
  ActionId choose_among(AllowedActions allowed, const Stream& stream) override;
  std::vector<double> probabilities_given(ActionId action, const Stream& stream,
                                          AllowedActions allowed) override;

  std::vector<double> mean_;  // of the posteriors; infinite while unknown
  std::vector<double> sd_;
  DecisionNormals draws_;
};

}  // namespace updraft
