#include <cmath>

#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/fixed_baseline.h"

namespace updraft {

/// UpUCB with the baseline's lower bounds taken from a table of observations made before the
/// start. [hsieh22, 'Estimating Baseline Payoffs from Observational Data']
///   index(a) = sum_{i in V(a)} (mean(a,i) + radius(a) - (observed mean(i) - sqrt(2 alpha / n(i))))
/// The table never grows, so its errors stay: regret is linear where they exceed the gap.
/// Choice where the paper is silent: delta is split as for up_ucb, whose union bound also covers
/// the baselines of the affected variables.
std::unique_ptr<Policy> make_up_ucb_obs(const PolicySpec& spec, const Knowledge& knowledge) {
  const double alpha = exploration_alpha(spec, knowledge, ErrorSplit::kAffectedVariables);
  const BaselineObservations& table = *knowledge.observations();
  FixedBaseline baseline{.means = std::vector<double>(knowledge.actions(), 0.0),
                         .bounds = std::vector<double>(knowledge.actions(), 0.0)};
  for (ActionId action = 0; action < knowledge.actions(); ++action) {
    knowledge.affected()->of(action).for_each([&](VariableId i) {
      baseline.means[action] += table.means[i];
      baseline.bounds[action] += table.means[i] - std::sqrt(2.0 * alpha / table.counts[i]);
    });
  }
  return std::make_unique<FixedBaselinePolicy>(spec, knowledge, alpha, std::move(baseline));
}

}  // namespace updraft
