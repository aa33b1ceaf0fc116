#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "updraft/variable_set.h"

namespace updraft {

/// The two steps by which the policies that only know L bound the uplift of an action.
/// [hsieh22, Alg. 3 and 4, lines 6-10]
///
/// The action has mean sums[i] / pulls and the closed interval mean +- radius for variable i;
/// the baseline has [baseline_lower[i], baseline_upper[i]], a point where it is known.
///   identified: the two intervals are disjoint, so the variable is surely affected;
///   padding: the `budget - |identified|` (at least 0) of the others with the largest individual
///   index  mean + radius - baseline_upper, where asked only those > 0;
///   index = sum of the individual indices of both.
struct PaddingInputs {
  std::span<const double> sums;
  double pulls = 0.0;
  double radius = 0.0;
  std::span<const double> baseline_lower;
  std::span<const double> baseline_upper;
  std::size_t budget = 0;
  bool positive_only = false;
};

/// The index. `rest` is scratch. Cost: O(m).
double padded_index(const PaddingInputs& in, std::vector<double>& rest);

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

}  // namespace updraft
