#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/finding.h"
#include "updraft/results.h"

// The claims are those that the paper's figures make [hsieh22, Section 7]. A claim is a list of
// statements about means, ratios and percentiles; docs/experiments.md says when one holds.

namespace updraft {

/// Why a claim cannot be judged.
struct NotTested {
  std::string reason;
};

// What a run says of a claim. All throw NotTested if it does not play what the claim is about.

Finding known_sets_win(const ExperimentResult& result);
Finding baseline_costs_little(const ExperimentResult& result);
Finding unknown_sets_cost(const ExperimentResult& result);
Finding lower_bound_has_tail(const ExperimentResult& result);
Finding wrong_bound(const ExperimentResult& result);
/// Sublinear and ahead of eps-greedy told the same, for both that subtract a baseline.
Finding targeting_explores(const ExperimentResult& result);
/// By the mean uplift of those treated.
Finding recorded_targeting_explores(const ExperimentResult& result);
/// Payoffs about the same: apart by at most a tenth of what chance loses.
Finding recorded_targeting_ends_alike(const ExperimentResult& result);
/// With the sets far less regret than by the total payoff, with L alone still less.
Finding contexts_gain(const ExperimentResult& result);

// What these share.

constexpr double kFarLess = 0.6;   ///< claims 1, 9: share of the regret of those not told the sets
constexpr double kMuchMore = 1.5;  ///< claims 3 on criteo, 6
constexpr double kLinear = 0.8;    ///< claims 5, 6, 8: growth from which regret counts as linear

/// A policy of the result with its chosen point.
struct ChosenPolicy {
  std::string label;
  const PolicyGrid* grid = nullptr;
  const GridPoint* best = nullptr;
};

/// The first policy with this name whose spec passes `also`; NotTested where there is none.
ChosenPolicy find_chosen(const ExperimentResult& result, std::string_view name,
                         const std::string& described,
                         const std::function<bool(const PolicySpec&)>& also);

/// The policy as the paper plays it: told the true L, and bUCB for the baseline.
ChosenPolicy find_chosen(const ExperimentResult& result, std::string_view name);

/// "A (10 ± 1)".
std::string regret_of(const ChosenPolicy& policy);
std::string estimate_text(const Estimate& estimate);
/// "A (10 ± 1) is 0.50 ± 0.05 times B (20 ± 2)".
std::string times_text(const ChosenPolicy& a, const ChosenPolicy& b);
/// "growth 0.50 ± 0.05".
std::string growth_text(const Estimate& growth);

void add_sublinear(Finding& finding, const ExperimentResult& result, const ChosenPolicy& policy);

inline constexpr const char* kGrowthNote =
    "Growth is (R(T) - R(T/2)) / R(T/2), 1 for linear regret";

}  // namespace updraft
