#pragma once

#include "report/compare.h"

namespace updraft {

// What has no simple standard error, by 1,000 resamples of the runs with replacement [efron93]. All
// policies of a result are resampled together, since runs of the same number meet the same noise.
// The same result gives the same numbers. Cost: O(1,000 * runs * log runs) a policy and value.

/// 95th percentiles of the final regrets: that of a minus `times` that of b.
Estimate tail_excess(const GridPoint& a, const GridPoint& b, double times);

/// That of a divided by that of b, with the error of first order; b's must be above 0.
Estimate tail_ratio(const GridPoint& a, const GridPoint& b);

/// The share of resamples in which tuning takes a larger value for policy `a` than for policy `b`.
double share_with_larger_value(const ExperimentResult& result, std::size_t a, std::size_t b);

}  // namespace updraft
