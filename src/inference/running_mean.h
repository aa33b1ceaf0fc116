#pragma once

#include <cstdint>

#include "updraft/explanation.h"

namespace updraft {

class StateReader;
class StateWriter;

/// The mean of numbers whose means, given those before, may change from one to the next, and a
/// bound on its distance to the mean of these means that holds at all times at once:
///   sqrt(variance (n + settle)) / n * quantile(log(1 / error) + log(1 + n / settle) / 2)
/// with the variance of the numbers about their mean (inference/mixture_bound.h). Asymptotic, as
/// the variance is estimated. [waudby24] If the means change, the variance is estimated
/// too large, which widens the bound.
class RunningMean {
 public:
  void add(double value);

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }

  struct Bound {
    double error = 0.05;
    double settle = 10.0;  ///< numbers: the bound is tightest at about ten times as many
    double degrees = 1.0;  ///< of freedom of the variance
    double least = 0.0;    ///< variance, if that of the numbers is smaller
  };
  /// At least 2 numbers. No interval as long as the variance is 0.
  IntervalEstimate estimate(const Bound& bound) const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0.0;
  double spread_ = 0.0;  // sum of squares about the mean
};

/// How long bounds of a randomised comparison take to become tight: ten units of the smaller share.
double settle_of_shares(double share, double other);

}  // namespace updraft
