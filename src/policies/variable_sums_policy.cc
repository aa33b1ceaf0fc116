#include "policies/variable_sums_policy.h"

#include "policies/exploration.h"

namespace updraft {

VariableSumsPolicy::VariableSumsPolicy(const PolicySpec& spec, const Knowledge& knowledge)
    : IndexPolicy(spec, knowledge, Resolution::variables(),
                  exploration_alpha(spec, knowledge, ErrorSplit::kAllVariables)),
      sums_(actions(), variables()) {}

PaddingInputs VariableSumsPolicy::padding_to_l(ActionId action) const {
  const std::vector<double>& baseline = *knowledge().baseline();
  return {.sums = sums(action),
          .pulls = count(action),
          .radius = radius(action),
          .baseline_lower = baseline,
          .baseline_upper = baseline,
          .budget = *knowledge().max_affected(),
          .positive_only = false};
}

ThresholdInputs VariableSumsPolicy::farther_than(double threshold, ActionId action) const {
  return {.sums = sums(action),
          .pulls = count(action),
          .baseline = *knowledge().baseline(),
          .threshold = threshold};
}

double VariableSumsPolicy::thresholded_index(const ThresholdInputs& in, ActionId action) const {
  const Thresholded found = sum_above_threshold(in);
  return found.uplift + static_cast<double>(found.count) * radius(action);
}

void VariableSumsPolicy::describe_padded(const PaddingInputs& in, ActionExplanation& explanation) {
  PaddedSets sets = padded_sets(in);
  explanation.uplift = sets.uplift;
  explanation.identified = std::move(sets.identified);
  explanation.padding = std::move(sets.padding);
}

void VariableSumsPolicy::describe_thresholded(const ThresholdInputs& in,
                                              ActionExplanation& explanation) {
  explanation.uplift = sum_above_threshold(in).uplift;
  explanation.identified = variables_above_threshold(in);
  explanation.padding = VariableSet();
}

void VariableSumsPolicy::absorb(ActionId action, const Payoffs& payoffs) {
  sums_.add(action, payoffs);
  mark_stale(action);
}

void VariableSumsPolicy::read_statistics(StateReader& reader) {
  sums_.read(reader);
  mark_all_stale();
}

}  // namespace updraft
