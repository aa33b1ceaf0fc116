// Chi-squared draws have their law. Seeds are fixed; each test rejects a correct sampler with
// probability 1e-6.

#include "random/chi_squared.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/statistics.h"

namespace updraft {
namespace {

using updraft::testing::agrees;
using updraft::testing::chi_square_tail;
using updraft::testing::kolmogorov_distance;
using updraft::testing::kolmogorov_threshold;

constexpr std::uint32_t kDraws = 100000;

const Stream kStream(20261116, 0, Purpose::kTest);

std::vector<double> draws(std::uint64_t degrees) {
  std::vector<double> values;
  for (std::uint32_t round = 0; round < kDraws; ++round) {
    values.push_back(chi_squared(kStream, round, 1000, degrees));
  }
  return values;
}

class ChiSquared : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ChiSquared, HasItsDistributionFunction) {
  std::vector<double> values = draws(GetParam());
  std::sort(values.begin(), values.end());
  const auto degrees = static_cast<double>(GetParam());
  const double distance =
      kolmogorov_distance(values, [&](double x) { return 1.0 - chi_square_tail(x, degrees); });
  EXPECT_LT(distance, kolmogorov_threshold(kDraws));
}

TEST_P(ChiSquared, HasItsMeanAndVariance) {
  const auto degrees = static_cast<double>(GetParam());
  double sum = 0.0;
  double squares = 0.0;
  for (const double x : draws(GetParam())) {
    sum += x;
    squares += (x - degrees) * (x - degrees);
  }
  const double n = kDraws;
  EXPECT_TRUE(agrees(sum / n, degrees, std::sqrt(2.0 * degrees / n), 2));
  // The fourth central moment is 12 k (k + 4).
  const double error = std::sqrt((12.0 * degrees * (degrees + 4.0) - 4.0 * degrees * degrees) / n);
  EXPECT_TRUE(agrees(squares / n, 2.0 * degrees, error, 2));
}

INSTANTIATE_TEST_SUITE_P(Degrees, ChiSquared, ::testing::Values(1, 2, 3, 7, 40, 5000));

TEST(ChiSquared, DependsOnTheIndexAndTheRoundAlone) {
  EXPECT_EQ(chi_squared(kStream, 7, 42, 5), chi_squared(kStream, 7, 42, 5));
  EXPECT_NE(chi_squared(kStream, 7, 42, 5), chi_squared(kStream, 7, 62, 5));
  EXPECT_NE(chi_squared(kStream, 7, 42, 5), chi_squared(kStream, 8, 42, 5));
}

}  // namespace
}  // namespace updraft
