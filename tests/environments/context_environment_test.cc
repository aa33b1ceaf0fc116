#include "updraft/context_environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "support/refusal.h"
#include "support/statistics.h"

namespace updraft {
namespace {

using testing::agrees;
using testing::fits_evenly;
using testing::refusal;

/// Small, and with two actions in the first of three groups.
const LinearContexts kSmall{.actions = 4,
                            .variables = 12,
                            .groups = 3,
                            .group_features = 2,
                            .max_affected = 6,
                            .noise_sd = 0.5,
                            .seed = 3};

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(ContextEnvironment, NothingIsLongerThanOne) {
  const ContextWorld world = make_context_world(kSmall);
  EXPECT_LE(product(world.baseline_theta(), world.baseline_theta()), 1.0);
  for (ActionId action = 0; action < kSmall.actions; ++action) {
    EXPECT_LE(product(world.theta_of(action), world.theta_of(action)), 1.0);
  }
  ContextEnvironment environment(world, 1, 0);
  for (std::uint32_t round = 0; round < 50; ++round) {
    environment.begin(round);
    const Round context = environment.context();
    ASSERT_EQ(context.size(), kSmall.variables);
    for (std::size_t i = 0; i < context.size(); ++i) {
      EXPECT_LE(product(context.row(i), context.row(i)), 1.0);
    }
  }
}

// By the definitions: V(t, a) is where <theta(a), x> and <theta(0), x> differ, the regret sums over
// all variables.
TEST(ContextEnvironment, TellsWhatIsTrueOfARound) {
  const ContextWorld world = make_context_world(kSmall);
  ContextEnvironment environment(world, 1, 0);
  for (std::uint32_t round = 0; round < 50; ++round) {
    environment.begin(round);
    const Round context = environment.context();
    std::vector<double> rewards;
    for (ActionId action = 0; action < kSmall.actions; ++action) {
      std::vector<VariableId> affected;
      double reward = 0.0;
      double uplift = 0.0;
      for (VariableId i = 0; i < context.size(); ++i) {
        const double mean = product(world.theta_of(action), context.row(i));
        const double baseline = product(world.baseline_theta(), context.row(i));
        EXPECT_NEAR(context.baseline[i], baseline, 1e-12);
        if (std::abs(mean - baseline) > 1e-12) affected.push_back(i);
        reward += mean;
        uplift += mean - baseline;
      }
      EXPECT_EQ(context.affected[action].ids(), affected);
      EXPECT_LE(affected.size(), kSmall.max_affected);
      EXPECT_NEAR(environment.uplift(action), uplift, 1e-12);
      rewards.push_back(reward);
    }
    const double best = *std::max_element(rewards.begin(), rewards.end());
    for (ActionId action = 0; action < kSmall.actions; ++action) {
      EXPECT_NEAR(environment.gap(action), best - rewards[action], 1e-12);
    }
  }
}

// Bounds that bind: 12 variables, three groups of exactly 4.
TEST(ContextEnvironment, FullGroupsPassVariablesOn) {
  LinearContexts setting = kSmall;
  setting.max_affected = 4;
  const ContextWorld world = make_context_world(setting);
  ContextEnvironment environment(world, 1, 0);
  for (std::uint32_t round = 0; round < 20; ++round) {
    environment.begin(round);
    for (const VariableSet& set : environment.context().affected) EXPECT_EQ(set.size(), 4u);
  }
}

// Payoffs less their means, over 2,000 rounds of 12 variables: mean 0, sd 0.5, and no correlation
// between neighbours, rounds or runs. All policies of a run meet the same noise.
TEST(ContextEnvironment, NoiseIsIndependent) {
  const ContextWorld world = make_context_world(kSmall);
  ContextEnvironment environment(world, 1, 0);
  ContextEnvironment other_run(world, 1, 1);
  std::vector<double> noise;
  std::vector<double> other_noise;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    environment.begin(round);
    other_run.begin(round);
    const ActionId action = round % kSmall.actions;
    const std::vector<double> paid(environment.payoffs(action).begin(),
                                   environment.payoffs(action).end());
    for (std::size_t i = 0; i < paid.size(); ++i) {
      const double mean = product(world.theta_of(action), environment.context().row(i));
      noise.push_back(paid[i] - mean);
      const double other_mean = product(world.theta_of(0), environment.context().row(i));
      EXPECT_NEAR(environment.payoffs(0)[i] - other_mean, noise.back(), 1e-12);
      other_noise.push_back(other_run.payoffs(action)[i] -
                            product(world.theta_of(action), other_run.context().row(i)));
    }
  }
  const auto n = static_cast<double>(noise.size());
  double mean = 0.0;
  double square = 0.0;
  for (const double x : noise) {
    mean += x / n;
    square += x * x / n;
  }
  EXPECT_TRUE(agrees(mean, 0.0, 0.5 / std::sqrt(n), 5));
  EXPECT_TRUE(agrees(square, 0.25, 0.25 * std::sqrt(2.0 / n), 5));
  const auto uncorrelated = [&](std::span<const double> x, std::span<const double> y) {
    return agrees(testing::correlation(x, y), 0.0, 1.0 / std::sqrt(static_cast<double>(x.size())),
                  5);
  };
  const std::span<const double> all(noise);
  EXPECT_TRUE(uncorrelated(all.subspan(1), all.first(all.size() - 1)));
  EXPECT_TRUE(uncorrelated(all.subspan(12), all.first(all.size() - 12)));
  EXPECT_TRUE(uncorrelated(all, other_noise));
}

// The first variable of 3,000 rounds, in two runs: groups evenly, features evenly on [0,
// 1/sqrt(2)].
TEST(ContextEnvironment, ContextsAreEvenlyDrawnAnew) {
  const ContextWorld world = make_context_world(kSmall);
  for (const std::uint32_t run : {0u, 1u}) {
    ContextEnvironment environment(world, 1, run);
    std::vector<std::uint64_t> groups(kSmall.groups, 0);
    std::vector<std::uint64_t> parts(10, 0);
    for (std::uint32_t round = 0; round < 3000; ++round) {
      environment.begin(round);
      const auto row = environment.context().row(0);
      for (std::size_t f = 0; f < row.size(); ++f) {
        if (row[f] == 0.0) continue;
        ++groups[f / kSmall.group_features];
        ++parts[static_cast<std::size_t>(10.0 * std::sqrt(2.0) * row[f])];
        if (f % 2 == 0) {
          EXPECT_NE(row[f + 1], 0.0);
        }
      }
    }
    for (std::uint64_t& count : groups) count /= 2;  // both features of a group
    EXPECT_TRUE(fits_evenly(groups, 4));
    EXPECT_TRUE(fits_evenly(parts, 4));
  }
}

TEST(ContextEnvironment, IsAFunctionOfSeedRunAndRound) {
  const ContextWorld world = make_context_world(kSmall);
  const auto drawn = [&](std::uint64_t seed, std::uint32_t run,
                         std::initializer_list<std::uint32_t> rounds) {
    ContextEnvironment environment(world, seed, run);
    for (const std::uint32_t round : rounds) environment.begin(round);
    std::vector<double> all(environment.context().features.begin(),
                            environment.context().features.end());
    const auto payoffs = environment.payoffs(1);
    all.insert(all.end(), payoffs.begin(), payoffs.end());
    return all;
  };
  const std::vector<double> expected = drawn(1, 2, {5});
  EXPECT_EQ(drawn(1, 2, {0, 9, 5}), expected);
  EXPECT_NE(drawn(1, 2, {6}), expected);
  EXPECT_NE(drawn(1, 3, {5}), expected);
  EXPECT_NE(drawn(2, 2, {5}), expected);
  LinearContexts other = kSmall;
  EXPECT_EQ(make_context_world(other).theta, world.theta);
  other.seed = 4;
  EXPECT_NE(make_context_world(other).theta, world.theta);
}

TEST(ContextEnvironment, RefusesWhatCannotBe) {
  const auto refused = [](auto change) {
    LinearContexts setting = kSmall;
    change(setting);
    return refusal([&] { make_context_world(setting); });
  };
  EXPECT_EQ(refused([](auto& s) { s.actions = 0; }), "actions = 0: must be at least 1");
  EXPECT_EQ(refused([](auto& s) { s.group_features = 0; }),
            "group_features = 0: must be at least 1");
  EXPECT_EQ(refused([](auto& s) { s.variables = 19; }),
            "variables = 19: must be at most groups times max_affected, 18: each group has at most "
            "max_affected variables");
  EXPECT_EQ(refused([](auto& s) { s.variables = 18; }), "(accepted)");
  EXPECT_EQ(refused([](auto& s) { s.noise_sd = 0.0; }), "noise_sd = 0: must be > 0");
  EXPECT_EQ(refused([](auto& s) { s.noise_sd = std::nan(""); }), "noise_sd = nan: must be > 0");
  EXPECT_EQ(
      refused([](auto& s) { s.actions = 10'000'000; }),
      "actions = 10000000: and the baseline, times the square of the features, 36, must be at "
      "most 10000000");
  EXPECT_EQ(refused([](auto& s) { s.group_features = 4000; }),
            "group_features = 4000: times 36000 must be at most 10000000");
}

TEST(FindContexts, ReadsSizesAndNoise) {
  EXPECT_EQ(find_contexts("contextual-linear"), LinearContexts());
  EXPECT_EQ(find_contexts(" contextual-linear( ) "), LinearContexts());
  LinearContexts expected;
  expected.actions = 3;
  expected.variables = 12;
  expected.groups = 4;
  expected.group_features = 5;
  expected.max_affected = 6;
  expected.noise_sd = 0.25;
  expected.seed = 9;
  EXPECT_EQ(find_contexts("contextual-linear(actions=3, variables = 12,groups=4, group_features=5, "
                          "max_affected=6, noise_sd=2.5e-1, seed=9)"),
            expected);
  for (const char* other : {"", "gaussian", "contextual", "contextual-linear.json"}) {
    EXPECT_EQ(find_contexts(other), std::nullopt) << other;
  }
}

TEST(FindContexts, RefusesWithFieldValueAndRule) {
  const auto refused = [](const std::string& inside) {
    return refusal([&] { find_contexts("contextual-linear(" + inside + ")"); });
  };
  EXPECT_EQ(refused("noise_sd=0"), "contextual-linear.noise_sd = 0: must be > 0");
  EXPECT_EQ(refused("noise_sd=nan"), "contextual-linear.noise_sd = nan: must be > 0");
  EXPECT_EQ(refused("noise_sd=inf"), "contextual-linear.noise_sd = inf: must be > 0");
  EXPECT_EQ(refused("noise_sd="), "contextual-linear.noise_sd: must be a number > 0");
  EXPECT_EQ(refused("noise_sd=2x"), "contextual-linear.noise_sd = 2x: must be a number > 0");
  EXPECT_EQ(refused("actions=0"), "contextual-linear.actions = 0: must be at least 1");
  EXPECT_EQ(refused("actions=-1"), "contextual-linear.actions = -1: must be a whole number >= 1");
  EXPECT_EQ(refused("groups=1e3"), "contextual-linear.groups = 1e3: must be a whole number >= 1");
  EXPECT_EQ(refused("seed=1, seed=1"), "contextual-linear.seed: must be given once");
  EXPECT_EQ(refused("variables=65"),
            "contextual-linear.variables = 65: must be at most groups times max_affected, 64: each "
            "group has at most max_affected variables");
  EXPECT_EQ(refused("noise=1").find("contextual-linear = noise: unknown; did you mean noise_sd?"),
            0u);
  EXPECT_EQ(refused(",").find("contextual-linear"), 0u);
  EXPECT_EQ(refusal([] { find_contexts("contextual-linear(actions=2"); }),
            "contextual-linear = contextual-linear(actions=2: must end with a parenthesis, as in "
            "contextual-linear(noise_sd=2)");
}

}  // namespace
}  // namespace updraft
