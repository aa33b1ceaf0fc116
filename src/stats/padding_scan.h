#pragma once

#include <cstddef>
#include <cstdint>

#include "stats/identify_and_pad.h"

// The streaming passes behind padded_index on doubles, with vectors. Internal to stats/.

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
