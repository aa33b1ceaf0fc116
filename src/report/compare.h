#pragma once

#include <optional>

#include "updraft/results.h"

namespace updraft {

/// How far a result lies from zero or one, with its standard error.
struct Estimate {
  double value = 0.0;
  double error = 0.0;

  double low() const { return value - 2.0 * error; }
  double high() const { return value + 2.0 * error; }
};

/// Difference of the mean final regrets, a - b. Runs of the same number meet the same noise, so the
/// error is that of the mean of the differences run by run.
Estimate difference(const GridPoint& a, const GridPoint& b);

/// Ratio of the mean final regrets, a / b, with the error of first order in those of the means:
/// that of the mean of a - ratio * b run by run, divided by the mean of b.
/// Where the mean of b is 0: 1 if that of a is too, else infinite, without error.
Estimate ratio(const GridPoint& a, const GridPoint& b);

/// Mean regret after `rounds`, between the points of the curve by straight lines from (0, 0).
double mean_after(const ExperimentResult& result, const GridPoint& point, double rounds);

/// (R(T) - R(T/2)) / R(T/2) of the mean curve: 1 for regret that grows linearly, towards 0 for
/// regret that has stopped growing. Infinite where all regret is in the second half, 0 where there
/// is none at all.
double growth(const ExperimentResult& result, const GridPoint& point);

/// The slope of log mean regret against log rounds, by least squares over the second half of the
/// curve. Nothing where it has fewer than two points, or points without regret.
std::optional<double> log_slope(const ExperimentResult& result, const GridPoint& point);

}  // namespace updraft
