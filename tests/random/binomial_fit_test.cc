// Binomial draws follow the binomial law. Seeds are fixed; each test rejects a correct sampler
// with probability 1e-6.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "random/binomial.h"
#include "support/statistics.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using updraft::testing::agrees;
using updraft::testing::fits;

struct Law {
  std::uint64_t trials;
  double probability;
};

// Small ones, cells of the size and rates of the Criteo instance, and large ones.
constexpr Law kLaws[] = {{1, 0.3},       {2, 0.5},        {5, 0.1},         {17, 0.5},
                         {40, 0.97},     {12654, 0.004},  {1630, 0.289},    {594, 0.464},
                         {10600, 0.001}, {100000, 0.047}, {10000000, 3e-7}, {10000000, 0.4}};
constexpr std::size_t kDraws = 100000;

double pmf(const Law& law, std::uint64_t k) {
  const long double n = static_cast<long double>(law.trials);
  const long double j = static_cast<long double>(k);
  const long double p = law.probability;
  return static_cast<double>(std::exp(std::lgamma(n + 1) - std::lgamma(j + 1) -
                                      std::lgamma(n - j + 1) + j * std::log(p) +
                                      (n - j) * std::log1p(-p)));
}

std::vector<std::uint64_t> draw(const Law& law, std::uint32_t run) {
  const BinomialQuantile quantile(law.trials, law.probability);
  std::vector<double> u(kDraws);
  Stream(20240604, run, Purpose::kTest).uniforms(0, 0, u);
  std::vector<std::uint64_t> draws;
  for (const double x : u) draws.push_back(quantile(x));
  return draws;
}

TEST(BinomialFit, ProbabilityOfEachCount) {
  std::uint32_t run = 0;
  for (const Law& law : kLaws) {
    const double mean = static_cast<double>(law.trials) * law.probability;
    const double spread = 9.0 * std::sqrt(mean * (1.0 - law.probability)) + 20.0;
    const auto low = static_cast<std::uint64_t>(std::max(0.0, mean - spread));
    const auto high = std::min(law.trials, static_cast<std::uint64_t>(mean + spread));
    std::vector<std::uint64_t> counts(high - low + 1, 0);
    for (const std::uint64_t k : draw(law, run++)) {
      ASSERT_GE(k, low);
      ASSERT_LE(k, high);
      ++counts[k - low];
    }
    std::vector<double> expected;
    for (std::uint64_t k = low; k <= high; ++k) {
      expected.push_back(static_cast<double>(kDraws) * pmf(law, k));
    }
    EXPECT_TRUE(fits(counts, expected, std::size(kLaws))) << law.trials << ' ' << law.probability;
  }
}

TEST(BinomialFit, MeanAndVariance) {
  std::uint32_t run = 100;
  for (const Law& law : kLaws) {
    const double n = static_cast<double>(kDraws);
    const double mean = static_cast<double>(law.trials) * law.probability;
    const double variance = mean * (1.0 - law.probability);
    double sum = 0.0;
    double squares = 0.0;
    for (const std::uint64_t k : draw(law, run++)) {
      const double distance = static_cast<double>(k) - mean;
      sum += distance;
      squares += distance * distance;
    }
    // Var((X - mean)^2) = 2 variance^2 + variance (1 - 6 p (1 - p)).
    const double p = law.probability;
    const double fourth = 2.0 * variance * variance + variance * (1.0 - 6.0 * p * (1.0 - p));
    const std::size_t comparisons = 2 * std::size(kLaws);
    EXPECT_TRUE(agrees(sum / n, 0.0, std::sqrt(variance / n), comparisons)) << law.trials;
    EXPECT_TRUE(agrees(squares / n, variance, std::sqrt(fourth / n), comparisons)) << law.trials;
  }
}

}  // namespace
}  // namespace updraft
