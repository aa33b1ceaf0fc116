#include "stats/factored_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/baseline_posterior.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kAtoms = 9;
constexpr std::size_t kActions = 4;

/// Atom 0 is affected by every action, atom 1 by none, the others by one or two.
AffectedSets example_sets() {
  std::vector<VariableSet> sets;
  for (const std::vector<VariableId>& ids :
       {std::vector<VariableId>{0, 2, 5}, {0, 3, 5, 6}, {0, 4, 7}, {0, 6, 7, 8}}) {
    sets.push_back(VariableSet::from_ids(ids));
  }
  return AffectedSets(std::move(sets), kAtoms);
}

/// Random loadings, sds and means; the second atom does not vary.
struct Example {
  explicit Example(Index factors) : model(kActions, kAtoms), moments(kActions, kAtoms) {
    const Stream stream(3, 0, Purpose::kTest);
    std::uint64_t next = 0;
    const auto uniform = [&] { return stream.uniform(0, next++); };
    model.rounds = 50;
    model.degrees = 45;
    model.shrinkage = 0.6;
    model.loadings.resize(kAtoms, factors);
    for (Index g = 0; g < kAtoms; ++g) {
      for (Index k = 0; k < factors; ++k) model.loadings(g, k) = uniform() - 0.4;
      model.sd[g] = g == 1 ? 0.0 : 0.5 + uniform();
      model.centre[g] = uniform();
      for (std::size_t a = 0; a < kActions; ++a) model.own_sd(g, a) = 0.5 + uniform();
    }
    model.loadings.row(1).setZero();
    model.set_scale();
    for (std::size_t a = 0; a < kActions; ++a) {
      std::vector<double> sums(kAtoms);
      for (double& sum : sums) sum = uniform();
      moments.add(static_cast<ActionId>(a), 1, sums);
    }
  }

  /// The same model with its correlations in full.
  NoiseModel in_full() const {
    NoiseModel full = model;
    full.correlation = model.loadings * model.loadings.transpose();
    full.correlation.diagonal() += model.own_share();
    return full;
  }

  NoiseModel factored() const {
    NoiseModel factored = model;
    factored.correlation.resize(0, 0);
    return factored;
  }

  NoiseModel model;
  AtomMoments moments;
  std::vector<std::uint64_t> pulls{3, 1, 7, 2};
};

class FactoredNoiseWith : public ::testing::TestWithParam<Index> {};

TEST_P(FactoredNoiseWith, HasTheControlVariatesOfItsCorrelationsInFull) {
  const AffectedSets sets = example_sets();
  const Example example(GetParam());
  const NoiseModel full = example.in_full();
  const NoiseModel few = example.factored();
  const ConditionalNoise expected(full);
  FactoredNoise noise(sets);
  noise.use(few);
  for (ActionId a = 0; a < kActions; ++a) {
    const VectorXd own_sd = few.own_sd.col(a);
    const ControlVariates right = expected.control_variates(sets.atoms_of(a), own_sd);
    const ControlVariates got = noise.control_variates(a, own_sd);
    EXPECT_NEAR(got.variance, right.variance, 1e-12 * right.variance) << a;
    EXPECT_LT((got.weights - right.weights).cwiseAbs().maxCoeff(), 1e-12) << a;
  }
}

/// The other has a ridge of 1e-9.
TEST_P(FactoredNoiseWith, HasTheBaselineOfItsCorrelationsInFull) {
  const AffectedSets sets = example_sets();
  const Example example(GetParam());
  const NoiseModel full = example.in_full();
  const NoiseModel few = example.factored();
  const ConditionalNoise conditional(full);
  BaselinePosterior expected(sets);
  expected.use(full, conditional);
  expected.start(example.moments, example.pulls);
  FactoredNoise noise(sets);
  noise.use(few);
  noise.learn_baseline(example.moments, example.pulls);
  EXPECT_LT((noise.shift() - expected.shift()).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_EQ(noise.shift()[0], 0.0) << "of an atom that every action affects";
  const MatrixXd weights = MatrixXd::Random(kAtoms, 3);
  const MatrixXd right = expected.whitened(weights);
  const MatrixXd got = noise.whitened(weights);
  const MatrixXd difference = got.transpose() * got - right.transpose() * right;
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Factors, FactoredNoiseWith, ::testing::Values(0, 1, 3));

/// 300 atoms whose sds differ, half of the variance of the first 200 by one shock.
TEST(FactoredModel, FindsTheFactorOfManyAtoms) {
  constexpr Index kMany = 300;
  const Stream stream(4, 0, Purpose::kTest);
  std::vector<VariableSet> sets;
  for (VariableId a = 0; a < kMany; ++a) {
    sets.push_back(VariableSet::from_ids(std::vector<VariableId>{a}));
  }
  const AffectedSets affected(std::move(sets), kMany);
  AtomMoments moments(kMany, kMany);
  CountUnit counts(kMany);
  std::vector<std::uint64_t> pulls(kMany, 0);
  for (std::uint32_t round = 0; round < 4 * kMany; ++round) {
    std::vector<double> x(kMany + 1);
    stream.normals(round, 0, x);
    const double shock = x.back();
    x.pop_back();
    for (Index g = 0; g < kMany; ++g) {
      double& value = x[static_cast<std::size_t>(g)];
      if (g < 200) value = std::sqrt(0.5) * (value + shock);
      value *= g % 2 == 0 ? 1.0 : 3.0;
    }
    const ActionId action = round % kMany;
    moments.add(action, ++pulls[action], x);
    counts.add(x);
  }
  EXPECT_FALSE(moments.in_full());
  const NoiseModel model =
      fit_noise(moments, pulls, {.sets = &affected, .counts = &counts, .baseline = nullptr});
  ASSERT_TRUE(model.factored());
  ASSERT_EQ(model.loadings.cols(), 1);
  const VectorXd loading = model.loadings.col(0).cwiseAbs();
  EXPECT_NEAR(loading.head(200).mean(), std::sqrt(0.5), 0.03);
  EXPECT_LT(loading.tail(100).mean(), 0.06);
  EXPECT_NEAR(model.sd[0], 1.0, 0.15);
  EXPECT_NEAR(model.sd[1], 3.0, 0.45);
  EXPECT_DOUBLE_EQ(model.shrinkage, 1.0 - 1.0 / kMany);
  const NoiseModel diagonal =
      fit_noise(moments, pulls,
                {.sets = &affected, .counts = &counts, .baseline = nullptr, .diagonal = true});
  EXPECT_EQ(diagonal.loadings.cols(), 0);
}

}  // namespace
}  // namespace updraft
