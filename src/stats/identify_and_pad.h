#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/payoff_sums.h"
#include "updraft/variable_set.h"

namespace updraft {

/// The two steps by which the policies that only know L bound the uplift of an action.
/// [hsieh22, Alg. 3 and 4, lines 6-10]
///
/// The action has mean row[i] / pulls and the closed interval mean +- radius for variable i;
/// the baseline has [baseline_lower[i], baseline_upper[i]], a point where it is known.
///   identified: the two intervals are disjoint, so the variable is surely affected;
///   padding: the `budget - |identified|` (at least 0) of the others with the largest individual
///   index  mean + radius - baseline_upper, where asked only those > 0;
///   index = sum of the individual indices of both.
struct PaddingInputs {
  PayoffRow row;
  double pulls = 0.0;
  double radius = 0.0;
  std::span<const double> baseline_lower;
  std::span<const double> baseline_upper;
  std::size_t budget = 0;
  bool positive_only = false;
};

/// The same where every interval has its own width: means[i] +- margins[i] for the action and
/// baseline_means[i] +- baseline_margins[i] for the baseline, all of one length.
struct IntervalPaddingInputs {
  std::span<const double> means;
  std::span<const double> margins;
  std::span<const double> baseline_means;
  std::span<const double> baseline_margins;
  std::size_t budget = 0;
  bool positive_only = false;
};

/// What identified variables leave of the budget.
inline std::size_t padding_budget(std::size_t budget, std::size_t identified) {
  return budget > identified ? budget - identified : 0;
}

/// Buffers that are kept between calls.
struct PaddingScratch {
  std::vector<double> rest;
  std::vector<double> selection;
  std::vector<std::int32_t> differences;
};

struct PaddedIndex {
  double index = 0.0;
  /// With padding by positive indices only, and a baseline of width 2 r: the sum over all variables
  /// of  v where v > 0,  v + 2 r where v < -2 r,  for individual indices v. Not below the index:
  /// identified variables with v < 0 have v < -2 r. It grows by no more than the v do, and where a
  /// v shrinks by more than 2 r it shrinks too, which is what makes indices skippable.
  double limit = 0.0;
};

/// The index. Cost: one streaming pass over row and baseline, and one over the candidates for
/// padding where these are too many.
PaddedIndex padded_index(const PaddingInputs& in, PaddingScratch& scratch);

/// The index alone. Cost: O(variables).
double padded_index(const IntervalPaddingInputs& in, PaddingScratch& scratch);

/// The sets behind the index; among equal individual indices the lowest ids pad.
/// Cost: O(m log m).
struct PaddedSets {
  VariableSet identified;
  VariableSet padding;
  /// Sum over the identified variables of mean - middle of the baseline's interval. The padding is
  /// left out: its variables were chosen for their large means.
  double uplift = 0.0;
};

PaddedSets padded_sets(const PaddingInputs& in);
PaddedSets padded_sets(const IntervalPaddingInputs& in);

}  // namespace updraft
