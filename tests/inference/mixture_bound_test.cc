#include "inference/mixture_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "inference/running_mean.h"
#include "support/statistics.h"
#include "updraft/state_io.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

/// The mixture of likelihood ratios over shifts N(0, v / settle), by adding up thin slices.
double mixture_by_slices(double n, double mean, double v, double settle) {
  const double sd = std::sqrt(v / settle);
  const double step = sd / 2000.0;
  double sum = 0.0;
  for (double shift = -12.0 * sd; shift <= 12.0 * sd; shift += step) {
    const double ratio = (n * mean * shift - 0.5 * n * shift * shift) / v;
    sum += std::exp(ratio - 0.5 * shift * shift * settle / v);
  }
  return sum * step * std::sqrt(settle / (2.0 * M_PI * v));
}

/// Where the mixture reaches 1 / error, the bound is.
TEST(MixtureBound, IsWhereTheMixtureReachesOneOverTheError) {
  for (const double n : {3.0, 40.0, 900.0}) {
    for (const double settle : {2.0, 25.0}) {
      const double v = 1.7;
      const double error = 0.03;
      const double log = std::log(1.0 / error) + mixture_log(n, settle);
      const double reach = std::sqrt(mixture_variance(v, n, settle)) * mixture_quantile(log, 1e12);
      EXPECT_NEAR(mixture_by_slices(n, reach, v, settle) * error, 1.0, 1e-3) << n << " " << settle;
    }
  }
}

TEST(MixtureBound, WidensIfTheVarianceIsEstimated) {
  EXPECT_NEAR(mixture_quantile(3.0, 1e12), std::sqrt(6.0), 1e-6);
  EXPECT_DOUBLE_EQ(mixture_quantile(3.0, 4.0), std::sqrt(4.0 * (std::exp(1.5) - 1.0)));
  EXPECT_GT(mixture_quantile(3.0, 4.0), mixture_quantile(3.0, 5.0));
}

/// Of walks that are looked at after each of 400 steps, at most a share `error` ever leaves the
/// bound, even if means and variances are those of a skew law that changes; and a good part does,
/// so that a bound which is far too wide fails.
TEST(RunningMean, HoldsAtAllTimes) {
  constexpr std::uint32_t kWalks = 2000, kSteps = 400;
  constexpr double kError = 0.1;
  double left = 0.0;
  double width = 0.0;
  for (std::uint32_t walk = 0; walk < kWalks; ++walk) {
    const Stream stream(11, walk, Purpose::kTest);
    RunningMean mean;
    double truth = 0.0;
    bool inside = true;
    for (std::uint32_t t = 0; t < kSteps; ++t) {
      const double level = std::sin(0.1 * t);
      truth += level;
      mean.add(level - std::log(stream.uniform(t, 0)) - 1.0);
      if (t < 20) continue;
      const IntervalEstimate seen =
          mean.estimate({.error = kError, .settle = 10.0, .degrees = static_cast<double>(t)});
      inside = inside && seen.interval->low <= truth / (t + 1.0) &&
               truth / (t + 1.0) <= seen.interval->high;
      if (t + 1 == kSteps) width += (seen.interval->high - seen.interval->low) / kWalks;
    }
    left += inside ? 0.0 : 1.0;
  }
  EXPECT_LE(left, kError * kWalks +
                      testing::normal_threshold() * std::sqrt(kError * (1.0 - kError) * kWalks));
  EXPECT_GE(left, 0.01 * kWalks);
  EXPECT_LE(width, 2.0 * 4.0 * std::sqrt(1.5 / kSteps));  // twice that of one look at 4 sd
}

TEST(RunningMean, IsTheSameAfterSaving) {
  RunningMean mean;
  for (const double value : {1.0, 4.0, 2.5}) mean.add(value);
  StateWriter writer;
  mean.write(writer);
  RunningMean other;
  StateReader reader(writer.bytes());
  other.read(reader);
  EXPECT_EQ(other.estimate({}), mean.estimate({}));
  EXPECT_DOUBLE_EQ(other.mean(), 2.5);
}

}  // namespace
}  // namespace updraft
