#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/identify_and_pad.h"

namespace updraft {

/// The index of identify_and_pad.h for an action and a baseline that are both given by counts,
/// padding by positive indices only. In whole numbers: with D(i) = count(i) * baseline_pulls -
/// baseline_count(i) * pulls, the individual index is D(i) / (pulls * baseline_pulls) + radius -
/// baseline_radius, and intervals are disjoint where |D(i)| > pulls * baseline_pulls * (radius +
/// baseline_radius).
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
