#pragma once

#include <vector>

#include "policies/index_policy.h"

namespace updraft {

/// Known affected sets, and a baseline that no feedback changes.
///   index(a) = sum_{i in V(a)} (mean(a,i) + radius(a)) - baseline(a)
/// where baseline(a) is a sum over V(a), fixed from the start.
/// Cost: observe O(atoms of V(a)); select O(K); one sum per action.
class FixedBaselinePolicy final : public IndexPolicy {
 public:
  FixedBaselinePolicy(const PolicySpec& spec, const Knowledge& knowledge, double alpha,
                      std::vector<double> baseline);

 private:
  double uplift(ActionId action) const;
  double index_of(ActionId action) const override;
  void describe(ActionId action, ActionExplanation& explanation) const override;
  void absorb(ActionId action, const Payoffs& payoffs) override;
  void write_statistics(StateWriter& writer) const override;
  void read_statistics(StateReader& reader) override;

  std::vector<double> baseline_;
  std::vector<double> affected_sum_;  // of the payoffs in V(a) over the pulls of a
};

}  // namespace updraft
