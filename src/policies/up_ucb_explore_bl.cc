#include <limits>

#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/saved_sets.h"
#include "policies/variable_sums_policy.h"

namespace updraft {
namespace {

/// Explore, then UpUCB(bl): known baseline and Delta, unknown affected sets. A yardstick that the
/// paper improves on: it takes every action n0 times, even those that fewer pulls tell to be bad.
/// [hsieh22, Section 6.2, before Thm 3]
///   n0 = ceil(8 / Delta^2 * alpha)
///   identified(a) = {i : |mean(a,i) - baseline(i)| > Delta / 2} at the n0-th pull of a, for good
///   index(a) = sum over identified(a) of (mean(a,i) + radius(a) - baseline(i)); +infinity before
/// Of the actions at +infinity comes the one offered least often, the lowest id among equals.
/// Cost: observe O(payoffs given), once per action O(m); select O(K), and |identified(a)| for each
/// action observed since the last.
class UpUcbExploreKnownBaseline final : public VariableSumsPolicy {
 public:
  UpUcbExploreKnownBaseline(const PolicySpec& spec, const Knowledge& knowledge)
      : VariableSumsPolicy(spec, knowledge),
        enough_pulls_(identification_pulls(8.0, *knowledge.min_uplift(), alpha())),
        identified_(actions()) {}

 private:
  bool exploring(ActionId action) const { return pulls(action) < enough_pulls_; }

  ActionId choose(const Stream& stream) override { return choose_among({}, stream); }

  ActionId choose_among(AllowedActions allowed, const Stream& stream) override {
    std::optional<ActionId> next;
    allowed.for_each(actions(), [&](ActionId action) {
      if (exploring(action) && (!next || offers()[action] < offers()[*next])) next = action;
    });
    if (next) return *next;
    return VariableSumsPolicy::choose_among(allowed, stream);
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    VariableSumsPolicy::absorb(action, payoffs);
    if (pulls(action) == enough_pulls_) {
      identified_[action] =
          variables_above_threshold(farther_than(0.5 * *knowledge().min_uplift(), action));
    }
  }

  double uplift(ActionId action) const {
    const std::vector<double>& baseline = *knowledge().baseline();
    const PayoffRow row = sums(action);
    double uplift = 0.0;
    identified_[action].for_each(
        [&](VariableId i) { uplift += row[i] * inverse_pulls(action) - baseline[i]; });
    return uplift;
  }

  double index_of(ActionId action) const override {
    if (exploring(action)) return std::numeric_limits<double>::infinity();
    return uplift(action) + own_radii(action) * radius(action);
  }

  double own_radii(ActionId action) const override {
    return static_cast<double>(identified_[action].size());
  }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    explanation.identified = identified_[action];
    explanation.padding = VariableSet();
    explanation.uplift = exploring(action)
                             ? sum_above_threshold(farther_than(kEveryVariable, action)).uplift
                             : uplift(action);
  }

  void write_statistics(StateWriter& writer) const override {
    for (const VariableSet& set : identified_) write_set(set, writer);
    VariableSumsPolicy::write_statistics(writer);
  }

  void read_statistics(StateReader& reader) override {
    for (VariableSet& set : identified_) {
      set = read_set(reader, variables(), "policy state: identified");
    }
    VariableSumsPolicy::read_statistics(reader);
  }

  std::uint64_t enough_pulls_;
  std::vector<VariableSet> identified_;  // per action, empty while exploring
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_explore_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbExploreKnownBaseline>(spec, knowledge);
}

}  // namespace updraft
