#pragma once

#include <string_view>

#include "updraft/instance.h"

namespace updraft {

// Instances on which a policy that takes effects for sparse, or noise for normal, may go wrong. All
// are small, and gaps are shares of the standard deviation of the reward's noise, so that a policy
// that looks at the reward alone neither finds the best action at once nor never. Made from sums,
// products and quotients, so they are the same everywhere.

inline constexpr std::string_view kDenseSummary =
    "10 actions that move all of 64 variables a little, all the same way; normal noise";
InstanceDefinition dense();

inline constexpr std::string_view kAlternatingSummary =
    "10 actions that raise half of 64 variables and lower the other half, which nearly cancels";
InstanceDefinition alternating();

inline constexpr std::string_view kOneMovesAllSummary =
    "9 actions that move 6 of 64 variables each, and the best one, which moves all a little";
InstanceDefinition one_moves_all();

inline constexpr std::string_view kIdenticalSummary =
    "10 actions on the same 8 of 64 variables: six do the same, four do less";
InstanceDefinition identical();

inline constexpr std::string_view kHeavyTailsSummary =
    "10 actions that move 6 of 64 variables each; some rounds are wild: Student's t with 3 degrees";
InstanceDefinition heavy_tails();

inline constexpr std::string_view kRareSummary =
    "10 actions that treat one of 10 clusters of 100 customers; 0/1 visits, about 1 in 100";
InstanceDefinition rare();

inline constexpr std::string_view kTwoActionsSummary =
    "2 actions, one of which raises 4 of 64 variables; normal noise";
InstanceDefinition two_actions();

inline constexpr std::string_view kOneVariableSummary =
    "10 actions and a single variable, so the reward is all there is; normal noise";
InstanceDefinition one_variable();

}  // namespace updraft
