#include "policies/all_policies.h"
#include "policies/variable_sums_policy.h"

namespace updraft {
namespace {

/// UpUCB-L(bl): known baseline and L(a), unknown affected sets. [hsieh22, Alg. 3; Appendix A.3 for
/// a bound that differs from action to action]
///   identified(a) = {i : baseline(i) outside mean(a,i) +- radius(a)}
///   padding(a) = the L(a) - |identified(a)| of the others with the largest individual index
///   index(a) = sum over both of (mean(a,i) + radius(a) - baseline(i))
/// Cost: observe O(payoffs given); select O(K), and for each action observed since the last O(m),
/// or with counts and few baseline levels O(levels) (LevelCounts).
class UpUcbLKnownBaseline final : public VariableSumsPolicy {
 public:
  UpUcbLKnownBaseline(const PolicySpec& spec, const Knowledge& knowledge)
      : VariableSumsPolicy(spec, knowledge) {
    count_by_levels();
  }

 private:
  double index_of(ActionId action) const override { return index_padded_to_l(action); }

  double own_radii(ActionId action) const override { return counted_padded(padding_to_l(action)); }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    explanation.uplift = describe_padded(padding_to_l(action), explanation);
  }
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_l_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbLKnownBaseline>(spec, knowledge);
}

}  // namespace updraft
