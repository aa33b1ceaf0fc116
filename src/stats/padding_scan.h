#pragma once

#include <cstddef>
#include <cstdint>

#include "stats/identify_and_pad.h"

// The streaming passes behind padded_index, with vectors. Internal to stats/.

namespace updraft {

/// Room that buffers need beyond the number of variables: more than a vector.
inline constexpr std::size_t kScanSlack = 64;

/// A number not below positive + negative, however these sums were rounded.
inline double safely_above(double positive, double negative) {
  return positive + negative + 1e-11 * (positive - negative);
}

struct PaddingScan {
  std::size_t identified = 0;
  double identified_sum = 0.0;  ///< of their individual indices
  std::size_t others = 0;       ///< candidates for padding, whose indices are in `rest`
  double limit = 0.0;           ///< PaddedIndex::limit; the baseline's width is that of its first
};

/// The same bits whatever the machine's vectors.
PaddingScan scan_padding(const PaddingInputs& in, double* rest);

/// The variables by D: those that are neither far nor near are not identified.
struct CountScan {
  struct Part {
    std::size_t number = 0;        ///< of variables
    double differences = 0.0;      ///< sum of D, exact
    double baseline_counts = 0.0;  ///< sum, exact
  };
  std::size_t far = 0;  ///< |D| > disjoint + margin
  double far_counts = 0.0;
  double far_baseline_counts = 0.0;
  Part near_below;        ///< -disjoint - margin <= D < -disjoint
  Part near_above;        ///< disjoint - margin < D <= disjoint + margin, count > 0
  Part identified_above;  ///< those of near_above with D > disjoint; no baseline counts
};

/// disjoint >= 0. `far_bits` has a bit for each variable, in words of 64.
CountScan scan_counts(const CountPaddingInputs& in, double disjoint, double margin,
                      std::uint64_t* far_bits);

/// The variables with positive < D <= disjoint.
struct CountCandidates {
  std::size_t differences = 0;  ///< D != 0, written down
  std::size_t zeros = 0;
};
CountCandidates collect_candidates(const CountPaddingInputs& in, double disjoint, double positive,
                                   std::int32_t* differences);

/// Bits that are set in both; as many words in each.
std::size_t common_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

/// From the old upper bounds of a baseline to those of `row`: writes both bounds, and returns how
/// much a PaddedIndex::limit may have grown by that: for each variable the fall d of its upper
/// bound where d > 0, d + `width` where d < -width, the old width being `width`.
struct BaselineShift {
  const PayoffRow& row;
  double pulls = 0.0;
  double radius = 0.0;
  double width = 0.0;
};
double shift_baseline(const BaselineShift& in, double* lower, double* upper);

}  // namespace updraft
