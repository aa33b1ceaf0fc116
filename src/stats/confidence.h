#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace updraft {

/// radius = sqrt(2 alpha / pulls) of the mean of `pulls` payoffs with 1-sub-Gaussian noise;
/// infinite without pulls. [hsieh22, eq. 3]
inline double confidence_radius(double alpha, std::uint64_t pulls) {
  if (pulls == 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(2.0 * alpha / static_cast<double>(pulls));
}

}  // namespace updraft
