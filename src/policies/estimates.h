#pragma once

#include <cstddef>

#include "updraft/affected_sets.h"
#include "updraft/explanation.h"
#include "updraft/knowledge.h"

namespace updraft {

/// How many variables every action affects: no feedback tells what they pay without any action.
std::size_t affected_by_all(const AffectedSets& sets);

/// What a policy that looks at single variables can know: uplifts if feedback can tell the baseline
/// of every variable that an action affects; the reward of a single action; else differences.
Quantity quantity_known(const Knowledge& knowledge);

/// value +- reach; without an interval if the reach is infinite.
IntervalEstimate around(double value, double reach);

IntervalEstimate estimate_of(const std::optional<RewardDifference>& difference);

/// The radius of a mean of `count` payoffs, from that of an action's means; infinite for 0.
double radius_of(const ActionExplanation& about, double count);

}  // namespace updraft
