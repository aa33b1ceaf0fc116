#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/variable_sums_policy.h"

namespace updraft {
namespace {

/// UpUCB-L(bl) and UpUCB-iLift(bl) together: known baseline, L(a) and Delta. [hsieh22, remark after
/// Thm 3]
///   pulls(a) < n0 = ceil(8 / Delta^2 * alpha): the index of up_ucb_l_bl
///   from then on: sum over {i : |mean(a,i) - baseline(i)| > Delta / 2} of
///   (mean(a,i) + radius(a) - baseline(i))
/// Cost: observe O(payoffs given); select O(m) for each action observed since the last, O(K) else.
class UpUcbLILiftKnownBaseline final : public VariableSumsPolicy {
 public:
  UpUcbLILiftKnownBaseline(const PolicySpec& spec, const Knowledge& knowledge)
      : VariableSumsPolicy(spec, knowledge),
        enough_pulls_(identification_pulls(8.0, *knowledge.min_uplift(), alpha())) {
    count_by_levels();
  }

 private:
  bool thresholded(ActionId action) const { return pulls(action) >= enough_pulls_; }

  ThresholdInputs identified(ActionId action) const {
    return farther_than(0.5 * *knowledge().min_uplift(), action);
  }

  double index_of(ActionId action) const override {
    return thresholded(action) ? thresholded_index(identified(action), action)
                               : index_padded_to_l(action);
  }

  double own_radii(ActionId action) const override {
    return thresholded(action) ? counted_above(identified(action))
                               : counted_padded(padding_to_l(action));
  }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    if (thresholded(action)) {
      describe_thresholded(identified(action), explanation);
    } else {
      explanation.uplift = describe_padded(padding_to_l(action), explanation);
    }
  }

  std::uint64_t enough_pulls_;
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_l_ilift_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbLILiftKnownBaseline>(spec, knowledge);
}

}  // namespace updraft
