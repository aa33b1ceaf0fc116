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

// Two actions, each with a variable of its own, and b = (1, 2), all less 10: payoffs are no counts.
//   means, 10 added: (5, 2) of action 0, (1, 6) of action 1
//   residuals: (-1,-1), (1,1) of action 0, (-1,-2), (1,1), (0,1) of action 1
//   their products add up to 4 and 8, crosswise to 5: rho^2 = 25/32
//   dof = 5 - 1 = 4, so lambda = (7/32)^2 / 4 / (25/32) = 49/3200
//   f = 4 / (4 - 2 * 3151/3200 - 1) = 6400/1649
//   variances 4/4 and 8/4 in all cells: squares 2 + 2 and 2 + 6, Q = 1.17 is below D = 2, so q = 0
// With refit = 0.22 fits are made at t = 3, 4 and 5, and not at 6.
const std::vector<Round> kTwoActions = {{0, {-6, -9}}, {0, {-4, -7}}, {1, {-10, -6}},
                                        {1, {-8, -3}}, {1, {-9, -3}}, {0, {-2, -5}}};

Knowledge two_actions() {
  Knowledge knowledge(2, 2);
  knowledge.set_baseline({-9.0, -8.0});
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
  for (const ActionId a : {0u, 1u}) expect_near(noise.sds[a], {1.0, std::sqrt(2.0)});
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
  // Student's quantile for 4 degrees of freedom.
  const double reach = 2.7764451051977943 * std::sqrt(f);
  expect_near(noise.reaches, {reach * errors[0], reach * errors[1]});

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

// With a third action that affects nothing, and no baseline told; again all less 10.
//   means, 10 added: (5, 2), (1, 6), (2, 4); m(0) = (1.4, 3)
//   products of residuals: 7.2, 20 and 10.2; dof = 7 - 1 - 1 = 5
//   variances 7.2/5 and 20/5 in all cells: squares 2 + 5.2 and 6 + 14, Q = 0.3 is below D, so q = 0
//   sd = (1.2, 2), rho = 0.85, lambda = 0.2775^2 / 5 / 0.7225, f = 5 / (4 - 2 (1 - lambda))
// The numbers below come from generalised least squares for b in plain coordinates, solved by
// Cramer's rule: minimise the sum over actions of n(a) (xbar - b)' S_CC^-1 (xbar - b).
// With refit = 0.15 fits are made at t = 6 and 7, and not at 8.
const std::vector<Round> kThreeActions = {{0, {-6, -9}}, {0, {-4, -7}}, {1, {-10, -6}},
                                          {1, {-8, -3}}, {1, {-9, -3}}, {2, {-9, -8}},
                                          {2, {-7, -4}}, {0, {-2, -5}}};

Knowledge three_actions() {
  Knowledge knowledge(3, 2);
  knowledge.set_affected(std::vector<VariableSet>{ids({0}), ids({1}), ids({})});
  return knowledge;
}

TEST(NoiseLearningReference, LearntBaselineTakesAllRoundsByTheirPrecision) {
  const auto seven = played("up_ucb_cv(refit=0.15, radius=whole)", three_actions(),
                            std::span(kThreeActions).first(7));
  const LearnedNoise noise = *seven->learned_noise();
  EXPECT_NEAR(noise.shrinkage, 0.2775 * 0.2775 / 5.0 / 0.7225, 1e-15);
  EXPECT_EQ(noise.degrees_of_freedom, 5u);
  for (const ActionId a : {0u, 1u, 2u}) expect_near(noise.sds[a], {1.2, 2.0});
  expect_near(noise.weights[0], {1.0, -0.49912852941176483});
  expect_near(noise.weights[1], {-1.386468137254902, 1.0});
  EXPECT_EQ(noise.weights[2], (std::vector<double>{0.0, 0.0}));
  expect_near(noise.standard_errors, {0.9792805458985332, 1.489927902992935, 0.0});
  expect_near(seven->indices(kStream), {6.046954419352359, 6.552755578319718, 0.0});
  EXPECT_EQ(seven->choose(kStream), 1u);

  const auto eight = played("up_ucb_cv(refit=0.15, radius=whole)", three_actions(), kThreeActions);
  EXPECT_EQ(eight->learned_noise()->weights, noise.weights);
  expect_near(eight->learned_noise()->standard_errors,
              {0.8781020700674711, 1.4635034501124515, 0.0});
  expect_near(eight->indices(kStream), {6.462266156349993, 6.412413501816561, 0.0});
  EXPECT_EQ(eight->choose(kStream), 0u);

  const auto own = played("up_ucb_cv(refit=0.15)", three_actions(), kThreeActions);
  const double lambda = noise.shrinkage;
  const double f = 5.0 / (4.0 - 2.0 * (1.0 - lambda));
  const double left = f * (1.0 - std::pow(0.85 * (1.0 - lambda), 2));
  const double q = std::sqrt(2.0 * std::log(8.0));
  expect_near(own->indices(kStream), {4.6715227666565955 + q * std::sqrt(1.44 * left / 3.0),
                                      3.427841185660898 + q * std::sqrt(4.0 * left / 3.0), 0.0});
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

// Three actions and the atoms {0, 1}, {2} and {3, 4}; of atom 1 there are counts up to 12, the
// others pay 0 or 1 for every variable, and action 1 makes atom 1 far less even. The numbers come
// from docs/policies/up_ts.md, computed with numpy in plain coordinates. With refit = 0.2 fits are
// made at t = 15 and 18, and not at 19.
const std::vector<Round> kCounts = {
    {0, {1, 1, 3, 0, 0}},  {1, {1, 1, 1, 0, 1}}, {2, {1, 1, 3, 0, 1}}, {2, {1, 1, 4, 1, 1}},
    {1, {1, 1, 12, 1, 1}}, {2, {1, 1, 3, 1, 1}}, {2, {0, 0, 3, 0, 0}}, {1, {1, 1, 1, 1, 1}},
    {2, {1, 1, 4, 1, 0}},  {2, {0, 1, 3, 1, 1}}, {0, {1, 1, 3, 1, 1}}, {0, {1, 0, 1, 0, 0}},
    {0, {0, 0, 2, 0, 1}},  {0, {1, 0, 2, 1, 0}}, {2, {0, 0, 2, 0, 0}}, {2, {0, 1, 4, 1, 0}},
    {0, {1, 1, 3, 1, 0}},  {1, {0, 0, 0, 0, 0}}, {1, {1, 1, 12, 0, 1}}};

Knowledge three_atoms() {
  Knowledge knowledge(3, 5);
  knowledge.set_baseline({0.5, 0.25, 2.5, 0.25, 0.5});
  knowledge.set_affected(std::vector<VariableSet>{ids({0, 1}), ids({2}), ids({})});
  return knowledge;
}

TEST(NoiseLearningReference, CountsWithALearntBaseline) {
  const auto policy = played("up_ucb_cv(refit=0.2)", three_atoms(), kCounts);
  const LearnedNoise noise = *policy->learned_noise();
  EXPECT_NEAR(noise.shrinkage, 0.20364353594310625, 1e-13);
  EXPECT_EQ(noise.degrees_of_freedom, 16u);
  expect_near(noise.sds[0], {0.8681225804749818, 1.4723627377463666, 0.8273678892992408});
  expect_near(noise.sds[1], {0.8954605338423849, 4.174259771389001, 0.8273678892992408});
  expect_near(noise.sds[2], {0.8954605338423849, 1.4723627377463666, 0.8273678892992408});
  expect_near(noise.weights[0], {1.0, -0.07314196682609367, -0.44513739285890097});
  expect_near(noise.weights[1], {-0.6634275066994006, 1.0, -1.254498689991776});
  expect_near(noise.standard_errors, {0.4288051567829173, 2.0381597806829452, 0.0});
  expect_near(noise.covariance[0], {0.1838738624836223, -0.045558432951654716, 0.0});
  expect_near(noise.covariance[1], {-0.045558432951654716, 4.154095291593551, 0.0});
  // dof = 16, where Welch and Satterthwaite have 18, and 8 degrees of freedom.
  expect_near(noise.reaches, {1.0239125905526236, 5.294009696649989, 0.0});
  expect_near(policy->indices(kStream), {1.0053238521433852, 6.724903017946467, 0.0});
  const auto whole = played("up_ucb_cv(refit=0.2, radius=whole)", three_atoms(), kCounts);
  expect_near(whole->indices(kStream), {1.1949992426163234, 6.87024774053952, 0.0});
}

TEST(NoiseLearningReference, CountsWithAKnownBaseline) {
  const auto policy = played("up_ts_bl(refit=0.2)", three_atoms(), kCounts);
  const LearnedNoise noise = *policy->learned_noise();
  EXPECT_NEAR(noise.shrinkage, 0.14133295484372596, 1e-13);
  EXPECT_EQ(noise.degrees_of_freedom, 17u);
  expect_near(noise.sds[0], {0.9005447131867137, 1.4443848652170685, 0.8584488694264591});
  expect_near(noise.sds[1], {1.0206386949598918, 4.190742343136857, 0.8584488694264591});
  expect_near(noise.weights[0], {1.0, -0.07576239456756549, -0.5621766570399334});
  expect_near(noise.weights[1], {-0.6609206210909497, 1.0, -1.2167835227734691});
  expect_near(noise.standard_errors, {0.33444826907632696, 1.9622519543307502, 0.0});
  expect_near({*policy->explained_index(0), *policy->explained_index(1)},
              {0.5491123443412664, 1.5906648868246318});
  // nu = 9.83 and 7.83.
  expect_near(noise.reaches, {0.8514031136069693, 5.221561734218972, 0.0});
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
  EXPECT_FALSE(fit.unit.has_value());
  EXPECT_FALSE(fit.varies[1]);
  EXPECT_TRUE(fit.varies[0]);
  EXPECT_EQ(fit.correlation[0][1], 0.0L);
  EXPECT_EQ(fit.weights[0][1], 0.0L);
  EXPECT_EQ(fit.weights[1][1], 1.0L);
  EXPECT_EQ(fit.variances[1], 0.0L);
  EXPECT_EQ(fit.known[0][1][1], 1.0L);
  EXPECT_EQ(fit.known[1][1][1], 0.0L);
}

TEST(NoiseFit, AnAtomOfCountsThatHasNotPaidYetHasAVariance) {
  const NoiseFit fit =
      fit_of({{0, {1, 0, 0}}, {0, {5, 0, 2}}, {1, {0, 0, 3}}, {1, {0, 0, 1}}, {0, {3, 0, 1}}},
             {ids({0}), ids({1})}, 3);
  EXPECT_EQ(fit.unit, 1.0L);
  EXPECT_FALSE(fit.varies[1]);
  EXPECT_GT(fit.sd_under[0][1], 0.0L);
  EXPECT_GT(fit.sd_under[1][1], fit.sd_under[0][1]);  // of 2 rounds rather than 3
  EXPECT_EQ(fit.correlation[0][1], 0.0L);
  EXPECT_EQ(fit.weights[0][1], 0.0L);
  EXPECT_GT(fit.variances[1], 0.0L);
  EXPECT_EQ(fit.known[0][1][1], 1.0L);
}

TEST(NoiseFit, PerfectCorrelationIsShrunkByTheLeastThereIs) {
  const NoiseFit fit =
      fit_of({{0, {-1, -3}}, {0, {-5, -15}}, {0, {-3, -9}}, {0, {-2, -6}}}, {ids({0})}, 2);
  EXPECT_EQ(fit.lambda, 1e-8L);
  // Both atoms have 3 degrees of freedom: the baseline of atom 0, which is never seen, takes none.
  EXPECT_NEAR(static_cast<double>(fit.weights[0][1]), -1.0 / 3.0, 1e-8);
  EXPECT_GT(fit.variances[0], 0.0L);
}

TEST(NoiseFit, WithoutAPairOfVaryingAtomsCorrelationsCountForNothing) {
  const NoiseFit fit = fit_of({{0, {1, -3}}, {0, {5, -3}}, {0, {3, -3}}}, {ids({0})}, 2);
  EXPECT_EQ(fit.lambda, 1.0L);
  EXPECT_EQ(fit.weights[0], (Vector{1.0L, 0.0L}));
  // dof = 1 for t = 3, one action and a baseline: f = 1 / (1/4); residuals of atom 0: -2, 2, 0.
  EXPECT_EQ(fit.dof, 1u);
  EXPECT_EQ(fit.inflation, 4.0L);
  // The variance has 2, since the baseline of atom 0 is never seen.
  EXPECT_NEAR(static_cast<double>(fit.variances[0]), 4.0 * 8.0 / 2.0, 1e-13);
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
