#pragma once

#include <vector>

#include "policies/index_policy.h"

namespace updraft {

/// Sums over V(a) for every action a, fixed from the start.
struct FixedBaseline {
  std::vector<double> means;   ///< what the variables pay if nothing is done, as far as is known
  std::vector<double> bounds;  ///< what the index subtracts
};

/// Known affected sets, and a baseline that no feedback changes.
///   index(a) = sum_{i in V(a)} (mean(a,i) + radius(a)) - bound(a)
/// Cost: observe O(atoms of V(a)); select O(K); one sum per action.
class FixedBaselinePolicy final : public IndexPolicy {
 public:
  FixedBaselinePolicy(const PolicySpec& spec, const Knowledge& knowledge, double alpha,
                      FixedBaseline baseline);

 private:
  double affected_mean(ActionId action) const;
  double index_of(ActionId action) const override;
  double own_radii(ActionId action) const override;
  void describe(ActionId action, ActionExplanation& explanation) const override;
  double uplift_reach(ActionId action, const ActionExplanation& about) const override;
  void absorb(ActionId action, const Payoffs& payoffs) override;
  void write_statistics(StateWriter& writer) const override;
  void read_statistics(StateReader& reader) override;

  FixedBaseline baseline_;
  std::vector<double> affected_sum_;  // of the payoffs in V(a) over the pulls of a
};

}  // namespace updraft
