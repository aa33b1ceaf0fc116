#include <algorithm>
#include <limits>

#include "policies/all_policies.h"
#include "policies/variable_sums_policy.h"
#include "stats/count_bounds.h"
#include "stats/padding_scan.h"

namespace updraft {
namespace {

/// UpUCB-L: known L(a), unknown affected sets and baseline. [hsieh22, Alg. 4, with a bound for each
/// action as in Appendix A.3: L(a) + L(b), which bounds the variables in which a and b can differ,
/// in place of 2L]
///   b = the most pulled action, whose payoffs play baseline
///   identified(a) = {i : mean(a,i) +- radius(a) and mean(b,i) +- radius(b) are disjoint}
///   padding(a) = at most L(a) + L(b) - |identified(a)| of the others, largest individual index
///   first, only those > 0
///   index(a) = sum over both of (mean(a,i) + radius(a) - mean(b,i) - radius(b))
///
/// The intervals of b move in almost every round, and with them all K indices. Most of them cannot
/// win and are not computed, thanks to upper bounds: with 0/1 payoffs those of CountBounds, else
/// PaddedIndex::limit and what the intervals of b let it grow. b itself has index 0.
/// Cost: observe O(payoffs given), and where b is observed O(K m / 512); select O(K), and O(m) for
/// each index that is computed: of the action observed last, all where b changes to another action,
/// else those that might win.
class UpUcbL final : public VariableSumsPolicy {
 public:
  UpUcbL(const PolicySpec& spec, const Knowledge& knowledge)
      : VariableSumsPolicy(spec, knowledge),
        count_bounds_(actions(), variables()),
        limit_(actions(), kUnknown) {
    prune_by_bounds();
  }

  Explanation explain(Detail detail) const override {
    Explanation explanation = VariableSumsPolicy::explain(detail);
    explanation.reference_moves = true;
    return explanation;
  }

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  ActionId most_pulled() const {
    const auto counts = Policy::pulls();
    return static_cast<ActionId>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }

  std::size_t budget(ActionId action) const {
    return knowledge().max_affected(action) + knowledge().max_affected(baseline_action_);
  }

  PaddingInputs padding_inputs(ActionId action) const {
    update_intervals();
    return {.row = sums(action),
            .pulls = count(action),
            .radius = radius(action),
            .baseline_lower = baseline_lower_,
            .baseline_upper = baseline_upper_,
            .budget = budget(action),
            .positive_only = true};
  }

  CountPaddingInputs count_inputs(ActionId action) const {
    return {.counts = sums(action).counts(),
            .baseline_counts = sums(baseline_action_).counts(),
            .largest = payoff_sums().largest(action),
            .baseline_largest = payoff_sums().largest(baseline_action_),
            .pulls = pulls(action),
            .baseline_pulls = pulls(baseline_action_),
            .radius = radius(action),
            .baseline_radius = radius(baseline_action_),
            .budget = budget(action)};
  }

  bool by_counts(ActionId action) const {
    return payoff_sums().whole() && differences_fit(count_inputs(action));
  }

  /// The intervals of b, where they may have changed.
  void update_intervals() const {
    if (!intervals_stale_) return;
    baseline_lower_.resize(variables(), 0.0);
    baseline_upper_.resize(variables(), 0.0);
    const PayoffRow row = sums(baseline_action_);
    const double width = 2.0 * interval_radius_;
    interval_radius_ = radius(baseline_action_);
    limit_growth_ += shift_baseline(
        {.row = row, .pulls = count(baseline_action_), .radius = interval_radius_, .width = width},
        baseline_lower_.data(), baseline_upper_.data());
    intervals_stale_ = false;
  }

  double index_of(ActionId action) const override {
    if (action == baseline_action_) return 0.0;
    if (by_counts(action)) return count_bounds_.compute(action, count_inputs(action), scratch_);
    const PaddedIndex padded = padded_index(padding_inputs(action), scratch_);
    limit_[action] = padded.limit - limit_growth_;
    return padded.index;
  }

  /// b has index 0, whatever its radius.
  double own_radii(ActionId action) const override {
    return action == baseline_action_ ? 0.0 : counted_padded(padding_inputs(action));
  }

  double baseline_shrinkage(ActionId, double own) const override {
    return own * shrinkage(baseline_action_);
  }

  double upper_bound(ActionId action) const override {
    if (by_counts(action)) return count_bounds_.upper_bound(action, count_inputs(action));
    update_intervals();
    return limit_[action] + limit_growth_;
  }

  std::optional<ActionId> reference() const override {
    return observations() > 0 ? std::optional(baseline_action_) : std::nullopt;
  }

  /// b need not leave the variables alone: what is known is how a differs from it.
  void describe(ActionId action, ActionExplanation& explanation) const override {
    const double estimate = describe_padded(padding_inputs(action), explanation);
    const double reach = std::max(static_cast<double>(explanation.identified->size()) *
                                      (radius(action) + radius(baseline_action_)),
                                  explanation.index - estimate);
    explanation.difference = {.estimate = estimate,
                              .standard_error = std::nullopt,
                              .interval = {estimate - reach, estimate + reach}};
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    const bool was_whole = payoff_sums().whole();
    bool only_ones = true;
    if (action == baseline_action_) {
      add(action, payoffs, [&](VariableId i, std::uint16_t before, std::uint16_t after) {
        only_ones = only_ones && after == before + 1;
        count_bounds_.paid_one(i);
      });
      count_bounds_.end_round();
    } else {
      add(action, payoffs, [](VariableId, std::uint16_t, std::uint16_t) {});
    }
    mark_stale(action);
    count_bounds_.forget(action);
    limit_[action] = kUnknown;
    const ActionId baseline = most_pulled();
    if (baseline != baseline_action_ || pulls(baseline) == 1 || !only_ones ||
        was_whole != payoff_sums().whole()) {
      set_baseline(baseline);
    } else if (action == baseline) {
      intervals_stale_ = true;
      mark_all_stale();
    }
  }

  void read_statistics(StateReader& reader) override {
    VariableSumsPolicy::read_statistics(reader);
    set_baseline(most_pulled());
  }

  /// b, from here on or anew: what was known of upper bounds does not hold.
  void set_baseline(ActionId action) {
    baseline_action_ = action;
    intervals_stale_ = true;
    limit_growth_ = 0.0;
    limit_.assign(actions(), kUnknown);
    count_bounds_.forget_all();
    mark_all_stale();
  }

  ActionId baseline_action_ = 0;  // b: the most pulled, the lowest id among equals
  mutable CountBounds count_bounds_;

  // Where the sums are not counts: intervals of b, and bounds of the indices.
  mutable bool intervals_stale_ = true;
  mutable double interval_radius_ = 0.0;
  mutable std::vector<double> baseline_lower_;
  mutable std::vector<double> baseline_upper_;
  mutable std::vector<double> limit_;  // per action, less limit_growth_ when it was computed
  mutable double limit_growth_ = 0.0;  // of any limit since set_baseline()
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_l(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbL>(spec, knowledge);
}

}  // namespace updraft
