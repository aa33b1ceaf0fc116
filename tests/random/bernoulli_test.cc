// A 0/1 payoff is uniform < p. Seeds are fixed; each test rejects a correct generator with
// probability 1e-6.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/statistics.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using updraft::testing::agrees;

TEST(Bernoulli, HasItsProbability) {
  const std::vector<double> probabilities = {0.001, 0.004, 0.0221, 0.289, 0.464, 0.5, 0.9, 0.999};
  constexpr std::size_t kDraws = 1000000;
  std::vector<double> u(kDraws);
  for (std::size_t c = 0; c < probabilities.size(); ++c) {
    const double p = probabilities[c];
    Stream(20240603, static_cast<std::uint32_t>(c), Purpose::kTest).uniforms(0, 0, u);
    double ones = 0.0;
    for (const double x : u) ones += x < p ? 1.0 : 0.0;
    const double n = static_cast<double>(kDraws);
    const std::size_t comparisons = 10 * probabilities.size();  // tenfold, as counts are skewed
    EXPECT_TRUE(agrees(ones / n, p, std::sqrt(p * (1.0 - p) / n), comparisons)) << p;
  }
}

TEST(Bernoulli, CertainAndImpossible) {
  const Stream stream(1, 0, Purpose::kTest);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    EXPECT_LT(stream.uniform(0, i), 1.0);
    EXPECT_FALSE(stream.uniform(0, i) < 0.0);
    EXPECT_NE(stream.uniform(0, i), 0.0);
  }
}

}  // namespace
}  // namespace updraft
