#pragma once

#include <cstddef>
#include <span>

#include "stats/payoff_sums.h"
#include "updraft/variable_set.h"

namespace updraft {

/// The variables whose mean is farther from the baseline than a threshold. [hsieh22, Alg. 5]
struct ThresholdInputs {
  PayoffRow row;
  double pulls = 0.0;
  std::span<const double> baseline;
  double threshold = 0.0;
};

/// A threshold that every variable exceeds.
inline constexpr double kEveryVariable = -1.0;

struct Thresholded {
  std::size_t count = 0;
  double uplift = 0.0;  ///< sum over them of mean - baseline
};

/// Cost: O(m).
Thresholded sum_above_threshold(const ThresholdInputs& in);
VariableSet variables_above_threshold(const ThresholdInputs& in);

}  // namespace updraft
