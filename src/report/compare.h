#pragma once

#include <optional>

#include "updraft/results.h"

namespace updraft {

/// A number with its standard error.
struct Estimate {
  double value = 0.0;
  double error = 0.0;
};

/// Mean final regret of a minus `times` that of b. Runs of the same number meet the same noise, so
/// the error is that of the mean of a - times * b run by run.
Estimate excess(const GridPoint& a, const GridPoint& b, double times);

/// Difference of the mean final regrets, a - b.
Estimate difference(const GridPoint& a, const GridPoint& b);

/// Ratio of the mean final regrets, a / b, with the error of first order in those of the means:
/// that of excess(a, b, ratio), divided by the mean of b.
/// Where the mean of b is 0: 1 if that of a is too, else infinite, without error.
Estimate ratio(const GridPoint& a, const GridPoint& b);

/// Mean regret after `rounds`, between the points of the curve by straight lines from (0, 0). The
/// error is then the largest that those of the two points allow.
Estimate regret_after(const ExperimentResult& result, const GridPoint& point, double rounds);

/// (R(T) - R(T/2)) / R(T/2) of the mean curve: 1 for regret that grows linearly, towards 0 for
/// regret that has stopped growing. Infinite if all regret is in the second half, 0 if there
/// is none at all; both without error. Curves do not tell how R(T) and R(T/2) vary together, so the
/// error is the largest that their two errors allow.
Estimate growth(const ExperimentResult& result, const GridPoint& point);

/// The slope of log mean regret against log rounds, by least squares over the second half of the
/// curve. Nothing if it has fewer than two points, or points without regret.
std::optional<double> log_slope(const ExperimentResult& result, const GridPoint& point);

}  // namespace updraft
