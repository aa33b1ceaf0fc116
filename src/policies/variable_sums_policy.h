#pragma once

#include <optional>

#include "policies/exploration.h"
#include "policies/index_policy.h"
#include "stats/identify_and_pad.h"
#include "stats/level_counts.h"
#include "stats/payoff_sums.h"
#include "stats/threshold.h"

namespace updraft {

/// What the policies with unknown affected sets share: a sum of payoffs for every action and
/// variable, and delta split over all of them.
class VariableSumsPolicy : public IndexPolicy {
 public:
  /// With the mean rewards.
  Explanation explain(Detail detail) const override;

 protected:
  VariableSumsPolicy(const PolicySpec& spec, const Knowledge& knowledge,
                     ErrorSplit split = ErrorSplit::kAllVariables);

  PayoffRow sums(ActionId action) const { return sums_.of(action); }
  const PayoffSums& payoff_sums() const { return sums_; }
  double count(ActionId action) const { return static_cast<double>(pulls(action)); }
  double mean_reward(ActionId action) const;

  /// Identification against the known baseline, padded to L(a). [hsieh22, Alg. 3]
  PaddingInputs padding_to_l(ActionId action) const;
  /// The variables farther than `threshold` from the known baseline. [hsieh22, Alg. 5]
  ThresholdInputs farther_than(double threshold, ActionId action) const;

  /// index = sum over the variables above the threshold of (mean + radius - baseline).
  double thresholded_index(const ThresholdInputs& in, ActionId action) const;

  /// How many variables count: those above the threshold; those identified, and their padding.
  static double counted_above(const ThresholdInputs& in) {
    return static_cast<double>(sum_above_threshold(in).count);
  }
  static double counted_padded(const PaddingInputs& in) {
    const PaddedSets sets = padded_sets(in);
    return static_cast<double>(sets.identified.size() + sets.padding.size());
  }

  /// Shows the sets. Returns the sum over the identified variables of (mean - baseline).
  static double describe_padded(const PaddingInputs& in, ActionExplanation& explanation);
  static void describe_thresholded(const ThresholdInputs& in, ActionExplanation& explanation);

  /// Identification against the known baseline, padded to L(a): its index. By levels of the
  /// baseline where that is worth it, else by variables.
  double index_padded_to_l(ActionId action) const;

  /// Keeps counts by levels of the known baseline, for index_padded_to_l().
  void count_by_levels();

  /// The radii of the identified variables, at least up to the index.
  double uplift_reach(ActionId action, const ActionExplanation& about) const override;

  /// Adds the payoffs and marks the index of `action` stale.
  void absorb(ActionId action, const Payoffs& payoffs) override;
  void write_statistics(StateWriter& writer) const override { sums_.write(writer); }
  /// Marks all indices stale.
  void read_statistics(StateReader& reader) override;

  mutable PaddingScratch scratch_;  ///< of padded_index

  /// Adds the payoffs, calling raise() as PayoffSums::add.
  template <typename Raise>
  void add(ActionId action, const Payoffs& payoffs, Raise raise) {
    sums_.add(action, payoffs, raise);
  }

 private:
  PayoffSums sums_;
  std::optional<LevelCounts> levels_;
};

}  // namespace updraft
