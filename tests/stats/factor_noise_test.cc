#include "stats/factor_noise.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <vector>

#include "support/refusal.h"
#include "updraft/state_io.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::refusal;

constexpr Index kUnits = 7;

FactorNoise noise_with(Index factors) {
  const Stream stream(3, 0, Purpose::kTest);
  FactorNoise noise(kUnits);
  noise.rounds = 40;
  noise.degrees = 30;
  noise.loadings.resize(kUnits, factors);
  for (Index g = 0; g < kUnits; ++g) {
    noise.variance[g] = 0.2 + 3.0 * stream.uniform(0, static_cast<std::uint64_t>(g));
    for (Index k = 0; k < factors; ++k) {
      noise.loadings(g, k) =
          0.4 * stream.normal(1 + static_cast<std::uint32_t>(k), static_cast<std::uint64_t>(g));
    }
  }
  noise.derive();
  return noise;
}

TEST(FactorNoise, FollowsFromTheWholeMatrix) {
  for (const Index factors : {0, 1, 3}) {
    SCOPED_TRACE(factors);
    const FactorNoise noise = noise_with(factors);
    MatrixXd covariance = noise.loadings * noise.loadings.transpose();
    for (Index g = 0; g < kUnits; ++g) {
      const double own = noise.variance[g] - covariance(g, g);
      EXPECT_DOUBLE_EQ(noise.own[g], std::max(own, 0.02 * noise.variance[g]));
      covariance(g, g) += noise.own[g];
    }
    const MatrixXd inverse = covariance.inverse();
    const MatrixXd shown = MatrixXd(noise.own.cwiseInverse().asDiagonal()) -
                           noise.controls.transpose() * noise.controls;
    EXPECT_TRUE(shown.isApprox(inverse, 1e-11));
    EXPECT_TRUE(noise.precision.isApprox(inverse.diagonal(), 1e-11));
    EXPECT_NEAR(noise.total_variance, covariance.sum(), 1e-12 * covariance.sum());
    EXPECT_TRUE(noise.spread.isApprox(covariance.rowwise().sum() / covariance.sum(), 1e-12));
    EXPECT_NEAR(noise.spread.sum(), 1.0, 1e-12);
    const VectorXd controlled = noise.controls * noise.spread;
    EXPECT_LT((noise.controlled - controlled).norm(), 1e-12);
    EXPECT_DOUBLE_EQ(noise.inflation(), 30.0 / (30.0 - static_cast<double>(factors) - 1.0));
  }
}

TEST(FactorNoise, MeasuresEffectsAgainstAFloor) {
  FactorNoise noise(3);
  noise.variance << 1e-3, 1.0, 2.0;
  noise.derive();
  EXPECT_DOUBLE_EQ(noise.effect_variance[0], 3.001 / 3.0 / 16.0);
  EXPECT_DOUBLE_EQ(noise.effect_variance[1], 1.0);
}

TEST(FactorNoise, KeepsAShareOfEveryVariance) {
  FactorNoise noise(2);
  noise.loadings = MatrixXd::Constant(2, 1, 1.0);  // all of the variance, 1
  noise.derive();
  EXPECT_DOUBLE_EQ(noise.own[0], 0.02);
  EXPECT_NEAR(noise.total_variance, 4.04, 1e-12);
}

TEST(FactorNoise, InflationHasAnEnd) {
  FactorNoise noise = noise_with(3);
  noise.degrees = 1;
  EXPECT_DOUBLE_EQ(noise.inflation(), 4.0);
  noise.degrees = 1000000;
  EXPECT_NEAR(noise.inflation(), 1.0, 1e-5);
}

/// One strong shock of all units: a fit finds it, and close to its size.
TEST(FactorNoise, FindsASharedShockAndNothingElse) {
  constexpr std::size_t kMany = 30;
  const Stream stream(8, 0, Purpose::kTest);
  for (const double size : {0.0, 2.0}) {
    UnitMoments moments(2, kMany);
    CountUnit counts(kMany);
    std::vector<std::uint64_t> pulls(2, 0);
    for (std::uint32_t t = 0; t < 2000; ++t) {
      std::vector<double> x(kMany);
      for (std::size_t g = 0; g < kMany; ++g) {
        x[g] = 5.0 * (t % 2) + stream.normal(t, g) + size * stream.normal(t, kMany);
      }
      moments.add(t % 2, ++pulls[t % 2], x);
      counts.add(x);
    }
    FactorSettings settings;
    settings.pulls = pulls;
    settings.counts = &counts;
    const FactorNoise noise = fit_factor_noise(moments, settings);
    EXPECT_EQ(noise.rounds, 2000u);
    EXPECT_EQ(noise.degrees, 1998u);
    EXPECT_EQ(noise.loadings.cols(), size > 0.0 ? 1 : 0);
    const double expected = kMany + size * size * kMany * kMany;
    // The relative sd of a sample variance is sqrt(2 / 1998) = 0.032; five of them.
    EXPECT_NEAR(noise.total_variance, expected, 0.16 * expected);
  }
}

TEST(FactorNoise, ComesBackBitForBit) {
  const FactorNoise noise = noise_with(3);
  StateWriter writer;
  noise.write(writer);
  FactorNoise back(kUnits);
  StateReader reader(writer.bytes());
  back.read(reader);
  reader.finish();
  StateWriter again;
  back.write(again);
  EXPECT_EQ(writer.bytes(), again.bytes());
  EXPECT_EQ(back.controls, noise.controls);
  EXPECT_EQ(back.controlled, noise.controlled);
}

TEST(FactorNoise, RefusesDamagedStates) {
  const auto said = [](std::uint64_t degrees, double variance, std::uint64_t factors) {
    StateWriter writer;
    writer.u64(40);
    writer.u64(degrees);
    writer.f64s(std::vector<double>(2, variance));
    writer.u64(factors);
    writer.f64s(std::vector<double>(2 * factors, 0.1));
    return refusal([&] {
      FactorNoise noise(2);
      StateReader reader(writer.bytes());
      noise.read(reader);
    });
  };
  EXPECT_EQ(said(1, 1.0, 16), "(accepted)");
  EXPECT_EQ(said(0, 1.0, 1), "policy state: degrees of freedom = 0: must be >= 1");
  EXPECT_EQ(said(1, 0.0, 1), "policy state: variances = 0: must be > 0");
  EXPECT_EQ(said(1, 1.0, 17), "policy state: factors = 17: must be at most 16");
}

}  // namespace
}  // namespace updraft
