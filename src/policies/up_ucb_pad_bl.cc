#include <algorithm>
#include <numeric>

#include "policies/all_policies.h"
#include "policies/variable_sums_policy.h"
#include "stats/top_sum.h"

namespace updraft {
namespace {

/// Padding without identification: known baseline and L(a), unknown affected sets. A yardstick that
/// the paper argues against: it bounds the uplift from above as UpUCB-L(bl) does, but overestimates
/// it wherever an action lowers payoffs, however often that was seen. [hsieh22, Section 6.1, after
/// Thm 2]
///   index(a) = sum of the L(a) largest of mean(a,i) + radius(a) - baseline(i)
/// Cost: observe O(payoffs given); select O(m) for each action observed since the last, O(K) else.
class UpUcbPadKnownBaseline final : public VariableSumsPolicy {
 public:
  UpUcbPadKnownBaseline(const PolicySpec& spec, const Knowledge& knowledge)
      : VariableSumsPolicy(spec, knowledge) {}

 private:
  std::size_t counted(ActionId action) const { return knowledge().max_affected(action); }

  /// mean(a,i) - baseline(i), per variable.
  void find_differences(ActionId action) const {
    const std::vector<double>& baseline = *knowledge().baseline();
    const PayoffRow row = sums(action);
    scratch_.rest.resize(variables());
    for (VariableId i = 0; i < variables(); ++i) {
      scratch_.rest[i] = row[i] * inverse_pulls(action) - baseline[i];
    }
  }

  double index_of(ActionId action) const override {
    find_differences(action);
    return top_sum(scratch_.rest, counted(action), scratch_.selection) +
           static_cast<double>(counted(action)) * radius(action);
  }

  double own_radii(ActionId action) const override { return static_cast<double>(counted(action)); }

  /// There is no uplift: the counted variables were chosen for their large means.
  Quantity quantity() const override { return Quantity::kReward; }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    find_differences(action);
    const std::vector<double>& differences = scratch_.rest;
    std::vector<VariableId> order(variables());
    std::iota(order.begin(), order.end(), VariableId{0});
    std::stable_sort(order.begin(), order.end(), [&](VariableId one, VariableId other) {
      return differences[one] > differences[other];
    });
    order.resize(counted(action));
    explanation.identified = VariableSet();
    explanation.padding = VariableSet::from_ids(order);
  }
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_pad_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbPadKnownBaseline>(spec, knowledge);
}

}  // namespace updraft
