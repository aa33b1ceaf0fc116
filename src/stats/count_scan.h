#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/count_padding.h"

// The streaming passes behind padded_index on pairs of counts, with vectors. Internal to stats/.

namespace updraft {

/// What is asked of the differences D of an action and a baseline, all >= 0. D may become as large
/// as D + share * pulls * baseline count + drop later on, and smaller by at most `rise`.
struct CountLimits {
  double disjoint = 0.0;  ///< |D| > disjoint: identified
  double rise = 0.0;
  double share = 0.0;
  double drop = 0.0;
};

/// Floats are good enough to tell what may happen later, if they err on the safe side.
inline constexpr float kFloatRounding = 1e-6f;
inline float largest_fall(const CountPaddingInputs& in, const CountLimits& limits) {
  return static_cast<float>(limits.share * static_cast<double>(in.pulls)) * (1.0f + kFloatRounding);
}
inline float below_in_floats(double limit) {
  return static_cast<float>(limit - kFloatRounding * std::abs(limit) - 1.0);
}

/// The variables by D. With "later" as D + 1e-6 |D| + largest_fall() * baseline count, in floats:
struct CountScan {
  struct Part {
    std::size_t number = 0;        ///< of variables
    double differences = 0.0;      ///< sum of D, exact
    double baseline_counts = 0.0;  ///< sum, exact
  };
  std::size_t far = 0;  ///< D > disjoint + rise, or later < below_in_floats(-disjoint)
  double far_counts = 0.0;
  double far_baseline_counts = 0.0;
  Part near_above;        ///< not far, later > below_in_floats(disjoint - drop), count > 0
  Part near_below;        ///< not these, D < -disjoint
  Part identified_above;  ///< those of near_above with D > disjoint; no baseline counts
  Part identified_below;  ///< those of near_above with D < -disjoint; no baseline counts
};

/// `far_bits` has a bit for each variable, in words of 64.
CountScan scan_counts(const CountPaddingInputs& in, const CountLimits& limits,
                      std::uint64_t* far_bits);

/// The variables with |D| > disjoint alone, for those who need no bounds; no baseline counts.
CountScan::Part scan_identified(const CountPaddingInputs& in, double disjoint);

/// The variables with positive < D <= disjoint.
struct CountCandidates {
  std::size_t differences = 0;  ///< D != 0, written down
  std::size_t zeros = 0;
};
CountCandidates collect_candidates(const CountPaddingInputs& in, double disjoint, double positive,
                                   std::int32_t* differences);

/// Bits that are set in both; as many words in each.
std::size_t common_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace updraft
