#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/fixed_baseline.h"

namespace updraft {

/// UpUCB(bl): known affected sets and baseline. [hsieh22, Alg. 1]
///   index(a) = sum_{i in V(a)} (mean(a,i) + radius(a) - baseline(i))
std::unique_ptr<Policy> make_up_ucb_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  const std::vector<double>& means = *knowledge.baseline();
  std::vector<double> baseline(knowledge.actions(), 0.0);
  for (ActionId action = 0; action < knowledge.actions(); ++action) {
    knowledge.affected()->of(action).for_each([&](VariableId i) { baseline[action] += means[i]; });
  }
  return std::make_unique<FixedBaselinePolicy>(
      spec, knowledge, exploration_alpha(spec, knowledge, ErrorSplit::kRewards),
      FixedBaseline{.means = baseline, .bounds = baseline});
}

}  // namespace updraft
