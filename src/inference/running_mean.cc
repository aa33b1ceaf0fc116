#include "inference/running_mean.h"

#include <algorithm>
#include <cmath>

#include "inference/mixture_bound.h"
#include "updraft/state_io.h"

namespace updraft {

void RunningMean::add(double value) {
  ++count_;
  const double off = value - mean_;
  mean_ += off / static_cast<double>(count_);
  spread_ += off * (value - mean_);
}

IntervalEstimate RunningMean::estimate(const Bound& bound) const {
  const auto count = static_cast<double>(count_);
  const double log = std::log(1.0 / bound.error) + mixture_log(count, bound.settle);
  const double own = std::max(spread_ / (count - 1.0), bound.least);
  if (!(own > 0.0)) return {mean_, std::nullopt};
  const double variance = mixture_variance(own, count, bound.settle);
  const double reach = std::sqrt(variance) * mixture_quantile(log, bound.degrees);
  return {mean_, Interval{mean_ - reach, mean_ + reach}};
}

void RunningMean::write(StateWriter& writer) const {
  writer.u64(count_);
  writer.f64(mean_);
  writer.f64(spread_);
}

void RunningMean::read(StateReader& reader) {
  count_ = reader.u64();
  mean_ = reader.f64();
  spread_ = reader.f64();
}

double settle_of_shares(double share, double other) { return 10.0 / std::min(share, other); }

}  // namespace updraft
