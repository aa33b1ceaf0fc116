#include "policies/fixed_baseline.h"

#include "updraft/state_io.h"

namespace updraft {

FixedBaselinePolicy::FixedBaselinePolicy(const PolicySpec& spec, const Knowledge& knowledge,
                                         double alpha, FixedBaseline baseline)
    : IndexPolicy(spec, knowledge, Resolution::groups(knowledge.affected()->atoms()), alpha),
      baseline_(std::move(baseline)),
      affected_sum_(actions(), 0.0) {}

double FixedBaselinePolicy::affected_mean(ActionId action) const {
  return affected_sum_[action] * inverse_pulls(action);
}

double FixedBaselinePolicy::index_of(ActionId action) const {
  return affected_mean(action) - baseline_.bounds[action] + own_radii(action) * radius(action);
}

double FixedBaselinePolicy::own_radii(ActionId action) const {
  return static_cast<double>(knowledge().affected()->of(action).size());
}

void FixedBaselinePolicy::describe(ActionId action, ActionExplanation& explanation) const {
  explanation.uplift = affected_mean(action) - baseline_.means[action];
}

/// The radii of the means over V(a), and those of the observations that the baseline is made of.
double FixedBaselinePolicy::uplift_reach(ActionId action, const ActionExplanation& about) const {
  const VariableSet& affected = knowledge().affected()->of(action);
  double reach = about.radius * static_cast<double>(affected.size());
  if (const BaselineObservations* table = knowledge().observations()) {
    affected.for_each([&](VariableId i) { reach += radius_of(about, table->counts[i]); });
  }
  return reach;
}

void FixedBaselinePolicy::absorb(ActionId action, const Payoffs& payoffs) {
  double sum = 0.0;
  for (const GroupId atom : knowledge().affected()->atoms_of(action)) {
    sum += payoffs.values()[atom];
  }
  affected_sum_[action] += sum;
  mark_stale(action);
}

void FixedBaselinePolicy::write_statistics(StateWriter& writer) const {
  writer.f64s(affected_sum_);
}

void FixedBaselinePolicy::read_statistics(StateReader& reader) {
  reader.f64s(affected_sum_, "policy state: affected sums");
  mark_all_stale();
}

}  // namespace updraft
