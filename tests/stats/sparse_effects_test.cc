#include "stats/sparse_effects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "random/chi_squared.h"
#include "stats/factor_noise.h"
#include "support/refusal.h"
#include "support/statistics.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::fits_evenly;
using testing::refusal;

constexpr Index kActions = 3;
constexpr Index kUnits = 4;
constexpr double kVarianceFactor = 1.3;

/// Simulation-based calibration: the place of the true value among independent draws of the
/// posterior is uniform if truth and payoffs come from the prior and the model.
constexpr std::size_t kReplications = 3000;
constexpr std::size_t kDrawn = 19;  ///< of the posterior, so 20 places
constexpr std::size_t kBurnIn = 200;
constexpr std::size_t kThinning = 20;

/// Units of unlike variances, one of them below the floor of what effects are measured in.
FactorNoise some_noise(Index factors) {
  FactorNoise noise(kUnits);
  noise.variance << 1.0, 4.0, 0.02, 2.0;
  noise.loadings = MatrixXd::Zero(kUnits, factors);
  if (factors > 0) noise.loadings.col(0) << 0.7, 1.5, 0.05, 1.0;
  if (factors > 1) noise.loadings.col(1) << 0.5, -0.9, 0.06, 0.3;
  noise.derive();
  return noise;
}

/// What posterior draws are compared in.
constexpr std::array<const char*, 9> kQuantities = {
    "uplift of action 0",  "uplift of action 0 less that of 1",
    "share of effects",    "scale of effects",
    "tendency of effects", "dense part of action 0",
    "number of effects",   "effect of action 0 on unit 2",
    "baseline of unit 1"};
using Values = std::array<double, kQuantities.size()>;

Values values_of(const SparseEffects& state) {
  const VectorXd uplifts = state.uplifts();
  return {uplifts[0],
          uplifts[0] - uplifts[1],
          state.share,
          state.scale,
          state.tendency,
          state.dense[0],
          static_cast<double>((state.effects.array() != 0.0).count()),
          state.effects(0, 2),
          state.baseline[1]};
}

/// A draw from the prior on docs/policies/up_ts_sparse.md. Normals are those of round 0, uniforms
/// of round 1, chi-squared variables of round 2.
SparseEffects draw_prior(const FactorNoise& noise, const Stream& stream) {
  SparseEffects truth(kActions, kUnits);
  std::uint64_t normal = 0, uniform = 0;
  const double x = chi_squared(stream, 2, 0, 1);
  const double y = chi_squared(stream, 2, 1024, 9);
  truth.share = std::clamp(x / (x + y), 1e-6, 0.95);
  truth.scale = std::ldexp(1.0, static_cast<int>(12 * stream.uniform(1, uniform++)) - 5);
  truth.tendency = std::sqrt(truth.scale) * stream.normal(0, normal++);
  for (Index g = 0; g < kUnits; ++g) {
    const double sd = std::sqrt(std::max(noise.variance[g], noise.variance.sum() / kUnits / 16.0));
    truth.baseline[g] = 3.0 * static_cast<double>(g) - 1.0;
    for (Index a = 0; a < kActions; ++a) {
      const double z = stream.normal(0, normal++);
      if (stream.uniform(1, uniform++) >= truth.share) continue;
      truth.effects(a, g) = sd * (truth.tendency + std::sqrt(truth.scale) * z);
    }
  }
  // Beta(1/2, 10): there are fewer than 100 rounds.
  const double u = chi_squared(stream, 2, 2048, 1);
  const double v = chi_squared(stream, 2, 3072, 20);
  const double dense_share = u / (u + v);
  // 1, 4, 16 up to kUnits^2 times the mean of c^2
  const double values = std::floor(std::log2(static_cast<double>(kUnits))) + 1.0;
  const double j = std::floor(values * stream.uniform(1, uniform++));
  truth.dense_variance = std::pow(4.0, j) * noise.effect_variance.mean();
  for (Index a = 0; a < kActions; ++a) {
    const double z = stream.normal(0, normal++);
    if (stream.uniform(1, uniform++) >= dense_share) continue;
    truth.dense[a] = std::sqrt(truth.dense_variance) * z;
  }
  return truth;
}

/// Means of the rounds of each action, by the model. Normals of round 3.
MatrixXd draw_means(const SparseEffects& truth, const FactorNoise& noise, const VectorXd& pulls,
                    const Stream& stream) {
  MatrixXd means(kActions, kUnits);
  std::uint64_t normal = 0;
  for (Index a = 0; a < kActions; ++a) {
    VectorXd shock(noise.loadings.cols());
    for (double& z : shock) z = stream.normal(3, normal++);
    const VectorXd common = noise.loadings * shock;
    const double sd = std::sqrt(kVarianceFactor / pulls[a]);
    for (Index g = 0; g < kUnits; ++g) {
      means(a, g) = truth.baseline[g] + truth.effects(a, g) + truth.dense[a] * noise.spread[g] +
                    sd * (common[g] + std::sqrt(noise.own[g]) * stream.normal(3, normal++));
    }
  }
  return means;
}

/// Where a chain starts: another draw from the prior, which is far wider than the posterior, and a
/// baseline that is far off if it is not known.
SparseEffects start_of_chain(const FactorNoise& noise, bool baseline_known, const Stream& stream) {
  SparseEffects start = draw_prior(noise, stream);
  if (!baseline_known) start.baseline.array() += 20.0;
  return start;
}

struct Setting {
  const char* name;
  Index factors;
  bool baseline_known;
};

class SparseCalibration : public ::testing::TestWithParam<Setting> {};

/// With a flat prior of the baseline the places are uniform for any true baseline.
TEST_P(SparseCalibration, TruthIsAsLikelyInEveryPlace) {
  const FactorNoise noise = some_noise(GetParam().factors);
  SparseData data;
  MatrixXd means;
  data.means = &means;
  data.noise = &noise;
  data.pulls = VectorXd(kActions);
  data.pulls << 2.0, 5.0, 9.5;
  data.baseline_known = GetParam().baseline_known;

  std::array<std::vector<std::uint64_t>, kQuantities.size()> places;
  places.fill(std::vector<std::uint64_t>(kDrawn + 1, 0));
  SparseSampler sampler(kActions, kUnits);
  SweepDraws draws(kActions, kUnits);
  for (std::uint32_t replication = 0; replication < kReplications; ++replication) {
    const Stream stream(41, replication, Purpose::kTest);
    const SparseEffects truth = draw_prior(noise, stream);
    means = draw_means(truth, noise, data.pulls, stream);
    SparseEffects state =
        start_of_chain(noise, data.baseline_known, Stream(42, replication, Purpose::kTest));
    sampler.start(data, state);
    const Values expected = values_of(truth);
    std::array<std::size_t, kQuantities.size()> below{}, equal{};
    for (std::uint32_t sweep = 0; sweep < kBurnIn + kDrawn * kThinning; ++sweep) {
      draws.use(stream.with(Purpose::kChain), sweep, 0);
      sampler.sweep(data, kVarianceFactor, draws, state);
      if (sweep < kBurnIn || (sweep - kBurnIn) % kThinning != kThinning - 1) continue;
      const Values drawn = values_of(state);
      for (std::size_t q = 0; q < drawn.size(); ++q) {
        below[q] += drawn[q] < expected[q];
        equal[q] += drawn[q] == expected[q];
      }
    }
    for (std::size_t q = 0; q < kQuantities.size(); ++q) {  // among equals, any place
      const double among = stream.uniform(4, q) * static_cast<double>(equal[q] + 1);
      places[q][below[q] + static_cast<std::size_t>(among)] += 1;
    }
  }
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    EXPECT_TRUE(fits_evenly(places[q], kQuantities.size())) << kQuantities[q];
  }
}

INSTANTIATE_TEST_SUITE_P(Noise, SparseCalibration,
                         ::testing::Values(Setting{"Own", 0, true}, Setting{"OwnFlat", 0, false},
                                           Setting{"TwoFactors", 2, true},
                                           Setting{"TwoFactorsFlat", 2, false}),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// Payoffs without any difference: a sparse prior would leave most effects at 0.
TEST(SparseSampler, EveryActionMovesASingleUnit) {
  FactorNoise noise(1);
  noise.variance << 1.0;
  noise.loadings = MatrixXd::Zero(1, 0);
  noise.derive();
  const MatrixXd means = MatrixXd::Constant(kActions, 1, 5.0);
  SparseData data;
  data.means = &means;
  data.noise = &noise;
  data.pulls = VectorXd::Constant(kActions, 10.0);

  SparseEffects state(kActions, 1);
  SparseSampler sampler(kActions, 1);
  SweepDraws draws(kActions, 1);
  sampler.start(data, state);
  for (std::uint32_t sweep = 0; sweep < 200; ++sweep) {
    draws.use(Stream(6, 0, Purpose::kTest), sweep, 0);
    sampler.sweep(data, 1.0, draws, state);
    if (sweep == 0) continue;  // the share is still where chains start
    EXPECT_EQ((state.effects.array() != 0.0).count(), kActions) << sweep;
  }

  StateWriter writer;
  state.write(writer);
  SparseEffects back(kActions, 1);
  StateReader reader(writer.bytes());
  back.read(reader);
  EXPECT_EQ(back.share, state.share);
}

TEST(SparseEffects, ComesBackBitForBit) {
  const Stream stream(5, 0, Purpose::kTest);
  SparseEffects state = draw_prior(some_noise(1), stream);
  state.dense.setConstant(0.25);
  StateWriter writer;
  state.write(writer);
  SparseEffects back(kActions, kUnits);
  StateReader reader(writer.bytes());
  back.read(reader);
  reader.finish();
  StateWriter again;
  back.write(again);
  EXPECT_EQ(writer.bytes(), again.bytes());
}

TEST(SparseEffects, RefusesWhatNoChainReaches) {
  const auto said = [](auto damage) {
    SparseEffects state(kActions, kUnits);
    damage(state);
    StateWriter writer;
    state.write(writer);
    return refusal([&] {
      SparseEffects back(kActions, kUnits);
      StateReader reader(writer.bytes());
      back.read(reader);
    });
  };
  EXPECT_EQ(said([](SparseEffects&) {}), "(accepted)");
  EXPECT_EQ(said([](SparseEffects& state) { state.share = 1.0; }),
            "policy state: share of effects = 1: must be in [1e-6, 0.95], or up to 1 - 1e-9 with a "
            "single unit");
  EXPECT_EQ(said([](SparseEffects& state) { state.share = 0.0; }),
            "policy state: share of effects = 0: must be in [1e-6, 0.95], or up to 1 - 1e-9 with a "
            "single unit");
  EXPECT_EQ(said([](SparseEffects& state) { state.scale = 128.0; }),
            "policy state: scale of effects = 128: must be in [2^-5, 64]");
  EXPECT_EQ(said([](SparseEffects& state) { state.dense_variance = -1.0; }),
            "policy state: variance of dense effects = -1: must be >= 0");
  EXPECT_NE(said([](SparseEffects& state) { state.effects(1, 2) = std::nan(""); }), "(accepted)");
}

}  // namespace
}  // namespace updraft
