#include <algorithm>
#include <cmath>
#include <limits>

#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/variable_sums_policy.h"
#include "stats/confidence.h"
#include "updraft/error.h"
#include "updraft/state.h"

namespace updraft {
namespace {

/// UpUCB-iLift: known Delta, unknown baseline and affected sets. Delta also bounds from below how
/// much the effects of two actions on a variable differ. [hsieh22, Alg. 6]
/// Phase I, successive elimination: rounds of taking every active action once, in order of id;
///   after round r those with mean reward + 2 m sqrt(2 alpha / r) below the best are dropped;
///   n0 = ceil(32 / Delta^2 * alpha) rounds.
/// Phase II: baseline set of i = the actions whose interval meets that of another action, as the
///   intervals stood at the end of phase I, dropped actions too; identified(a) = {i : a not in it};
///   U0(i) = upper bound of the most pulled action of the set (0 where it is empty);
///   index(a) = sum over identified(a) of (mean(a,i) + radius(a) - U0(i)), active actions only.
/// With late feedback a round is complete once every active action has that many pulls; until
/// then the active action offered least often comes next.
/// The horizon is asked for because delta' depends on it; the schedule itself does not.
/// Cost: observe O(payoffs given), once O(m K log K); select in phase II O(K + sum of
/// |identified(a)| K).
class UpUcbILift final : public VariableSumsPolicy {
 public:
  UpUcbILift(const PolicySpec& spec, const Knowledge& knowledge)
      : VariableSumsPolicy(spec, knowledge),
        elimination_rounds_(identification_pulls(32.0, *knowledge.min_uplift(), alpha())),
        active_(actions(), 1) {}

  Explanation explain() const override {
    Explanation explanation = VariableSumsPolicy::explain();
    explanation.active = std::vector<bool>(active_.begin(), active_.end());
    return explanation;
  }

 private:
  bool eliminating() const { return completed_rounds_ < elimination_rounds_; }

  double elimination_radius(std::uint64_t round) const {
    return static_cast<double>(variables()) * confidence_radius(alpha(), round);
  }

  ActionId choose(const Stream& stream) override {
    if (!eliminating()) return VariableSumsPolicy::choose(stream);
    const auto taken = [&](ActionId action) { return std::max(offers()[action], pulls(action)); };
    ActionId next = first_active();
    for (ActionId action = next; action < actions(); ++action) {
      if (active_[action] && taken(action) < taken(next)) next = action;
    }
    return next;
  }

  ActionId first_active() const {
    return static_cast<ActionId>(std::find(active_.begin(), active_.end(), 1u) - active_.begin());
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    VariableSumsPolicy::absorb(action, payoffs);
    while (eliminating() && least_active_pulls() > completed_rounds_) complete_round();
    mark_all_stale();
  }

  std::uint64_t least_active_pulls() const {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (ActionId action = 0; action < actions(); ++action) {
      if (active_[action]) least = std::min(least, pulls(action));
    }
    return least;
  }

  void complete_round() {
    ++completed_rounds_;
    std::vector<double> rewards(actions(), -std::numeric_limits<double>::infinity());
    for (ActionId action = 0; action < actions(); ++action) {
      if (active_[action]) rewards[action] = mean_reward(action);
    }
    const double best = *std::max_element(rewards.begin(), rewards.end());
    const double slack = 2.0 * elimination_radius(completed_rounds_);
    for (ActionId action = 0; action < actions(); ++action) {
      if (rewards[action] + slack < best) active_[action] = 0;
    }
    if (!eliminating()) find_baseline_sets();
  }

  /// In which baseline sets an action is, as bits of `baseline_sets_`.
  std::size_t words() const { return (actions() + 63) / 64; }
  bool in_baseline_set(VariableId i, ActionId action) const {
    return (baseline_sets_[i * words() + action / 64] >> (action % 64)) & 1;
  }

  void find_baseline_sets() {
    struct Interval {
      double lower;
      double upper;
      ActionId action;
    };
    baseline_sets_.assign(variables() * words(), 0);
    std::vector<Interval> intervals(actions());
    for (VariableId i = 0; i < variables(); ++i) {
      for (ActionId action = 0; action < actions(); ++action) {
        const double mean = sums(action)[i] / count(action);
        intervals[action] = {mean - radius(action), mean + radius(action), action};
      }
      std::sort(intervals.begin(), intervals.end(),
                [](const Interval& a, const Interval& b) { return a.lower < b.lower; });
      double reach = -std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < intervals.size(); ++j) {
        const bool meets_earlier = reach >= intervals[j].lower;
        const bool meets_later =
            j + 1 < intervals.size() && intervals[j + 1].lower <= intervals[j].upper;
        if (meets_earlier || meets_later) {
          const ActionId action = intervals[j].action;
          baseline_sets_[i * words() + action / 64] |= std::uint64_t{1} << (action % 64);
        }
        reach = std::max(reach, intervals[j].upper);
      }
    }
    find_identified();
  }

  /// identified(a), from the baseline sets.
  void find_identified() {
    identified_.assign(actions(), {});
    for (VariableId i = 0; i < variables(); ++i) {
      for (ActionId action = 0; action < actions(); ++action) {
        if (!in_baseline_set(i, action)) identified_[action].push_back(i);
      }
    }
  }

  /// The action that plays baseline for a variable, if any.
  std::optional<ActionId> baseline_action(VariableId i) const {
    std::optional<ActionId> found;
    for (ActionId action = 0; action < actions(); ++action) {
      if (in_baseline_set(i, action) && (!found || pulls(action) > pulls(*found))) found = action;
    }
    return found;
  }

  double index_of(ActionId action) const override {
    if (!active_[action]) return -std::numeric_limits<double>::infinity();
    if (eliminating()) {
      return mean_reward(action) +
             2.0 * elimination_radius(std::max<std::uint64_t>(1, completed_rounds_));
    }
    double index = 0.0;
    for (const VariableId i : identified_[action]) {
      index += sums(action)[i] / count(action) + radius(action);
      if (const auto baseline = baseline_action(i)) {
        index -= sums(*baseline)[i] / count(*baseline) + radius(*baseline);
      }
    }
    return index;
  }

  double mean(ActionId action, VariableId i) const { return sums(action)[i] / count(action); }

  /// None if a variable has no baseline: the actions differ from each other there.
  std::optional<double> uplift(ActionId action) const {
    double uplift = 0.0;
    for (const VariableId i : identified_[action]) {
      const std::optional<ActionId> baseline = baseline_action(i);
      if (!baseline) return std::nullopt;
      uplift += mean(action, i) - mean(*baseline, i);
    }
    return uplift;
  }

  std::optional<ActionId> reference() const override { return fixed_reference(); }

  /// Of the mean rewards in phase I; then of the variables where one of the two is not in the
  /// baseline set. A baseline that both are held against cancels.
  RewardDifference difference(ActionId action, ActionId reference) const {
    if (action == reference) return {};
    double estimate = 0.0;
    double reach = 0.0;
    const auto count_in = [&](double sign, double value, ActionId whose) {
      estimate += sign * value;
      reach += radius(whose);
    };
    for (VariableId i = 0; i < variables(); ++i) {
      const bool own = eliminating() || !in_baseline_set(i, action);
      const bool others = eliminating() || !in_baseline_set(i, reference);
      if (own) count_in(1.0, mean(action, i), action);
      if (others) count_in(-1.0, mean(reference, i), reference);
      if (own == others) continue;
      const ActionId baseline = *baseline_action(i);
      count_in(own ? -1.0 : 1.0, mean(baseline, i), baseline);
    }
    return {.estimate = estimate,
            .standard_error = std::nullopt,
            .interval = {estimate - reach, estimate + reach}};
  }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    explanation.padding = VariableSet();
    explanation.identified = VariableSet();
    if (reference()) explanation.difference = difference(action, *reference());
    if (eliminating()) return;
    explanation.identified = VariableSet::from_ids(identified_[action]);
    explanation.uplift = uplift(action);
  }

  void write_statistics(StateWriter& writer) const override {
    writer.u64(completed_rounds_);
    writer.u64s(active_);
    writer.u64s(baseline_sets_);
    VariableSumsPolicy::write_statistics(writer);
  }

  void read_statistics(StateReader& reader) override {
    completed_rounds_ = reader.u64_at_most(elimination_rounds_, "policy state: completed rounds");
    reader.u64s(active_, "policy state: active");
    if (std::count(active_.begin(), active_.end(), 1u) == 0 ||
        std::count_if(active_.begin(), active_.end(), [](auto flag) { return flag > 1; }) > 0) {
      throw InvalidInput("policy state: active", "must be 0 or 1 per action, and not all 0");
    }
    baseline_sets_.assign(eliminating() ? 0 : variables() * words(), 0);
    reader.u64s(baseline_sets_, "policy state: baseline sets");
    VariableSumsPolicy::read_statistics(reader);
    if (!eliminating()) find_identified();
  }

  std::uint64_t elimination_rounds_;
  std::uint64_t completed_rounds_ = 0;
  std::vector<std::uint64_t> active_;         // 1 while not dropped
  std::vector<std::uint64_t> baseline_sets_;  // phase II: words() per variable
  std::vector<std::vector<VariableId>> identified_;
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_ilift(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbILift>(spec, knowledge);
}

}  // namespace updraft
