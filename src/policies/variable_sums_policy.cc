#include "policies/variable_sums_policy.h"

#include <algorithm>

namespace updraft {

VariableSumsPolicy::VariableSumsPolicy(const PolicySpec& spec, const Knowledge& knowledge,
                                       ErrorSplit split)
    : IndexPolicy(spec, knowledge, Resolution::variables(),
                  exploration_alpha(spec, knowledge, split)),
      sums_(actions(), variables()) {}

Explanation VariableSumsPolicy::explain(Detail detail) const {
  Explanation explanation = IndexPolicy::explain(detail);
  explanation.interval_kind = IntervalKind::kConfidenceBoundsOfCounted;
  for (ActionId action = 0; action < actions(); ++action) {
    if (pulls(action) == 0) continue;
    ActionExplanation& about = explanation.actions[action];
    about.reward = mean_reward(action);
    if (explanation.quantity == Quantity::kReward) about.estimate.value = about.reward;
  }
  return explanation;
}

double VariableSumsPolicy::uplift_reach(ActionId, const ActionExplanation& about) const {
  return std::max(static_cast<double>(about.identified->size()) * about.radius,
                  about.index - *about.uplift);
}

double VariableSumsPolicy::mean_reward(ActionId action) const {
  if (sums_.whole()) return sums_.total(action) / count(action);
  const PayoffRow row = sums(action);
  double reward = 0.0;
  for (std::size_t i = 0; i < row.size(); ++i) reward += row[i];
  return reward / count(action);
}

PaddingInputs VariableSumsPolicy::padding_to_l(ActionId action) const {
  const std::vector<double>& baseline = *knowledge().baseline();
  return {.row = sums(action),
          .pulls = count(action),
          .radius = radius(action),
          .baseline_lower = baseline,
          .baseline_upper = baseline,
          .budget = knowledge().max_affected(action),
          .positive_only = false};
}

ThresholdInputs VariableSumsPolicy::farther_than(double threshold, ActionId action) const {
  return {.row = sums(action),
          .pulls = count(action),
          .baseline = *knowledge().baseline(),
          .threshold = threshold};
}

double VariableSumsPolicy::thresholded_index(const ThresholdInputs& in, ActionId action) const {
  const Thresholded found = sum_above_threshold(in);
  return found.uplift + static_cast<double>(found.count) * radius(action);
}

double VariableSumsPolicy::describe_padded(const PaddingInputs& in,
                                           ActionExplanation& explanation) {
  PaddedSets sets = padded_sets(in);
  explanation.identified = std::move(sets.identified);
  explanation.padding = std::move(sets.padding);
  return sets.uplift;
}

void VariableSumsPolicy::describe_thresholded(const ThresholdInputs& in,
                                              ActionExplanation& explanation) {
  explanation.uplift = sum_above_threshold(in).uplift;
  explanation.identified = variables_above_threshold(in);
  explanation.padding = VariableSet();
}

double VariableSumsPolicy::index_padded_to_l(ActionId action) const {
  if (levels_ && sums_.whole()) {
    return levels_->padded_index(action, sums_.total(action), count(action), radius(action),
                                 knowledge().max_affected(action));
  }
  return padded_index(padding_to_l(action), scratch_).index;
}

void VariableSumsPolicy::count_by_levels() {
  const std::vector<double>& baseline = *knowledge().baseline();
  if (!LevelCounts::worthwhile(baseline)) return;
  levels_.emplace(actions(), baseline);
  if (!sums_.whole()) return;
  for (ActionId action = 0; action < actions(); ++action) {
    levels_->assign(action, sums_.of(action).counts());
  }
}

void VariableSumsPolicy::absorb(ActionId action, const Payoffs& payoffs) {
  if (levels_) {
    add(action, payoffs, [&](VariableId i, std::uint16_t before, std::uint16_t after) {
      levels_->raise(action, i, before, after);
    });
  } else {
    add(action, payoffs, [](VariableId, std::uint16_t, std::uint16_t) {});
  }
  mark_stale(action);
}

void VariableSumsPolicy::read_statistics(StateReader& reader) {
  sums_.read(reader);
  if (levels_) count_by_levels();
  mark_all_stale();
}

}  // namespace updraft
