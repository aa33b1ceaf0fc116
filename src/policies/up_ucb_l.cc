#include <algorithm>

#include "policies/all_policies.h"
#include "policies/variable_sums_policy.h"

namespace updraft {
namespace {

/// UpUCB-L: known L, unknown affected sets and baseline. [hsieh22, Alg. 4]
///   b = the most pulled action, whose payoffs play baseline
///   identified(a) = {i : mean(a,i) +- radius(a) and mean(b,i) +- radius(b) are disjoint}
///   padding(a) = at most 2L - |identified(a)| of the others, largest individual index first,
///   only those > 0
///   index(a) = sum over both of (mean(a,i) + radius(a) - mean(b,i) - radius(b))
/// Cost: observe O(payoffs given); select O(m) for each action observed since the last, O(K m)
/// where b was observed or changed.
class UpUcbL final : public VariableSumsPolicy {
 public:
  UpUcbL(const PolicySpec& spec, const Knowledge& knowledge)
      : VariableSumsPolicy(spec, knowledge),
        baseline_lower_(variables(), 0.0),
        baseline_upper_(variables(), 0.0) {}

  Explanation explain() const override {
    Explanation explanation = VariableSumsPolicy::explain();
    if (observations() > 0) explanation.baseline_action = baseline_action_;
    return explanation;
  }

 private:
  ActionId most_pulled() const {
    const auto counts = Policy::pulls();
    return static_cast<ActionId>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }

  PaddingInputs padding_inputs(ActionId action) const {
    update_baseline();
    return {.sums = sums(action),
            .pulls = count(action),
            .radius = radius(action),
            .baseline_lower = baseline_lower_,
            .baseline_upper = baseline_upper_,
            .budget = 2 * *knowledge().max_affected(),
            .positive_only = true};
  }

  /// The intervals of the action that plays baseline, where they may have changed.
  void update_baseline() const {
    if (!baseline_stale_) return;
    const auto baseline_sums = sums(baseline_action_);
    const double half_width = radius(baseline_action_);
    for (std::size_t i = 0; i < baseline_sums.size(); ++i) {
      const double mean = baseline_sums[i] / count(baseline_action_);
      baseline_lower_[i] = mean - half_width;
      baseline_upper_[i] = mean + half_width;
    }
    baseline_stale_ = false;
  }

  double index_of(ActionId action) const override {
    return padded_index(padding_inputs(action), rest_);
  }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    describe_padded(padding_inputs(action), explanation);
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    VariableSumsPolicy::absorb(action, payoffs);
    const ActionId baseline = most_pulled();
    if (baseline != baseline_action_ || action == baseline) set_baseline(baseline);
  }

  void read_statistics(StateReader& reader) override {
    VariableSumsPolicy::read_statistics(reader);
    set_baseline(most_pulled());
  }

  void set_baseline(ActionId action) {
    baseline_action_ = action;
    baseline_stale_ = true;
    mark_all_stale();
  }

  ActionId baseline_action_ = 0;  // the most pulled, the lowest id among equals
  mutable bool baseline_stale_ = true;
  mutable std::vector<double> baseline_lower_;
  mutable std::vector<double> baseline_upper_;
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_l(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbL>(spec, knowledge);
}

}  // namespace updraft
