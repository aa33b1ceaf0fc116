// Binomial quantiles: exact values, extreme parameters, monotone in the probability.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "random/binomial.h"
#include "updraft/error.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

constexpr double kSmallest = 0x1p-53;
constexpr double kLargest = 1.0 - 0x1p-53;

/// P(X <= k) as the sampler has it: the largest u that gives at most k.
double cdf_of(const BinomialQuantile& quantile, std::uint64_t k) {
  double low = 0.0;
  double high = 1.0;
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) return low;  // neighbours
    (quantile(middle) <= k ? low : high) = middle;
  }
}

TEST(BinomialQuantile, ThreeFairCoins) {
  const BinomialQuantile quantile(3, 0.5);  // P(X <= k) = 1/8, 1/2, 7/8, 1
  const auto after = [](double u) { return std::nextafter(u, 1.0); };
  EXPECT_EQ(quantile(kSmallest), 0u);
  EXPECT_EQ(quantile(0.125), 0u);
  EXPECT_EQ(quantile(after(0.125)), 1u);
  EXPECT_EQ(quantile(0.5), 1u);
  EXPECT_EQ(quantile(after(0.5)), 2u);
  EXPECT_EQ(quantile(0.875), 2u);
  EXPECT_EQ(quantile(after(0.875)), 3u);
  EXPECT_EQ(quantile(kLargest), 3u);
  EXPECT_EQ(quantile.entries(), 4u);
}

TEST(BinomialQuantile, TwoTrialsOfOneQuarter) {
  const BinomialQuantile quantile(2, 0.25);  // 9/16, 15/16, 1
  EXPECT_EQ(quantile(0.5625), 0u);
  EXPECT_EQ(quantile(std::nextafter(0.5625, 1.0)), 1u);
  EXPECT_EQ(quantile(0.9375), 1u);
  EXPECT_EQ(quantile(std::nextafter(0.9375, 1.0)), 2u);
}

TEST(BinomialQuantile, OneTrialIsBernoulliOfTheOtherTail) {
  const BinomialQuantile quantile(1, 0.25);
  EXPECT_EQ(quantile(0.75), 0u);
  EXPECT_EQ(quantile(std::nextafter(0.75, 1.0)), 1u);
  EXPECT_EQ(quantile(kLargest), 1u);
}

TEST(BinomialQuantile, TenFairCoins) {
  const BinomialQuantile quantile(10, 0.5);
  const double upto[] = {1, 11, 56, 176, 386, 638, 848, 968, 1013, 1023};  // of 1024
  for (std::uint64_t k = 0; k < 10; ++k) EXPECT_DOUBLE_EQ(cdf_of(quantile, k), upto[k] / 1024.0);
}

struct KnownCdf {
  std::uint64_t trials;
  double probability;
  std::uint64_t k;
  double cdf;
};

// Summed with 60 digits, the probabilities being the doubles nearest to what is written.
constexpr KnownCdf kKnownCdfs[] = {
    {5, 0.3, 0, 1.68070000000000024931e-01},
    {5, 0.3, 2, 8.36919999999999997264e-01},
    {5, 0.3, 4, 9.97569999999999956763e-01},
    {12654, 0.004, 20, 8.14568466169720694745e-07},
    {12654, 0.004, 43, 1.57892442638381091946e-01},
    {12654, 0.004, 50, 5.02794790163737626010e-01},
    {12654, 0.004, 58, 8.65669609362523684304e-01},
    {12654, 0.004, 90, 9.99999805342179914902e-01},
    {1630, 0.289, 330, 9.28432504617470622537e-16},
    {1630, 0.289, 400, 4.52873605103329258492e-05},
    {1630, 0.289, 471, 5.10904362331668471242e-01},
    {1630, 0.289, 540, 9.99910354546013735444e-01},
    {594, 0.464, 200, 2.02878668747663644912e-10},
    {594, 0.464, 275, 4.96587274710545367729e-01},
    {594, 0.464, 330, 9.99996739000909240502e-01},
    {10600, 0.001, 0, 2.47842165710801495316e-05},
    {10600, 0.001, 10, 5.08371905179211713843e-01},
    {10600, 0.001, 30, 9.99999731245856171569e-01},
    {10000000, 0.37, 3687500, 1.31902444776258598168e-16},
    {10000000, 0.37, 3690000, 2.86384313316788234150e-11},
    {10000000, 0.37, 3700000, 5.00141972838022752512e-01},
    {10000000, 0.37, 3705000, 9.99471611504741730414e-01},
    {10000000, 1e-7, 0, 3.67879422777469489159e-01},
    {10000000, 1e-7, 8, 9.99998874800595460854e-01},
    {10000000, 0.5, 4990000, 1.27240024557758664443e-10},
    {10000000, 0.5, 5010000, 9.99999999873280032148e-01},
    {10000000, 0.999, 9989700, 1.42534673545685846956e-03},
    {10000000, 0.999, 9990000, 5.01331804199223851626e-01},
};

TEST(BinomialQuantile, DistributionFunction) {
  for (const KnownCdf& known : kKnownCdfs) {
    const double cdf = cdf_of(BinomialQuantile(known.trials, known.probability), known.k);
    // Relative to the smaller tail, as far as doubles below 1 can tell.
    const double accepted = known.cdf < 0.5 ? 1e-12 * known.cdf : 1e-12 * (1.0 - known.cdf) + 2e-16;
    EXPECT_NEAR(cdf, known.cdf, accepted)
        << known.trials << ' ' << known.probability << ' ' << known.k;
  }
}

TEST(BinomialQuantile, CertainOutcomes) {
  for (const double u : {kSmallest, 0.3, 0.5, kLargest}) {
    EXPECT_EQ(BinomialQuantile(0, 0.3)(u), 0u);
    EXPECT_EQ(BinomialQuantile(0, 1.0)(u), 0u);
    EXPECT_EQ(BinomialQuantile(1000, 0.0)(u), 0u);
    EXPECT_EQ(BinomialQuantile(1000, 1.0)(u), 1000u);
    EXPECT_EQ(BinomialQuantile(10000000, 1e-300)(u), 0u);
    EXPECT_EQ(BinomialQuantile(10000000, std::numeric_limits<double>::denorm_min())(u), 0u);
  }
}

TEST(BinomialQuantile, AlmostCertainOutcomes) {
  // P(X >= 1) = 1e-12 and P(X >= 2) = 5e-25.
  const BinomialQuantile rare(10000000, 1e-19);
  EXPECT_EQ(rare(1.0 - 2e-12), 0u);
  EXPECT_EQ(rare(1.0 - 0.5e-12), 1u);
  EXPECT_EQ(rare(kLargest), 1u);
  const BinomialQuantile pairs(10000000, 1e-14);  // P(X >= 2) = 5e-15
  EXPECT_EQ(pairs(1.0 - 6e-15), 1u);
  EXPECT_EQ(pairs(1.0 - 4e-15), 2u);
  const BinomialQuantile common(1000, kLargest);  // P(X < 1000) = 1.1e-13
  EXPECT_EQ(common(1e-13), 999u);
  EXPECT_EQ(common(2e-13), 1000u);
}

TEST(BinomialQuantile, UniformsThatAreTooSmallCountAsTheSmallest) {
  const BinomialQuantile quantile(10000, 0.3);
  EXPECT_EQ(quantile(1e-300), quantile(kSmallest));
  EXPECT_GT(quantile(kSmallest), 2500u);  // 8.2 standard deviations below 3000
  EXPECT_LT(quantile(kSmallest), 2700u);
  EXPECT_LT(quantile(kLargest), 3500u);
  EXPECT_GT(quantile(kLargest), 3300u);
}

TEST(BinomialQuantile, MonotoneInTheUniform) {
  for (const double p : {0.001, 0.3, 0.5, 0.97}) {
    const BinomialQuantile quantile(2000, p);
    std::uint64_t previous = 0;
    for (double u = kSmallest; u < 1.0; u += 1.0 / 50000.0) {
      ASSERT_GE(quantile(u), previous);
      previous = quantile(u);
    }
  }
}

TEST(BinomialQuantile, MonotoneInTheProbability) {
  const Stream stream(5, 0, Purpose::kTest);
  std::vector<double> u(2000);
  stream.uniforms(0, 0, u);
  u.push_back(kSmallest);
  u.push_back(kLargest);
  for (const std::uint64_t trials : {1, 2, 7, 594, 12654}) {
    std::vector<std::uint64_t> previous(u.size(), 0);
    std::uint64_t rises = 0;
    for (const double p :
         {0.0, 1e-9, 0.001, 0.00106, 0.004, 0.00400001, 0.289, 0.3, 0.5, 0.9, 1.0}) {
      const BinomialQuantile quantile(trials, p);
      for (std::size_t i = 0; i < u.size(); ++i) {
        const std::uint64_t k = quantile(u[i]);
        ASSERT_GE(k, previous[i]) << trials << ' ' << p << ' ' << u[i];
        rises += k > previous[i] ? 1 : 0;
        previous[i] = k;
      }
    }
    EXPECT_GE(rises, u.size());  // from 0 to trials, each at least once
  }
}

TEST(BinomialQuantile, MemoryFollowsTheStandardDeviation) {
  EXPECT_LE(BinomialQuantile(10000000, 0.5).entries(), 27000u);  // 17 * (1581 + 1)
  EXPECT_LE(BinomialQuantile(12654, 0.004).entries(), 140u);
  EXPECT_LE(BinomialQuantile(10000000, 1e-12).entries(), 8u);
  EXPECT_EQ(BinomialQuantile(10000000, 0.0).entries(), 1u);
}

TEST(BinomialQuantile, RefusesWhatIsNoProbability) {
  for (const double p :
       {-1e-300, -1.0, 1.0 + 1e-15, 2.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(BinomialQuantile(10, p), InvalidInput) << p;
    EXPECT_THROW(BinomialQuantile(0, p), InvalidInput) << p;
  }
  try {
    BinomialQuantile(10, 1.5);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.field(), "probability");
    EXPECT_STREQ(error.what(), "probability = 1.5: must be in [0, 1]");
  }
}

TEST(BinomialQuantile, RefusesTooManyTrials) {
  EXPECT_THROW(BinomialQuantile(BinomialQuantile::kMaxTrials + 1, 0.5), InvalidInput);
  EXPECT_EQ(BinomialQuantile(BinomialQuantile::kMaxTrials, 0.0)(0.5), 0u);
}

}  // namespace
}  // namespace updraft
