// The thresholds against tables of the chi-square and normal distributions, and that each verdict
// can be both yes and no.

#include "support/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace updraft::testing {
namespace {

TEST(Statistics, NormalThresholdIsTwoSided) {
  EXPECT_NEAR(normal_threshold(), 4.891638475699, 1e-9);
  EXPECT_NEAR(2.0 * normal_tail(normal_threshold(50)), kRejectionLevel / 50.0, 1e-15);
  EXPECT_NEAR(normal_tail(1.959963984540054), 0.025, 1e-12);
}

TEST(Statistics, ChiSquareTailMatchesClosedForms) {
  for (const double x : {0.1, 1.0, 3.0, 10.0, 28.0, 60.0}) {
    // One degree: a squared normal. Two: an exponential. Four: a sum of two of these.
    EXPECT_NEAR(chi_square_tail(x, 1.0) / (2.0 * normal_tail(std::sqrt(x))), 1.0, 1e-9);
    EXPECT_NEAR(chi_square_tail(x, 2.0) / std::exp(-x / 2.0), 1.0, 1e-9);
    EXPECT_NEAR(chi_square_tail(x, 4.0) / (std::exp(-x / 2.0) * (1.0 + x / 2.0)), 1.0, 1e-9);
  }
  EXPECT_NEAR(chi_square_tail(124.342, 100.0), 0.05, 1e-5);
  EXPECT_NEAR(chi_square_tail(1074.679, 1000.0), 0.05, 1e-5);
  EXPECT_EQ(chi_square_tail(0.0, 3.0), 1.0);
}

TEST(Statistics, ChiSquareThresholdHasTheLevel) {
  EXPECT_NEAR(chi_square_threshold(2.0), -2.0 * std::log(kRejectionLevel), 1e-6);
  for (const double dof : {1.0, 7.0, 63.0, 1023.0, 100000.0}) {
    EXPECT_NEAR(chi_square_tail(chi_square_threshold(dof), dof) / kRejectionLevel, 1.0, 1e-6);
    EXPECT_GT(chi_square_threshold(dof, 10), chi_square_threshold(dof));
  }
}

TEST(Statistics, KolmogorovDistanceLooksAtBothSidesOfAStep) {
  const auto uniform = [](double x) { return x; };
  const std::vector<double> low = {0.1, 0.2, 0.3};
  const std::vector<double> high = {0.7, 0.8, 0.9};
  EXPECT_DOUBLE_EQ(kolmogorov_distance(low, uniform), 0.7);
  EXPECT_DOUBLE_EQ(kolmogorov_distance(high, uniform), 0.7);
  EXPECT_NEAR(kolmogorov_threshold(1000), 0.08517, 1e-5);
}

TEST(Statistics, CorrelationByHand) {
  const std::vector<double> x = {1.0, 2.0, 3.0, 4.0};
  const std::vector<double> y = {2.0, 1.0, 4.0, 3.0};
  const std::vector<double> down = {8.0, 6.0, 4.0, 2.0};
  EXPECT_DOUBLE_EQ(correlation(x, y), 0.6);
  EXPECT_DOUBLE_EQ(correlation(x, down), -1.0);
}

TEST(Statistics, ChiSquareJoinsCellsThatExpectLittle) {
  const std::vector<std::uint64_t> counts = {15, 38, 60, 80, 17};
  const std::vector<double> expected = {20.0, 30.0, 50.0, 90.0, 20.0};
  const ChiSquare result = chi_square(counts, expected);
  EXPECT_EQ(result.cells, 3u);  // 53 for 50, 60 for 50, 97 for 110
  EXPECT_NEAR(result.statistic, 9.0 / 50.0 + 100.0 / 50.0 + 169.0 / 110.0, 1e-12);
}

TEST(Statistics, FitsRefusesWhatDoesNotFit) {
  const std::vector<double> expected = {100.0, 100.0, 100.0};
  EXPECT_TRUE(fits(std::vector<std::uint64_t>{90, 105, 105}, expected));
  EXPECT_FALSE(fits(std::vector<std::uint64_t>{40, 130, 130}, expected));
  EXPECT_FALSE(fits(std::vector<std::uint64_t>{90, 105, 100}, expected));  // another sum
  EXPECT_FALSE(fits(std::vector<std::uint64_t>{150, 150}, expected));
  EXPECT_FALSE(fits(std::vector<std::uint64_t>{10}, std::vector<double>{10.0}));
  EXPECT_TRUE(fits_evenly(std::vector<std::uint64_t>{90, 105, 105}));
  EXPECT_FALSE(fits_evenly(std::vector<std::uint64_t>{40, 130, 130}));
}

TEST(Statistics, AgreesRefusesNaN) {
  EXPECT_TRUE(agrees(1.04, 1.0, 0.01));
  EXPECT_FALSE(agrees(1.06, 1.0, 0.01));
  EXPECT_TRUE(agrees(1.06, 1.0, 0.01, 100000));
  EXPECT_FALSE(agrees(std::numeric_limits<double>::quiet_NaN(), 1.0, 0.01));
  EXPECT_FALSE(agrees(1.0, 1.0, 0.0));
}

TEST(Statistics, LookIndependentSeesDependence) {
  // Two low-discrepancy sequences fill the square evenly; then y = x, and y = |2 x - 1|, which is
  // dependent but not correlated.
  std::vector<double> x(6400);
  std::vector<double> y(6400);
  std::vector<double> folded(6400);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double n = static_cast<double>(i) + 0.5;
    x[i] = n * 0.7548776662466927 - std::floor(n * 0.7548776662466927);
    y[i] = n * 0.5698402909980532 - std::floor(n * 0.5698402909980532);
    folded[i] = std::abs(2.0 * x[i] - 1.0);
  }
  EXPECT_TRUE(look_independent(x, y));
  EXPECT_FALSE(look_independent(x, x));
  EXPECT_FALSE(look_independent(x, folded));
  EXPECT_LT(std::abs(correlation(x, folded)), 0.02);
  EXPECT_FALSE(look_independent(std::span(x).first(100), std::span(y).first(100)));
}

}  // namespace
}  // namespace updraft::testing
