#include "policies/estimates.h"

#include <cmath>

namespace updraft {

std::size_t affected_by_all(const AffectedSets& sets) {
  std::size_t count = 0;
  for (GroupId atom = 0; atom < sets.atoms()->groups(); ++atom) {
    if (sets.affecting(atom).size() == sets.actions()) count += sets.atoms()->sizes()[atom];
  }
  return count;
}

Quantity quantity_known(const Knowledge& knowledge) {
  if (knowledge.baseline() != nullptr || knowledge.observations() != nullptr) {
    return Quantity::kUplift;
  }
  const AffectedSets* sets = knowledge.affected().get();
  if (sets != nullptr && affected_by_all(*sets) == 0) return Quantity::kUplift;
  return knowledge.actions() == 1 ? Quantity::kReward : Quantity::kDifference;
}

IntervalEstimate around(double value, double reach) {
  if (!std::isfinite(reach)) return {.value = value, .interval = std::nullopt};
  return {.value = value, .interval = Interval{value - reach, value + reach}};
}

IntervalEstimate estimate_of(const std::optional<RewardDifference>& difference) {
  if (!difference) return {};
  return {.value = difference->estimate, .interval = difference->interval};
}

double radius_of(const ActionExplanation& about, double count) {
  return about.radius * std::sqrt(static_cast<double>(about.pulls) / count);
}

}  // namespace updraft
