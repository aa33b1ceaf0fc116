#include "updraft/instance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "support/refusal.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using Covariance = GaussianNoise::Covariance;
using testing::refusal;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

VariableSet range(VariableId begin, VariableId end) {
  const std::array one = {VariableRange{begin, end}};
  return VariableSet::from_ranges(one);
}

GaussianNoise gaussian(Covariance covariance) {
  GaussianNoise noise;
  noise.covariance = covariance;
  return noise;
}

/// Five variables with baselines .5 .5 .2 .2 .2.
///   a: variables 0, 1 and 3 to .75 .5 .1 -> affects 0 and 3, uplift .25 - .1 = .15
///   b: variables 1..3 to .4 each         -> affects 1, 2, 3, uplift -.1 + .2 + .2 = .3
///   c: nothing
InstanceDefinition small() {
  InstanceDefinition definition;
  definition.name = "small";
  definition.action_names = {"a", "b", "c"};
  definition.variables = {{2, 0.5}, {3, 0.2}};
  const std::array<VariableId, 3> ids = {3, 0, 1};
  definition.effects = {
      {{VariableSet::from_ids(ids), {0.75, 0.5, 0.1}}}, {{range(1, 4), {0.4}}}, {}};
  definition.noise = BernoulliNoise{};
  return definition;
}

std::string refused(const InstanceDefinition& definition) {
  return refusal([&] { const Instance instance(definition); });
}

TEST(Instance, DerivesEverythingFromTheDefinition) {
  const Instance instance(small());
  EXPECT_EQ(instance.name(), "small");
  EXPECT_EQ(instance.definition(), small());
  EXPECT_EQ(instance.actions(), 3u);
  EXPECT_EQ(instance.variables(), 5u);
  EXPECT_EQ(instance.baseline(), (std::vector<double>{0.5, 0.5, 0.2, 0.2, 0.2}));
  EXPECT_EQ(instance.means(0), (std::vector<double>{0.75, 0.5, 0.2, 0.1, 0.2}));
  EXPECT_EQ(instance.means(2), instance.baseline());

  EXPECT_NEAR(instance.uplifts()[0], 0.15, 1e-15);
  EXPECT_NEAR(instance.uplifts()[1], 0.3, 1e-15);
  EXPECT_EQ(instance.uplifts()[2], 0.0);
  EXPECT_NEAR(instance.rewards()[0], 1.75, 1e-15);
  EXPECT_NEAR(instance.rewards()[1], 1.9, 1e-15);
  EXPECT_NEAR(instance.rewards()[2], 1.6, 1e-15);
  EXPECT_NEAR(instance.gaps()[0], 0.15, 1e-15);
  EXPECT_EQ(instance.gaps()[1], 0.0);
  EXPECT_NEAR(instance.gaps()[2], 0.3, 1e-15);
  EXPECT_EQ(instance.best_action(), 1u);
  EXPECT_NEAR(instance.min_gap(), 0.15, 1e-15);
  EXPECT_EQ(instance.max_affected(), 3u);
  EXPECT_NEAR(instance.min_uplift(), 0.1, 1e-15);
  EXPECT_NEAR(instance.effect_gap(), 0.1, 1e-15);  // variable 3: .1, .4 and .2
}

/// Two actions with means 1 and 1.3 on one variable: a Delta of 1 would take them for one.
TEST(Instance, TheEffectGapIsNotTheLeastUplift) {
  InstanceDefinition definition;
  definition.action_names = {"a", "b"};
  definition.variables = {{1, 0.0}};
  definition.effects = {{{range(0, 1), {1.0}}}, {{range(0, 1), {1.3}}}};
  definition.noise = gaussian(Covariance::kIdentity);
  const Instance instance(definition);
  EXPECT_EQ(instance.min_uplift(), 1.0);
  EXPECT_NEAR(instance.effect_gap(), 0.3, 1e-15);
  EXPECT_EQ(instance.knowledge(10).min_uplift(), 1.0);
  EXPECT_EQ(instance.knowledge(10).effect_gap(), instance.effect_gap());
}

/// By the definition: over all actions a, i in V(a) and all other actions b.
double plain_effect_gap(const Instance& instance) {
  double least = std::numeric_limits<double>::infinity();
  for (ActionId a = 0; a < instance.actions(); ++a) {
    for (const VariableId i : instance.affected()->of(a).ids()) {
      for (ActionId b = 0; b < instance.actions(); ++b) {
        if (b != a) least = std::min(least, std::abs(instance.means(a)[i] - instance.means(b)[i]));
      }
    }
  }
  return least;
}

TEST(Instance, TheEffectGapIsThatOfTheDefinition) {
  for (const char* name : {"gaussian", "hard-affected", "hard-reward"}) {
    const auto instance = load_instance(name);
    EXPECT_DOUBLE_EQ(instance->effect_gap(), plain_effect_gap(*instance)) << name;
  }
  // Sets that overlap in parts, some variables affected by all, with a different mean on each.
  for (std::uint32_t number = 0; number < 50; ++number) {
    const Stream stream(17, number, Purpose::kTest);
    InstanceDefinition definition;
    definition.variables = {{6, 0.5}, {6, -0.25}};
    definition.noise = gaussian(Covariance::kIdentity);
    for (ActionId a = 0; a < 5; ++a) {
      definition.action_names.push_back(std::string(1, static_cast<char>('a' + a)));
      const auto begin = static_cast<VariableId>(stream.uniform(a, 0) * 6);
      const auto end = begin + 1 + static_cast<VariableId>(stream.uniform(a, 1) * 6);
      Effect effect{range(begin, end), {}};
      for (VariableId i = begin; i < end; ++i) effect.means.push_back(stream.normal(a + 9, i));
      definition.effects.push_back({effect});
    }
    const Instance instance(definition);
    EXPECT_DOUBLE_EQ(instance.effect_gap(), plain_effect_gap(instance)) << number;
  }
}

TEST(Instance, HasNoEffectGapIfTwoActionsMoveAVariableAlike) {
  InstanceDefinition definition = small();
  definition.effects = {{{range(0, 2), {0.1 + 0.2}}}, {{range(1, 4), {0.3}}}, {}};
  const Instance instance(definition);  // .1 + .2 is not .3, by rounding
  EXPECT_NEAR(instance.min_uplift(), 0.1, 1e-15);
  EXPECT_EQ(instance.effect_gap(), 0.0);
  EXPECT_FALSE(instance.knowledge(10).effect_gap().has_value());
}

TEST(Instance, WithOneActionTakesTheLeastUpliftForTheEffectGap) {
  InstanceDefinition definition = small();
  definition.action_names = {"a"};
  definition.effects = {{{range(0, 2), {0.9}}}};
  const Instance instance(definition);
  EXPECT_NEAR(instance.min_uplift(), 0.4, 1e-15);
  EXPECT_EQ(instance.effect_gap(), instance.min_uplift());
}

TEST(Instance, AMeanEqualToTheBaselineIsNotAffected) {
  const Instance instance(small());
  EXPECT_EQ(instance.affected()->of(0).ids(), (std::vector<VariableId>{0, 3}));
  EXPECT_EQ(
      std::vector<double>(instance.affected_means(0).begin(), instance.affected_means(0).end()),
      (std::vector<double>{0.75, 0.1}));
  EXPECT_EQ(instance.affected()->of(1).ids(), (std::vector<VariableId>{1, 2, 3}));
  EXPECT_TRUE(instance.affected()->of(2).empty());
}

TEST(Instance, EffectsOfOneActionAreMergedInOrderOfId) {
  InstanceDefinition definition = small();
  definition.effects[0] = {{range(3, 5), {0.3, 0.4}}, {range(0, 1), {0.6}}, {range(1, 3), {0.9}}};
  const Instance instance(definition);
  EXPECT_EQ(instance.affected()->of(0).ranges().size(), 1u);
  EXPECT_EQ(instance.means(0), (std::vector<double>{0.6, 0.9, 0.9, 0.3, 0.4}));
}

TEST(Instance, NoiseThatIsSharedByAffectedMarksAllListedVariables) {
  InstanceDefinition definition = small();
  GaussianNoise noise = gaussian(Covariance::kSharedByAffected);
  noise.variance = 4.0;
  definition.noise = noise;
  const Instance instance(definition);
  EXPECT_EQ(instance.affected()->of(0).ids(), (std::vector<VariableId>{0, 1, 3}));
  EXPECT_EQ(instance.min_uplift(), 0.0);
  EXPECT_EQ(instance.noise_sd(0), 6.0);  // sd 2 on each of three
  EXPECT_EQ(instance.noise_sd(2), 0.0);
  EXPECT_FALSE(instance.knowledge(10).min_uplift().has_value());
}

TEST(Instance, NoiseSdOfTheTotal) {
  // Bernoulli: variances .25 .25 .16 .16 .16; action a makes the first .1875, the fourth .09.
  const Instance bernoulli(small());
  EXPECT_NEAR(bernoulli.noise_sd(2), std::sqrt(0.98), 1e-15);
  EXPECT_NEAR(bernoulli.noise_sd(0), std::sqrt(0.98 - 0.0625 - 0.07), 1e-15);
  EXPECT_NEAR(bernoulli.noise_sd(1), std::sqrt(0.25 + 3 * 0.24 + 0.16), 1e-15);
  EXPECT_EQ(bernoulli.noise_sd(), bernoulli.noise_sd(1));

  InstanceDefinition definition = small();
  GaussianNoise noise = gaussian(Covariance::kIdentity);
  noise.variance = 0.8;
  definition.noise = noise;
  EXPECT_DOUBLE_EQ(Instance(definition).noise_sd(), 2.0);  // sqrt(.8 * 5)

  noise = gaussian(Covariance::kFactor);
  noise.factor = 0.55;
  definition.noise = noise;
  EXPECT_DOUBLE_EQ(Instance(definition).noise_sd(), 4.0);  // sqrt(5 + .55 * 20)

  noise = gaussian(Covariance::kMatrix);
  noise.variance = 2.0;
  noise.matrix.assign(25, 0.0);
  for (std::size_t i = 0; i < 5; ++i) noise.matrix[6 * i] = 1.0;
  noise.matrix[1] = noise.matrix[5] = -0.5;
  definition.noise = noise;
  EXPECT_DOUBLE_EQ(Instance(definition).noise_sd(), std::sqrt(8.0));  // sqrt(2 * (5 - 1))
}

TEST(Instance, VarianceProxyIsThatOfTheWidestPayoff) {
  InstanceDefinition definition = small();
  GaussianNoise noise = gaussian(Covariance::kIdentity);
  noise.variance = 100.0;
  definition.noise = noise;
  EXPECT_EQ(Instance(definition).variance_proxy(), 100.0);
  EXPECT_DOUBLE_EQ(Instance(definition).reward_variance_proxy(), 500.0);

  noise = gaussian(Covariance::kFactor);
  noise.variance = 2.0;
  noise.factor = 0.5;
  definition.noise = noise;
  EXPECT_EQ(Instance(definition).variance_proxy(), 2.0);
  EXPECT_DOUBLE_EQ(Instance(definition).reward_variance_proxy(), 2.0 * (5 + 0.5 * 20));

  noise = gaussian(Covariance::kMatrix);
  noise.variance = 2.0;
  noise.matrix.assign(25, 0.0);
  for (std::size_t i = 0; i < 5; ++i) noise.matrix[6 * i] = i == 3 ? 7.0 : 1.0;
  definition.noise = noise;
  EXPECT_EQ(Instance(definition).variance_proxy(), 14.0);
  EXPECT_DOUBLE_EQ(Instance(definition).reward_variance_proxy(), 22.0);

  noise = gaussian(Covariance::kSharedByAffected);
  noise.variance = 4.0;
  definition.noise = noise;
  EXPECT_EQ(Instance(definition).variance_proxy(), 4.0);
  EXPECT_DOUBLE_EQ(Instance(definition).reward_variance_proxy(), 36.0);  // three of them
  definition.effects = {{}, {}, {}};
  EXPECT_EQ(Instance(definition).variance_proxy(), 0.0);
}

/// The proxy s^2 is the least with log E exp(c (X - p)) <= s^2 c^2 / 2 for all c.
TEST(Instance, VarianceProxyOfPayoffsOfZeroAndOneIsTheLeast) {
  for (const double p : {0.001, 0.02, 0.3, 0.4999999, 0.5, 0.8, 0.99}) {
    InstanceDefinition definition = small();
    definition.variables = {{5, p}};
    definition.effects = {{}, {}, {}};
    const double proxy = Instance(definition).variance_proxy();
    double needed = 0.0;
    for (double c = -30.0; c < 30.0; c += 1e-3) {
      if (std::abs(c) < 1e-2) continue;  // 0 / 0
      needed = std::max(needed, 2.0 / (c * c) * (std::log1p(p * std::expm1(c)) - c * p));
    }
    EXPECT_NEAR(proxy, needed, 1e-5 * needed) << p;
    EXPECT_GE(proxy, needed * (1 - 1e-9)) << p;
    EXPECT_NEAR(Instance(definition).reward_variance_proxy(), 5 * proxy, 1e-12);
  }
  // Of all actions: .75, .4 and .1 as well as .5 and .2, and one half is the widest.
  EXPECT_EQ(Instance(small()).variance_proxy(), 0.25);
  InstanceDefinition definition = small();
  definition.variables = {{5, 0.0}};  // never pay without an action
  const double best = (1 - 2 * 0.4) / (2 * std::log(0.6 / 0.4));
  definition.effects = {{}, {{range(1, 4), {0.4}}}, {}};
  EXPECT_NEAR(Instance(definition).variance_proxy(), best, 1e-15);
  EXPECT_NEAR(Instance(definition).reward_variance_proxy(), 3 * best, 1e-15);
}

TEST(Instance, KnowledgeIsAllThatCanBeKnown) {
  const Instance instance(small());
  const Knowledge knowledge = instance.knowledge(1000);
  EXPECT_EQ(knowledge.actions(), 3u);
  EXPECT_EQ(*knowledge.baseline(), instance.baseline());
  EXPECT_EQ(knowledge.affected(), instance.affected());
  EXPECT_EQ(knowledge.max_affected(), 3u);
  EXPECT_EQ(knowledge.min_uplift(), instance.min_uplift());
  EXPECT_EQ(knowledge.horizon(), 1000u);
  EXPECT_EQ(knowledge.observations(), nullptr);
  // Rewards 1.75, 1.9, 1.6: mean 1.75, population variance (0 + .0225 + .0225) / 3.
  EXPECT_NEAR(knowledge.reward_prior()->mean, 1.75, 1e-14);
  EXPECT_NEAR(knowledge.reward_prior()->variance, 0.015, 1e-14);
}

TEST(Instance, KnowledgeOfAnInstanceWhereNothingHappens) {
  InstanceDefinition definition = small();
  definition.effects = {{}, {}, {}};
  const Instance instance(definition);
  EXPECT_EQ(instance.best_action(), 0u);
  EXPECT_EQ(instance.min_gap(), 0.0);
  EXPECT_EQ(instance.max_affected(), 0u);
  EXPECT_EQ(instance.min_uplift(), 0.0);
  EXPECT_EQ(instance.knowledge(1).max_affected(), 1u);
  EXPECT_FALSE(instance.knowledge(1).min_uplift().has_value());
  EXPECT_EQ(instance.effect_gap(), 0.0);
  EXPECT_FALSE(instance.knowledge(1).effect_gap().has_value());
  EXPECT_EQ(refusal([&] { instance.knowledge(0); }), "horizon = 0: must be at least 1");
}

TEST(Instance, GapsThatAreRoundingCountAsZero) {
  InstanceDefinition definition = small();
  definition.variables = {{5, 0.0}};
  definition.effects = {{{range(0, 1), {0.3}}}, {{range(0, 3), {0.1}}}, {}};  // .1+.1+.1 > .3
  const Instance instance(definition);
  EXPECT_NE(instance.uplifts()[0], instance.uplifts()[1]);
  EXPECT_EQ(instance.gaps()[0], 0.0);
  EXPECT_EQ(instance.gaps()[1], 0.0);
  EXPECT_EQ(instance.best_action(), 0u);
  EXPECT_NEAR(instance.min_gap(), 0.3, 1e-15);
}

TEST(Instance, RefusesActionNames) {
  InstanceDefinition definition = small();
  definition.action_names = {};
  EXPECT_EQ(refused(definition), "actions: must have at least one name");
  definition.action_names = {"a", "", "c"};
  EXPECT_EQ(refused(definition), "actions[1] = \"\": must not be empty");
  definition.action_names = {"a", "b", "a"};
  EXPECT_EQ(refused(definition), "actions[2] = a: is repeated; names must be distinct");
  definition.action_names = {"a", std::string(201, 'b'), "c"};
  EXPECT_EQ(refused(definition), "actions[1]: has 201 bytes; must have at most 200");
}

TEST(Instance, RefusesVariables) {
  InstanceDefinition definition = small();
  definition.variables = {};
  EXPECT_EQ(refused(definition), "variables: must have at least one run");
  definition.variables = {{2, 0.5}, {0, 0.5}};
  EXPECT_EQ(refused(definition),
            "variables[1].count = 0: must be a whole number from 1 to 2147483647");
  definition.variables = {{2, 0.5}, {3, -0.1}};
  EXPECT_EQ(refused(definition),
            "variables[1].baseline = -0.1: must be in [0, 1] for Bernoulli payoffs");
  definition.variables = {{2, kNan}, {3, 0.1}};
  EXPECT_EQ(refused(definition),
            "variables[0].baseline = nan: must be in [0, 1] for Bernoulli payoffs");
  definition.noise = GaussianNoise{};
  EXPECT_EQ(refused(definition),
            "variables[0].baseline = nan: must be finite and at most 1e100 in size");
  definition.variables = {{2147483647, 0.5}, {1, 0.5}};
  EXPECT_EQ(refused(definition), "variables: are 2147483648 in all; must be at most 2147483647");
}

TEST(Instance, RefusesMoreMeansThanFitIntoMemory) {
  InstanceDefinition definition = small();
  definition.variables = {{200'000'000, 0.5}};
  definition.effects = {{{range(0, 100'000'000), {0.1}}}, {}, {}};
  EXPECT_EQ(refused(definition),
            "variables and effects: have 300000000 means in all; must have at most 268435456");
}

TEST(Instance, RefusesEffects) {
  InstanceDefinition definition = small();
  definition.effects.pop_back();
  EXPECT_EQ(refused(definition), "effects: has 2 lists; must have one for each of 3 actions");

  definition = small();
  definition.effects[2] = {{range(0, 2), {0.1, 1.2}}};
  EXPECT_EQ(refused(definition),
            "effects[2][0].means[1] = 1.2: must be in [0, 1] for Bernoulli payoffs");
  definition.effects[2] = {{range(0, 1), {0.1}}, {range(1, 2), {kInfinity}}};
  EXPECT_EQ(refused(definition),
            "effects[2][1].mean = inf: must be in [0, 1] for Bernoulli payoffs");
  definition.effects[2] = {{range(0, 3), {0.1, 0.2}}};
  EXPECT_EQ(
      refused(definition),
      "effects[2][0].means: has 2 numbers; must have one, or one for each of its 3 variables");
  definition.effects[2] = {{range(4, 6), {0.1}}};
  EXPECT_EQ(refused(definition),
            "effects[2][0].variables = 5: must be below the number of variables, 5");
  definition.effects[2] = {{VariableSet{}, {0.1}}};
  EXPECT_EQ(refused(definition), "effects[2][0].variables: must have at least one variable");
  definition.effects[2] = {{range(2, 4), {0.1}}, {range(0, 1), {0.1}}, {range(0, 3), {0.1}}};
  EXPECT_EQ(refused(definition),
            "effects[2][2].variables = 0: is also in effects[2][1].variables, which belongs to the "
            "same action");
}

TEST(Instance, RefusesNoise) {
  InstanceDefinition definition = small();
  GaussianNoise noise;
  const auto with = [&](const GaussianNoise& changed) {
    definition.noise = changed;
    return refused(definition);
  };
  for (const double variance : {0.0, -1.0, kNan, kInfinity}) {
    noise.variance = variance;
    EXPECT_NE(with(noise).find("must be > 0 and at most 1e100"), std::string::npos) << variance;
  }
  noise = gaussian(Covariance::kFactor);
  noise.factor = 1.5;
  EXPECT_EQ(with(noise), "noise.covariance.factor = 1.5: must be in [0, 1]");
  noise.factor = kNan;
  EXPECT_EQ(with(noise), "noise.covariance.factor = nan: must be in [0, 1]");
}

TEST(Instance, RefusesMatrices) {
  InstanceDefinition definition = small();
  definition.variables = {{2, 0.0}};
  definition.effects = {{}, {}, {}};
  const auto with = [&](std::vector<double> matrix) {
    GaussianNoise noise = gaussian(Covariance::kMatrix);
    noise.matrix = std::move(matrix);
    definition.noise = noise;
    return refused(definition);
  };
  EXPECT_EQ(with({1, 0, 0}),
            "noise.covariance: has 3 numbers; must be 2 x 2, because there are 2 variables");
  EXPECT_EQ(with({1, 0, kNan, 1}),
            "noise.covariance[1][0] = nan: must be finite and at most 1e100 in size");
  EXPECT_EQ(with({1, 0.5, 0.25, 1}),
            "noise.covariance[1][0] = 0.25: must be equal to noise.covariance[0][1] = 0.5: "
            "the matrix is symmetric");
  EXPECT_EQ(with({1, 2, 2, 1}),
            "noise.covariance: must be positive semidefinite; its smallest eigenvalue is -1");
  EXPECT_EQ(with({-1, 0, 0, -1}),
            "noise.covariance: must be positive semidefinite; its smallest eigenvalue is -1");
  EXPECT_EQ(with({1, 1, 1, 1}), "(accepted)");              // singular
  EXPECT_EQ(with({0, 0, 0, 0}), "(accepted)");              // no noise at all
  EXPECT_EQ(with({1, 0.5, 0.5 + 1e-10, 1}), "(accepted)");  // rounding
  EXPECT_EQ(with({1, 1 + 1e-10, 1 + 1e-10, 1}), "(accepted)");
  EXPECT_NE(with({1, 1 + 1e-8, 1 + 1e-8, 1}), "(accepted)");
}

}  // namespace
}  // namespace updraft
