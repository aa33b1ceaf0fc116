// The references that learn the noise, against fits and decisions computed by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "random/chi_squared.h"
#include "reference/noise_fit.h"
#include "reference/reference_policy.h"
#include "updraft/variable_set.h"

namespace updraft::testing {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kChiSquared = std::uint64_t{1} << 32;
const Stream kStream(7, 3, Purpose::kTest);

VariableSet ids(std::vector<VariableId> list) { return VariableSet::from_ids(list); }

using Round = std::pair<ActionId, std::vector<double>>;

std::unique_ptr<ReferencePolicy> played(std::string_view spec, const Knowledge& knowledge,
                                        std::span<const Round> rounds) {
  auto policy = make_reference(PolicySpec::parse(spec), knowledge);
  for (const auto& [action, payoffs] : rounds) policy->observe(action, payoffs);
  return policy;
}

void expect_near(const std::vector<double>& values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t j = 0; j < values.size(); ++j) EXPECT_NEAR(values[j], expected[j], 1e-13) << j;
}

// Two actions, each with a variable of its own, and b = (1, 2).
//   means: (5, 2) of action 0, (1, 6) of action 1
//   residuals: (-1,-1), (1,1) of action 0, (-1,-2), (1,1), (0,1) of action 1
//   their products add up to 4 and 8, crosswise to 5: rho^2 = 25/32
//   dof = 5 - 1 = 4, so lambda = (7/32)^2 / 4 / (25/32) = 49/3200
//   f = 4 / (4 - 2 * 3151/3200 - 1) = 6400/1649
// With refit = 0.22 fits are made at t = 3, 4 and 5, and not at 6.
const std::vector<Round> kTwoActions = {{0, {4, 1}}, {0, {6, 3}}, {1, {0, 4}},
                                        {1, {2, 7}}, {1, {1, 7}}, {0, {8, 5}}};

Knowledge two_actions() {
  Knowledge knowledge(2, 2);
  knowledge.set_baseline({1.0, 2.0});
  knowledge.set_affected(std::vector<VariableSet>{ids({0}), ids({1})});
  return knowledge;
}

TEST(NoiseLearningReference, KnownBaselineSubtractsWhatTheOtherAtomPredicts) {
  const auto policy = played("up_ucb_cv_bl(refit=0.22)", two_actions(), kTwoActions);
  const double kept = 3151.0 / 3200.0;  // 1 - lambda
  const double f = 6400.0 / 1649.0;
  const double left = f * (1.0 - kept * kept * 25.0 / 32.0);
  const LearnedNoise noise = *policy->learned_noise();
  EXPECT_NEAR(noise.shrinkage, 49.0 / 3200.0, 1e-15);
  EXPECT_EQ(noise.degrees_of_freedom, 4u);
  expect_near(noise.sds, {1.0, std::sqrt(2.0)});
  expect_near(noise.weights[0], {1.0, -kept * 5.0 / 8.0});
  expect_near(noise.weights[1], {-kept * 5.0 / 4.0, 1.0});
  // The sixth round makes the mean of action 0 (6, 3), of three rounds, and fits nothing anew.
  const std::vector<double> estimates = {5.0 - kept * 5.0 / 8.0, 4.0};
  const std::vector<double> errors = {std::sqrt(left / 3.0), std::sqrt(2.0 * left / 3.0)};
  const double q = std::sqrt(2.0 * std::log(6.0));
  expect_near(noise.standard_errors, errors);
  expect_near(policy->indices(kStream),
              {estimates[0] + q * errors[0], estimates[1] + q * errors[1]});
  EXPECT_NEAR(*policy->explained_radius(1), q * errors[1], 1e-13);

  const auto sampling = played("up_ts_bl(refit=0.22)", two_actions(), kTwoActions);
  sampling->offer(1);
  const double kappa = std::sqrt(4.0 / chi_squared(kStream, 1, kChiSquared, 4));
  expect_near(sampling->indices(kStream),
              {estimates[0] + kappa * errors[0] * kStream.normal(1, 0),
               estimates[1] + kappa * errors[1] * kStream.normal(1, 1)});
  EXPECT_NEAR(*sampling->explained_index(0), estimates[0], 1e-13);
  EXPECT_NEAR(*sampling->explained_radius(0), errors[0], 1e-13);
}

TEST(NoiseLearningReference, DiagonalCovarianceCountsOwnAtomsOnly) {
  const auto policy =
      played("up_ucb_cv_bl(refit=0.22, covariance=diagonal)", two_actions(), kTwoActions);
  const LearnedNoise noise = *policy->learned_noise();
  EXPECT_EQ(noise.shrinkage, 1.0);
  EXPECT_EQ(noise.weights, (std::vector<std::vector<double>>{{1.0, 0.0}, {0.0, 1.0}}));
  // f = 4 / 3, s^2 = f and 2 f.
  expect_near(noise.standard_errors, {std::sqrt(4.0 / 9.0), std::sqrt(8.0 / 9.0)});
}

// With a third action that affects nothing, and no baseline told.
//   means: (5, 2), (1, 6), (2, 4); m(0) = (1.4, 3)
//   products of residuals: 7.2, 20 and 10.2; dof = 7 - 1 - 1 = 5
//   sd = (1.2, 2), rho = 0.85, lambda = 0.2775^2 / 5 / 0.7225, f = 5 / (4 - 2 (1 - lambda))
// The numbers below come from generalised least squares for b in plain coordinates, solved by
// Cramer's rule: minimise the sum over actions of n(a) (xbar - b)' S_CC^-1 (xbar - b).
// With refit = 0.15 fits are made at t = 6 and 7, and not at 8.
const std::vector<Round> kThreeActions = {{0, {4, 1}}, {0, {6, 3}}, {1, {0, 4}}, {1, {2, 7}},
                                          {1, {1, 7}}, {2, {1, 2}}, {2, {3, 6}}, {0, {8, 5}}};

Knowledge three_actions() {
  Knowledge knowledge(3, 2);
  knowledge.set_affected(std::vector<VariableSet>{ids({0}), ids({1}), ids({})});
  return knowledge;
}

TEST(NoiseLearningReference, LearntBaselineTakesAllRoundsByTheirPrecision) {
  const auto first = std::span(kThreeActions).first(7);
  const auto seven = played("up_ucb_cv(refit=0.15, radius=whole)", three_actions(), first);
  const LearnedNoise noise = *seven->learned_noise();
  EXPECT_NEAR(noise.shrinkage, 0.2775 * 0.2775 / 5.0 / 0.7225, 1e-15);
  EXPECT_EQ(noise.degrees_of_freedom, 5u);
  expect_near(noise.sds, {1.2, 2.0});
  expect_near(noise.weights[0], {1.0, -0.49912852941176483});
  expect_near(noise.weights[1], {-1.386468137254902, 1.0});
  EXPECT_EQ(noise.weights[2], (std::vector<double>{0.0, 0.0}));
  expect_near(noise.standard_errors, {0.9792805458985332, 1.489927902992935, 0.0});
  expect_near(seven->indices(kStream), {6.046954419352359, 6.552755578319718, 0.0});
  EXPECT_EQ(seven->choose(kStream), 1u);

  // The part that the action's own pulls leave: s^2(a) = f sd^2 (1 - rho^2), n(0) = 2, n(1) = 3.
  const double rho = 0.85 * (1.0 - noise.shrinkage);
  const double f = 5.0 / (4.0 - 2.0 * (1.0 - noise.shrinkage));
  const double left = f * (1.0 - rho * rho);
  const double q = std::sqrt(2.0 * std::log(7.0));
  const auto own = played("up_ucb_cv(refit=0.15)", three_actions(), first);
  expect_near(own->indices(kStream),
              {6.046954419352359 - q * (0.9792805458985332 - 1.2 * std::sqrt(left / 2.0)),
               6.552755578319718 - q * (1.489927902992935 - 2.0 * std::sqrt(left / 3.0)), 0.0});

  const auto eight = played("up_ucb_cv(refit=0.15, radius=whole)", three_actions(), kThreeActions);
  EXPECT_EQ(eight->learned_noise()->weights, noise.weights);
  expect_near(eight->learned_noise()->standard_errors,
              {0.8781020700674711, 1.4635034501124515, 0.0});
  expect_near(eight->indices(kStream), {6.462266156349993, 6.412413501816561, 0.0});
  EXPECT_EQ(eight->choose(kStream), 0u);
}

TEST(NoiseLearningReference, SamplingDrawsTheBaselineOnceForAllActions) {
  const auto policy = played("up_ts(refit=0.15)", three_actions(), kThreeActions);
  for (int j = 0; j < 3; ++j) policy->offer(0);
  const double kappa = std::sqrt(5.0 / chi_squared(kStream, 3, kChiSquared, 5));
  const double lambda = 0.2775 * 0.2775 / 5.0 / 0.7225;
  const double f = 5.0 / (4.0 - 2.0 * (1.0 - lambda));
  const double left = f * (1.0 - std::pow(0.85 * (1.0 - lambda), 2));
  // The upper triangular square root of the covariance of b.
  const double z0 = kStream.normal(3, 0);
  const double z1 = kStream.normal(3, 1);
  const double b0 = kappa * std::sqrt(f) * (0.389453379220904 * z0 + 0.2694864060929676 * z1);
  const double b1 = kappa * std::sqrt(f) * 0.7893331532507626 * z1;
  expect_near(policy->indices(kStream),
              {4.6715227666565955 - b0 + 0.49912852941176483 * b1 +
                   kappa * std::sqrt(1.44 * left / 3.0) * kStream.normal(3, 2),
               3.427841185660898 + 1.386468137254902 * b0 - b1 +
                   kappa * std::sqrt(4.0 * left / 3.0) * kStream.normal(3, 3),
               0.0});
  EXPECT_NEAR(*policy->explained_index(0), 4.6715227666565955, 1e-13);
  EXPECT_NEAR(*policy->explained_radius(0), 0.8781020700674711, 1e-13);
}

TEST(NoiseLearningReference, TakesEachActionOnceFirst) {
  for (const std::string_view spec : {"up_ts", "up_ts_bl", "up_ucb_cv", "up_ucb_cv_bl"}) {
    const auto policy = played(spec, two_actions(), {});
    EXPECT_EQ(policy->select(kStream), 0u);
    EXPECT_EQ(policy->select(kStream), 1u);
    EXPECT_EQ(policy->select(kStream), 0u);  // no feedback yet
    policy->observe(0, std::vector<double>{3.0, 1.0});
    EXPECT_EQ(policy->indices(kStream), (std::vector<double>{-kInfinity, kInfinity}));
    EXPECT_FALSE(policy->learned_noise().has_value());
    policy->observe(1, std::vector<double>{1.0, 1.0});
    EXPECT_TRUE(policy->learned_noise().has_value());
  }
}

NoiseFit fit_of(const std::vector<AtomRound>& rounds, std::vector<VariableSet> sets,
                std::size_t variables, const NoiseFitOptions& options = {}) {
  return fit_noise(rounds, AffectedSets(std::move(sets), variables), options);
}

TEST(NoiseFit, AnAtomThatDoesNotVaryPredictsNothing) {
  // Atom 1 always pays 7, up to rounding; atoms 0 and 2 are action 0's and nobody's.
  const Real seven = 7.0L + 1e-16L;
  const NoiseFit fit =
      fit_of({{0, {1, 7, 0}}, {0, {5, seven, 2}}, {1, {0, 7, 3}}, {1, {0, 7, -1}}, {0, {3, 7, 1}}},
             {ids({0}), ids({1})}, 3);
  EXPECT_FALSE(fit.varies(1));
  EXPECT_TRUE(fit.varies(0));
  EXPECT_EQ(fit.correlation[0][1], 0.0L);
  EXPECT_EQ(fit.weights[0][1], 0.0L);
  EXPECT_EQ(fit.weights[1][1], 1.0L);
  EXPECT_EQ(fit.variances[1], 0.0L);
  EXPECT_EQ(fit.known[0][1][1], 1.0L);
  EXPECT_EQ(fit.known[1][1][1], 0.0L);
}

TEST(NoiseFit, PerfectCorrelationIsShrunkByTheLeastThereIs) {
  const NoiseFit fit = fit_of({{0, {1, 3}}, {0, {5, 15}}, {0, {3, 9}}, {0, {2, 6}}}, {ids({0})}, 2);
  EXPECT_EQ(fit.lambda, 1e-8L);
  // The atoms have 2 and 3 degrees of freedom, so sd = 3 sqrt(2/3) times the other.
  EXPECT_NEAR(static_cast<double>(fit.weights[0][1]), -std::sqrt(1.5) / 3.0, 1e-8);
  EXPECT_GT(fit.variances[0], 0.0L);
}

TEST(NoiseFit, WithoutAPairOfVaryingAtomsCorrelationsCountForNothing) {
  const NoiseFit fit = fit_of({{0, {1, 3}}, {0, {5, 3}}, {0, {3, 3}}}, {ids({0})}, 2);
  EXPECT_EQ(fit.lambda, 1.0L);
  EXPECT_EQ(fit.weights[0], (Vector{1.0L, 0.0L}));
  // dof = 1 for t = 3, one action and a baseline: f = 1 / (1/4); residuals of atom 0: -2, 2, 0.
  EXPECT_EQ(fit.dof, 1u);
  EXPECT_EQ(fit.inflation, 4.0L);
  EXPECT_NEAR(static_cast<double>(fit.variances[0]), 4.0 * 8.0, 1e-13);
}

TEST(NoiseFit, AnAtomThatEveryActionAffectsHasNoBaseline) {
  const NoiseFit fit =
      fit_of({{0, {1, 3}}, {1, {5, 4}}, {0, {3, 9}}, {1, {2, 6}}}, {ids({0}), ids({0, 1})}, 2);
  EXPECT_EQ(fit.baseline[0], 0.0L);
  EXPECT_EQ(fit.baseline[1], 6.0L);
  for (const Matrix& known : fit.known) EXPECT_EQ(known[0][0], 0.0L);
}

}  // namespace

}  // namespace updraft::testing
