// Payoffs have the law that the instance says, at every resolution. Fixed seeds, rejection level
// 1e-6 per test (support/statistics.h).
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/statistics.h"
#include "updraft/instance_environment.h"

namespace updraft {
namespace {

using testing::agrees;
using testing::fits;

VariableSet ids(std::vector<VariableId> list) { return VariableSet::from_ids(list); }

/// One atom of 5 variables (action a) with two rates, scattered, and one untouched variable.
std::shared_ptr<const Instance> bernoulli() {
  return std::make_shared<Instance>(
      InstanceDefinition{.name = "bernoulli",
                         .summary = "",
                         .action_names = {"a", "b"},
                         .variables = {{2, 0.25}, {1, 0.5}, {1, 0.75}, {2, 0.25}},
                         .effects = {{{ids({0, 1, 2, 4, 5}), {0.5, 0.5, 0.125, 0.5, 0.5}}}, {}},
                         .noise = BernoulliNoise{}});
}

/// Student's t with 3 degrees of freedom has P(|T| <= 1) = 0.6089978 and P(|T| <= 3) = 0.9423311;
/// its variance is 3. One factor widens a round at every resolution.
TEST(GaussianLaw, HeavyTailsAreStudents) {
  GaussianNoise noise;
  noise.tail_degrees = 3;
  const auto instance = std::make_shared<Instance>(InstanceDefinition{.name = "",
                                                                      .summary = "",
                                                                      .action_names = {"a"},
                                                                      .variables = {{4, 2.0}},
                                                                      .effects = {{}},
                                                                      .noise = noise});
  const auto law = prepare_payoffs(instance);
  InstanceEnvironment fine(law, 8, 0);
  InstanceEnvironment coarse(law, 8, 0);
  constexpr std::uint32_t kRounds = 100000;
  const double unit = 1.0 / std::sqrt(3.0);
  std::vector<std::uint64_t> single(3, 0);
  std::vector<std::uint64_t> total(3, 0);
  const auto count = [unit](double deviation, double sd, std::vector<std::uint64_t>& counts) {
    const double t = std::abs(deviation) / (sd * unit);
    ++counts[t <= 1.0 ? 0 : t <= 3.0 ? 1 : 2];
  };
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const Payoffs drawn = fine.draw(round, 0, Resolution::variables());
    count(drawn.values()[round % 4] - 2.0, 1.0, single);
    count(coarse.draw(round, 0, Resolution::total()).reward() - 8.0, 2.0, total);
  }
  const std::vector<double> expected = {0.6089978 * kRounds, (0.9423311 - 0.6089978) * kRounds,
                                        (1.0 - 0.9423311) * kRounds};
  EXPECT_TRUE(fits(single, expected, 2));
  EXPECT_TRUE(fits(total, expected, 2));
}

TEST(BernoulliLaw, JointLawOfAllVariablesIsTheProduct) {
  const auto instance = bernoulli();
  InstanceEnvironment environment(prepare_payoffs(instance), 2, 0);
  constexpr std::uint32_t kRounds = 200000;
  for (const ActionId action : {0u, 1u}) {
    std::vector<std::uint64_t> counts(64, 0);
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      std::size_t pattern = 0;
      const Payoffs payoffs = environment.draw(round, action, Resolution::variables());
      for (const VariableId i : payoffs.ids()) pattern |= std::size_t{1} << i;
      ++counts[pattern];
    }
    const std::vector<double> means = instance->means(action);
    std::vector<double> expected(64, kRounds);
    for (std::size_t pattern = 0; pattern < 64; ++pattern) {
      for (std::size_t i = 0; i < 6; ++i) {
        expected[pattern] *= (pattern >> i) & 1 ? means[i] : 1.0 - means[i];
      }
    }
    EXPECT_TRUE(fits(counts, expected, 2)) << "action " << action;
  }
}

/// P(sum of independent Bernoulli variables = k).
std::vector<double> sum_probabilities(const std::vector<double>& rates) {
  std::vector<double> p = {1.0};
  for (const double rate : rates) {
    p.push_back(0.0);
    for (std::size_t k = p.size(); k-- > 0;) {
      p[k] = p[k] * (1.0 - rate) + (k > 0 ? p[k - 1] * rate : 0.0);
    }
  }
  return p;
}

TEST(BernoulliLaw, AtomSumsAndTotalsHaveTheLawOfSummedDraws) {
  const auto instance = bernoulli();
  InstanceEnvironment environment(prepare_payoffs(instance), 4, 0);
  const Resolution atoms = Resolution::groups(instance->affected()->atoms());
  constexpr std::uint32_t kRounds = 100000;
  const std::vector<double> means = instance->means(0);
  std::vector<std::uint64_t> atom_counts(6, 0);
  std::vector<std::uint64_t> total_counts(7, 0);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    ++atom_counts[static_cast<std::size_t>(environment.draw(round, 0, atoms).values()[0])];
    ++total_counts[static_cast<std::size_t>(
        environment.draw(round, 0, Resolution::total()).reward())];
  }
  std::vector<double> atom_expected =
      sum_probabilities({means[0], means[1], means[2], means[4], means[5]});
  std::vector<double> total_expected = sum_probabilities(means);
  for (double& p : atom_expected) p *= kRounds;
  for (double& p : total_expected) p *= kRounds;
  EXPECT_TRUE(fits(atom_counts, atom_expected, 2));
  EXPECT_TRUE(fits(total_counts, total_expected, 2));
}

/// Two cells of eight variables each, one per action, and an action that affects nothing.
std::shared_ptr<const Instance> two_cells() {
  return std::make_shared<Instance>(
      InstanceDefinition{.name = "two-cells",
                         .summary = "",
                         .action_names = {"first", "second", "none"},
                         .variables = {{16, 0.5}},
                         .effects = {{{ids({0, 1, 2, 3, 4, 5, 6, 7}), {0.75}}},
                                     {{ids({8, 9, 10, 11, 12, 13, 14, 15}), {0.25}}},
                                     {}},
                         .noise = BernoulliNoise{}});
}

TEST(BernoulliLaw, CellsDoNotShareTheirDraws) {
  InstanceEnvironment environment(prepare_payoffs(two_cells()), 5, 0);
  constexpr std::uint32_t kRounds = 20000;
  for (const ActionId action : {0u, 2u}) {
    std::vector<std::vector<double>> payoffs(18, std::vector<double>(kRounds, 0.0));
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const Payoffs drawn = environment.draw(round, action, Resolution::variables());
      for (const VariableId i : drawn.ids()) {
        payoffs[i][round] = 1.0;
        payoffs[16 + i / 8][round] += 1.0;  // of the cell
      }
    }
    const auto expect_uncorrelated = [&](std::size_t x, std::size_t y) {
      EXPECT_TRUE(agrees(testing::correlation(payoffs[x], payoffs[y]), 0.0,
                         1.0 / std::sqrt(1.0 * kRounds), 18))
          << x << " and " << y << ", action " << action;
    };
    for (std::size_t i = 0; i < 8; ++i) expect_uncorrelated(i, 8 + i);
    expect_uncorrelated(16, 17);
  }
}

TEST(BernoulliLaw, CriteoRoundsHaveTheRightMeanAndVariance) {
  const auto instance = load_instance("criteo");
  InstanceEnvironment environment(prepare_payoffs(instance), 6, 0);
  constexpr std::uint32_t kRounds = 20000;
  double sum = 0.0;
  double squares = 0.0;
  const double mean = instance->rewards()[5];
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const double deviation = environment.draw(round, 5, Resolution::total()).reward() - mean;
    sum += deviation;
    squares += deviation * deviation;
  }
  const double variance = instance->noise_sd(5) * instance->noise_sd(5);
  EXPECT_TRUE(agrees(sum / kRounds, 0.0, std::sqrt(variance / kRounds), 2));
  EXPECT_TRUE(agrees(squares / kRounds, variance, variance * std::sqrt(2.0 / kRounds), 2));
}

struct Correlated {
  std::shared_ptr<const Instance> instance;
  std::vector<double> covariance;  ///< m * m
};

/// 5 variables in atoms {0, 3}, {1, 2}, {4}.
Correlated correlated(GaussianNoise noise, std::vector<double> covariance) {
  return {std::make_shared<Instance>(
              InstanceDefinition{.name = "correlated",
                                 .summary = "",
                                 .action_names = {"a", "b"},
                                 .variables = {{5, 0.0}},
                                 .effects = {{{ids({0, 3}), {1.0}}}, {{ids({1, 2}), {-1.0}}}},
                                 .noise = std::move(noise)}),
          std::move(covariance)};
}

std::vector<Correlated> all_correlated() {
  using Covariance = GaussianNoise::Covariance;
  std::vector<Correlated> result;
  std::vector<double> identity(25, 0.0);
  std::vector<double> factor(25, 1.5 * 0.4);
  std::vector<double> matrix(25);
  for (int i = 0; i < 5; ++i) {
    identity[6 * i] = 0.8;
    factor[6 * i] = 1.5;
    for (int j = 0; j < 5; ++j) matrix[5 * i + j] = (i == j ? 1.0 : 0.0) - 0.2;  // rank 4, sum 0
  }
  result.push_back(correlated({.covariance = Covariance::kIdentity, .variance = 0.8}, identity));
  result.push_back(
      correlated({.covariance = Covariance::kFactor, .variance = 1.5, .factor = 0.4}, factor));
  result.push_back(correlated({.covariance = Covariance::kMatrix, .matrix = matrix}, matrix));
  std::vector<double> toeplitz(25);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) toeplitz[5 * i + j] = std::pow(-0.6, std::abs(i - j));
  }
  result.push_back(correlated({.covariance = Covariance::kMatrix, .matrix = toeplitz}, toeplitz));
  return result;
}

TEST(GaussianLaw, VariablesHaveTheCovariance) {
  constexpr std::uint32_t kRounds = 100000;
  const auto cases = all_correlated();
  for (const Correlated& test : cases) {
    InstanceEnvironment environment(prepare_payoffs(test.instance), 8, 0);
    const std::vector<double> means = test.instance->means(0);
    std::vector<double> sums(5, 0.0);
    std::vector<double> products(25, 0.0);
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const Payoffs payoffs = environment.draw(round, 0, Resolution::variables());
      for (int i = 0; i < 5; ++i) {
        const double x = payoffs.values()[i] - means[i];
        sums[i] += x;
        for (int j = 0; j < 5; ++j) products[5 * i + j] += x * (payoffs.values()[j] - means[j]);
      }
    }
    const std::size_t comparisons = cases.size() * 30;
    for (int i = 0; i < 5; ++i) {
      const double variance = test.covariance[6 * i];
      EXPECT_TRUE(agrees(sums[i] / kRounds, 0.0, std::sqrt(variance / kRounds), comparisons));
      for (int j = 0; j < 5; ++j) {
        const double c = test.covariance[5 * i + j];
        const double se = std::sqrt((variance * test.covariance[6 * j] + c * c) / kRounds);
        EXPECT_TRUE(agrees(products[5 * i + j] / kRounds, c, se, comparisons)) << i << "," << j;
      }
    }
  }
}

TEST(GaussianLaw, ProjectionsAreNormal) {
  constexpr std::uint32_t kRounds = 50000;
  const std::vector<double> weights = {1.0, -2.0, 0.5, 3.0, -0.25};
  for (const Correlated& test : all_correlated()) {
    double variance = 0.0;
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j) variance += weights[i] * weights[j] * test.covariance[5 * i + j];
    }
    InstanceEnvironment environment(prepare_payoffs(test.instance), 9, 0);
    const std::vector<double> means = test.instance->means(1);
    std::vector<double> projections;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const Payoffs payoffs = environment.draw(round, 1, Resolution::variables());
      double projection = 0.0;
      for (int i = 0; i < 5; ++i) projection += weights[i] * (payoffs.values()[i] - means[i]);
      projections.push_back(projection / std::sqrt(variance));
    }
    std::sort(projections.begin(), projections.end());
    const double distance = testing::kolmogorov_distance(
        projections, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); });
    EXPECT_LT(distance, testing::kolmogorov_threshold(kRounds));
  }
}

TEST(GaussianLaw, AtomSumsAndTotalsHaveTheLawOfSummedDraws) {
  constexpr std::uint32_t kRounds = 100000;
  const auto cases = all_correlated();
  const std::vector<std::vector<int>> groups = {{0, 3}, {1, 2}, {4}};
  for (const Correlated& test : cases) {
    InstanceEnvironment environment(prepare_payoffs(test.instance), 10, 0);
    const Resolution atoms = Resolution::groups(test.instance->affected()->atoms());
    std::vector<double> products(9, 0.0);
    double total_squares = 0.0;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const Payoffs drawn = environment.draw(round, 0, atoms);
      const double x[3] = {drawn.values()[0] - 2.0, drawn.values()[1], drawn.values()[2]};
      for (int g = 0; g < 3; ++g) {
        for (int h = 0; h < 3; ++h) products[3 * g + h] += x[g] * x[h];
      }
      const double total = environment.draw(round, 0, Resolution::total()).reward() - 2.0;
      total_squares += total * total;
    }
    std::vector<double> covariance(9, 0.0);
    for (int g = 0; g < 3; ++g) {
      for (int h = 0; h < 3; ++h) {
        for (const int i : groups[g]) {
          for (const int j : groups[h]) covariance[3 * g + h] += test.covariance[5 * i + j];
        }
      }
    }
    const std::size_t comparisons = cases.size() * 10;
    for (int g = 0; g < 3; ++g) {
      for (int h = 0; h < 3; ++h) {
        const double c = covariance[3 * g + h];
        const double se = std::sqrt((covariance[4 * g] * covariance[4 * h] + c * c) / kRounds);
        EXPECT_TRUE(agrees(products[3 * g + h] / kRounds, c, se, comparisons));
      }
    }
    const double variance = std::accumulate(covariance.begin(), covariance.end(), 0.0);
    if (variance < 1e-12) {
      EXPECT_LT(total_squares, 1e-12);  // noise that always adds up to 0
    } else {
      EXPECT_TRUE(agrees(total_squares / kRounds, variance, variance * std::sqrt(2.0 / kRounds),
                         comparisons));
    }
  }
}

TEST(GaussianLaw, SharedNoiseTouchesTheAffectedAlone) {
  const auto instance = load_instance("hard-affected");
  InstanceEnvironment environment(prepare_payoffs(instance), 12, 0);
  const std::vector<double> means = instance->means(2);
  double squares = 0.0;
  constexpr std::uint32_t kRounds = 20000;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const Payoffs payoffs = environment.draw(round, 2, Resolution::variables());
    const double noise = payoffs.values()[0] - means[0];
    squares += noise * noise;
    for (VariableId i = 0; i < instance->variables(); ++i) {
      const double expected = instance->affected()->of(2).contains(i) ? noise : 0.0;
      ASSERT_NEAR(payoffs.values()[i] - means[i], expected, 1e-12);
    }
  }
  EXPECT_TRUE(agrees(squares / kRounds, 1.0, std::sqrt(2.0 / kRounds)));
}

TEST(ObserveBaseline, HasTheLawOfMeans) {
  constexpr std::uint64_t kCount = 25;
  const auto criteo = load_instance("criteo");
  const auto gaussian = load_instance("gaussian");
  double criteo_deviation = 0.0;
  double criteo_variance = 0.0;
  double gaussian_squares = 0.0;
  const BaselineObservations table =
      InstanceEnvironment(prepare_payoffs(criteo), 13, 0).observe_baseline(kCount);
  for (std::size_t i = 0; i < criteo->variables(); ++i) {
    const double p = criteo->baseline()[i];
    ASSERT_EQ(table.counts[i], kCount);
    ASSERT_NEAR(table.means[i] * kCount, std::round(table.means[i] * kCount), 1e-9);
    criteo_deviation += table.means[i] - p;
    criteo_variance += p * (1.0 - p) / kCount;
  }
  EXPECT_TRUE(agrees(criteo_deviation, 0.0, std::sqrt(criteo_variance), 2));
  constexpr std::uint32_t kRuns = 200;
  const auto law = prepare_payoffs(gaussian);
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const BaselineObservations drawn = InstanceEnvironment(law, 13, run).observe_baseline(kCount);
    for (std::size_t i = 0; i < gaussian->variables(); ++i) {
      const double z = (drawn.means[i] - gaussian->baseline()[i]) * std::sqrt(1.0 * kCount);
      gaussian_squares += z * z;
    }
  }
  const double n = kRuns * 100.0;
  EXPECT_TRUE(agrees(gaussian_squares / n, 1.0, std::sqrt(2.0 / n), 2));
}

/// Per variable the observed means of runs 0, 1, ...
std::vector<std::vector<double>> observed_by_runs(const std::shared_ptr<const Instance>& instance,
                                                  std::uint64_t count, std::uint32_t runs) {
  const auto law = prepare_payoffs(instance);
  std::vector<std::vector<double>> columns(instance->variables());
  for (std::uint32_t run = 0; run < runs; ++run) {
    const BaselineObservations drawn = InstanceEnvironment(law, 14, run).observe_baseline(count);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].push_back(drawn.means[i]);
  }
  return columns;
}

/// Four variables of variances 4, 1, 0.25 and 1, whose noise is a matrix.
std::shared_ptr<const Instance> unequal_variances() {
  GaussianNoise noise{.covariance = GaussianNoise::Covariance::kMatrix};
  noise.matrix = {4, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 1};
  return std::make_shared<Instance>(InstanceDefinition{.name = "unequal",
                                                       .summary = "",
                                                       .action_names = {"a"},
                                                       .variables = {{2, 1.0}, {2, -3.0}},
                                                       .effects = {{{ids({0}), {2.0}}}},
                                                       .noise = noise});
}

TEST(ObserveBaseline, RunsAndVariablesAreIndependent) {
  constexpr std::uint64_t kCount = 16;
  constexpr std::uint32_t kRuns = 20000;
  constexpr std::size_t kComparisons = 2 * (3 * 4 + 6);
  const auto check = [&](const Instance& instance, const std::vector<std::vector<double>>& columns,
                         const std::vector<double>& variances) {
    const double se = 1.0 / std::sqrt(1.0 * kRuns);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      SCOPED_TRACE(instance.name() + ", variable " + std::to_string(i));
      double sum = 0.0;
      double squares = 0.0;
      for (const double mean : columns[i]) {
        sum += mean - instance.baseline()[i];
        squares += (mean - instance.baseline()[i]) * (mean - instance.baseline()[i]);
      }
      const double variance = variances[i] / kCount;
      EXPECT_TRUE(agrees(sum / kRuns, 0.0, std::sqrt(variance) * se, kComparisons));
      EXPECT_TRUE(agrees(squares / kRuns, variance, std::sqrt(2.0) * variance * se, kComparisons));
      const std::span<const double> runs(columns[i]);
      EXPECT_TRUE(agrees(testing::correlation(runs.first(kRuns - 1), runs.subspan(1)), 0.0, se,
                         kComparisons));
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_TRUE(agrees(testing::correlation(columns[i], columns[j]), 0.0, se, kComparisons));
      }
    }
  };
  const auto normal = unequal_variances();
  check(*normal, observed_by_runs(normal, kCount, kRuns), {4.0, 1.0, 0.25, 1.0});
  const auto binary =
      std::make_shared<Instance>(InstanceDefinition{.name = "binary",
                                                    .summary = "",
                                                    .action_names = {"a"},
                                                    .variables = {{2, 0.25}, {2, 0.5}},
                                                    .effects = {{{ids({0}), {0.5}}}},
                                                    .noise = BernoulliNoise{}});
  check(*binary, observed_by_runs(binary, kCount, kRuns), {0.1875, 0.1875, 0.25, 0.25});
}

TEST(ObserveBaseline, IsAFunctionOfSeedAndRun) {
  for (const char* name : {"gaussian", "criteo", "discounts"}) {
    const auto law = prepare_payoffs(load_instance(name));
    const auto means = [&](std::uint64_t seed, std::uint32_t run) {
      return InstanceEnvironment(law, seed, run).observe_baseline(9).means;
    };
    EXPECT_EQ(means(3, 4), means(3, 4)) << name;
    EXPECT_NE(means(3, 4), means(3, 5)) << name;
    EXPECT_NE(means(3, 4), means(4, 4)) << name;
  }
}

}  // namespace
}  // namespace updraft
