#include "updraft/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/refusal.h"
#include "support/statistics.h"

namespace updraft {
namespace {

const Stream kStream(3, 0, Purpose::kResample);

std::vector<std::uint32_t> weights_of(const StratifiedBootstrap& bootstrap,
                                      std::uint32_t resample) {
  std::vector<std::uint32_t> weights(bootstrap.size());
  bootstrap.weights(kStream, resample, weights);
  return weights;
}

TEST(StratifiedBootstrap, KeepsTheSizeOfEachStratum) {
  for (const std::size_t rows : {1u, 2u, 7u, 1024u, 1025u, 5000u}) {
    std::vector<std::uint8_t> stratum(rows);
    for (std::size_t i = 0; i < rows; ++i) stratum[i] = i % 3 == 0;
    const auto ones = std::accumulate(stratum.begin(), stratum.end(), 0u);
    const StratifiedBootstrap bootstrap(stratum);
    for (std::uint32_t b = 0; b < 3; ++b) {
      const std::vector<std::uint32_t> weights = weights_of(bootstrap, b);
      EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0u), rows);
      EXPECT_EQ(std::inner_product(weights.begin(), weights.end(), stratum.begin(), 0u), ones);
    }
  }
}

TEST(StratifiedBootstrap, ResamplesAreAFunctionOfStreamAndNumber) {
  const std::vector<std::uint8_t> stratum(50, 1);
  const StratifiedBootstrap bootstrap(stratum);
  EXPECT_EQ(weights_of(bootstrap, 4), weights_of(StratifiedBootstrap(stratum), 4));
  EXPECT_NE(weights_of(bootstrap, 4), weights_of(bootstrap, 5));
}

TEST(StratifiedBootstrap, DrawsEvenlyWithinEachStratum) {
  // Rejection level 1e-6 over three comparisons.
  const std::vector<std::uint8_t> stratum = {1, 0, 0, 1, 1, 0, 0};
  const StratifiedBootstrap bootstrap(stratum);
  std::vector<std::uint64_t> zeros(4);
  std::vector<std::uint64_t> ones(3);
  std::vector<std::uint64_t> times(4);  // that row 0 is in a resample: 0, 1, 2 or 3
  const std::uint32_t resamples = 20000;
  for (std::uint32_t b = 0; b < resamples; ++b) {
    const std::vector<std::uint32_t> weights = weights_of(bootstrap, b);
    std::size_t next_zero = 0;
    std::size_t next_one = 0;
    for (std::size_t i = 0; i < stratum.size(); ++i) {
      (stratum[i] == 1 ? ones[next_one++] : zeros[next_zero++]) += weights[i];
    }
    ++times[weights[0]];
  }
  EXPECT_TRUE(testing::fits_evenly(zeros, 3));
  EXPECT_TRUE(testing::fits_evenly(ones, 3));
  const double n = resamples / 27.0;
  EXPECT_TRUE(testing::fits(times, std::vector<double>{8 * n, 12 * n, 6 * n, n}, 3));
}

TEST(StratifiedBootstrap, StrataDoNotShareTheirDraws) {
  // Strata of one size. Rejection level 1e-6 over six comparisons.
  const std::vector<std::uint8_t> stratum = {0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1};
  const StratifiedBootstrap bootstrap(stratum);
  const std::uint32_t resamples = 20000;
  std::vector<std::vector<double>> zeros(6);
  std::vector<std::vector<double>> ones(6);
  for (std::uint32_t b = 0; b < resamples; ++b) {
    const std::vector<std::uint32_t> weights = weights_of(bootstrap, b);
    std::size_t next_zero = 0;
    std::size_t next_one = 0;
    for (std::size_t i = 0; i < stratum.size(); ++i) {
      (stratum[i] == 1 ? ones[next_one++] : zeros[next_zero++]).push_back(weights[i]);
    }
  }
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_TRUE(testing::agrees(testing::correlation(zeros[j], ones[j]), 0.0,
                                1.0 / std::sqrt(1.0 * resamples), 6));
  }
}

TEST(StratifiedBootstrap, LargeStrataDoNotRepeatTheirDraws) {
  // A row is left out with probability (1 - 1/n)^n; the number of those left out has a variance of
  // about n (1/e - 2/e^2).
  const double n = 5000.0;
  const StratifiedBootstrap bootstrap(std::vector<std::uint8_t>(5000, 1));
  const std::vector<std::uint32_t> weights = weights_of(bootstrap, 0);
  const auto left_out = static_cast<double>(std::count(weights.begin(), weights.end(), 0u));
  const double e = std::exp(1.0);
  EXPECT_TRUE(testing::agrees(left_out, n * std::pow(1.0 - 1.0 / n, n),
                              std::sqrt(n * (1.0 / e - 2.0 / (e * e)))));
}

TEST(StratifiedBootstrap, RefusesOtherStrataAndLengths) {
  EXPECT_EQ(testing::refusal([] {
              StratifiedBootstrap(std::vector<std::uint8_t>{0, 1, 2});
            }),
            "stratum[2] = 2: must be 0 or 1");
  const StratifiedBootstrap bootstrap(std::vector<std::uint8_t>{0, 1, 1});
  std::vector<std::uint32_t> weights(2);
  EXPECT_EQ(testing::refusal([&] { bootstrap.weights(kStream, 0, weights); }),
            "weights = 2 entries: must be 3, one for each row");
}

TEST(PercentileInterval, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> values = {5, 1, 4, 2, 3};
  const Interval half = percentile_interval(values, 0.5);
  EXPECT_DOUBLE_EQ(half.low, 2.0);
  EXPECT_DOUBLE_EQ(half.high, 4.0);
  const Interval most = percentile_interval(values, 0.95);
  EXPECT_NEAR(most.low, 1.1, 1e-12);
  EXPECT_NEAR(most.high, 4.9, 1e-12);
  const Interval one = percentile_interval(std::vector<double>{7.0}, 0.9);
  EXPECT_EQ(one.low, 7.0);
  EXPECT_EQ(one.high, 7.0);
}

TEST(PercentileInterval, Refuses) {
  const std::vector<double> values = {1, 2};
  EXPECT_EQ(testing::refusal([] { percentile_interval({}, 0.9); }), "values: must not be empty");
  EXPECT_EQ(testing::refusal([&] { percentile_interval(values, 1.0); }),
            "level = 1: must be in (0, 1)");
  EXPECT_NE(testing::refusal([&] { percentile_interval(values, std::nan("")); }), "(accepted)");
  const std::vector<double> infinite = {1, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(testing::refusal([&] { percentile_interval(infinite, 0.9); }),
            "values = inf: must be finite");
}

}  // namespace
}  // namespace updraft
