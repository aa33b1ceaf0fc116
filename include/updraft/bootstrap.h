#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "updraft/interval.h"
#include "updraft/stream.h"

namespace updraft {

/// Resamples rows with replacement, separately within each of two strata (treated and control), so
/// that every resample has as many rows of each stratum as the data. [efron93]
///
/// Resample b is a function of the stream, b and the strata. Use the same resamples for estimates
/// that you compare with each other.
/// Cost: O(n) to construct and for each resample; memory 4 n bytes. Immutable: safe to share
/// between threads.
class StratifiedBootstrap {
 public:
  /// stratum[i]: 0 or 1. Throws InvalidInput for other values and for 2^32 rows or more.
  explicit StratifiedBootstrap(std::span<const std::uint8_t> stratum);

  std::size_t size() const { return members_.size(); }

  /// How often each row is in resample number `resample`, which is the stream's round. Throws
  /// InvalidInput unless `weights` has size() entries. All rows of a stratum are equally likely, up
  /// to a factor of 1 + 2^-32.
  void weights(const Stream& stream, std::uint32_t resample,
               std::span<std::uint32_t> weights) const;

 private:
  std::vector<std::uint32_t> members_;  ///< the rows of stratum 0, then those of stratum 1
  std::size_t first_of_one_ = 0;
};

/// The central `level` of the values of an estimate over resamples: from the quantile (1 - level) /
/// 2 to the quantile (1 + level) / 2, interpolated linearly between order statistics. [efron93]
/// Throws InvalidInput unless 0 < level < 1 and there are values, all finite. Cost: O(B).
Interval percentile_interval(std::span<const double> values, double level);

}  // namespace updraft
