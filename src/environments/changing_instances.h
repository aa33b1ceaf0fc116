#pragma once

#include <string_view>

#include "updraft/instance.h"

namespace updraft {

// Five actions that move 4 of 20 variables each, in a world that stays as it is (steady) or
// changes, made for 2,000 rounds. The total noise has a standard deviation of 2.97, so that the
// flip, from +4 to -2, is a change by two of them.

inline constexpr std::string_view kSteadySummary =
    "5 actions that move 4 of 20 variables each, by 0.5 to 4 in all; nothing changes";
InstanceDefinition steady();

inline constexpr std::string_view kSeasonalSummary =
    "steady with weekdays: every seven rounds, 12 variables rise and 8 fall for two rounds";
InstanceDefinition seasonal();

inline constexpr std::string_view kTrendSummary =
    "steady with a trend: until round 2,000 the baseline rises, of half of the variables faster";
InstanceDefinition trend();

inline constexpr std::string_view kFlipSummary =
    "steady until round 1,000, in which the best action turns from +4 to -2";
InstanceDefinition flip();

inline constexpr std::string_view kWearOutSummary =
    "steady until round 500, from which on the effect of the best action halves every 300 rounds";
InstanceDefinition wear_out();

inline constexpr std::string_view kWalkSummary =
    "steady with effects that walk at random, by 0.08 a round in all, pulled back a little";
InstanceDefinition walk();

}  // namespace updraft
