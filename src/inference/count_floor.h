#pragma once

#include "stats/count_unit.h"

namespace updraft {

/// Rounds with a payoff, and without one, that are added to those seen.
inline constexpr double kAddedCounts = 4.0;

/// The least variance of one sum if all sums so far are counts (of one atom): rare payoffs may not
/// have come yet, and then the variance that was seen is too small, or 0. If no sum is larger than
/// the unit, it is that of a binomial law with the rate of `rounds` rounds with this mean, four
/// with a payoff and four without. A rate that is by chance too small has too small a variance; the
/// added rounds, about half of the squared quantile of a bound, make up for that. Otherwise it is
/// that of a Poisson law with four more counts, and at most 34: with more, what was seen is known
/// well enough, and counts may vary less than by that law. 0 if sums are not counts, or all are 0,
/// so that the unit is not known.
double count_floor(const CountUnit& counts, double rounds, double mean);

}  // namespace updraft
