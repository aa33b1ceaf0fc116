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

/// The same index for an action and a baseline that are both given by counts, padding by positive
/// indices only. In whole numbers: with D(i) = count(i) * baseline_pulls - baseline_count(i) *
/// pulls, the individual index is D(i) / (pulls * baseline_pulls) + radius - baseline_radius, and
/// intervals are disjoint where |D(i)| > pulls * baseline_pulls * (radius + baseline_radius).
struct CountPaddingInputs {
  std::span<const std::uint16_t> counts;
  std::span<const std::uint16_t> baseline_counts;
  double largest = 0.0;           ///< no count is larger
  double baseline_largest = 0.0;  ///< no baseline count is larger
  std::uint64_t pulls = 0;
  std::uint64_t baseline_pulls = 0;
  double radius = 0.0;
  double baseline_radius = 0.0;
  std::size_t budget = 0;
};

/// Whether all D(i) have 31 bits.
bool differences_fit(const CountPaddingInputs& in);

/// What bounds the index as long as no baseline mean rises by `rise` or falls by more than a share
/// of it, and the baseline's radius does not grow: CountBounds uses it.
struct CountMargin {
  struct Near {
    std::size_t variables = 0;
    double indices = 0.0;         ///< sum of their individual indices
    double baseline_means = 0.0;  ///< sum
  };

  double rise = 0.0;
  double share = 0.0;
  std::size_t far = 0;               ///< variables that stay identified
  double far_counts = 0.0;           ///< sum over them
  double far_baseline_counts = 0.0;  ///< sum over them
  Near above;  ///< others that are, or might come to be, identified with an index > 0; not those
               ///< with count 0, since baseline means are >= 0
  Near below;  ///< others that are identified with an index < 0
};

/// Requires that differences fit. Cost: one streaming pass over 4 m bytes; a second where variables
/// are needed for padding.
double padded_index(const CountPaddingInputs& in, PaddingScratch& scratch);

/// The same; also fills `margin`, whose rise and share are set, and the bits of
/// the far variables, (m + 63) / 64 words.
double padded_index(const CountPaddingInputs& in, CountMargin& margin, std::uint64_t* far_bits,
                    PaddingScratch& scratch);

}  // namespace updraft
