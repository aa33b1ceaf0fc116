// What holds exactly or by definition for the policies that learn the noise: payoffs on another
// scale, a diagonal covariance, the posterior they show, fits from pooled sums.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "reference/reference_policy.h"
#include "stats/student.h"
#include "support/bandit.h"
#include "support/statistics.h"
#include "updraft/instance.h"
#include "updraft/instance_environment.h"
#include "updraft/policy.h"
#include "updraft/registry.h"
#include "updraft/state.h"

namespace updraft::testing {

namespace {

class LearnedNoiseProperties : public ::testing::TestWithParam<std::string> {};

/// The same bandit with every payoff multiplied.
Bandit scaled(const Bandit& bandit, double factor) {
  Bandit result = bandit;
  for (double& mean : result.baseline) mean *= factor;
  result.uplift = [=](ActionId a, VariableId i) { return factor * bandit.uplift(a, i); };
  result.noise = [=](std::uint32_t round, VariableId i) { return factor * bandit.noise(round, i); };
  return result;
}

TEST_P(LearnedNoiseProperties, PowersOfTwoScaleEverythingExactly) {
  const Bandit bandit = overlapping();
  for (const int exponent : {-30, -1, 1, 50}) {
    const Bandit other = scaled(bandit, std::ldexp(1.0, exponent));
    const auto policy = make_policy(GetParam(), bandit.knowledge());
    const auto scaled_policy = make_policy(GetParam(), other.knowledge());
    for (std::uint32_t round = 0; round < 300; ++round) {
      const ActionId action = policy->select(kPolicyStream);
      ASSERT_EQ(scaled_policy->select(kPolicyStream), action) << "round " << round;
      policy->observe(action, Payoffs::dense(bandit.payoffs(round, action)));
      scaled_policy->observe(action, Payoffs::dense(other.payoffs(round, action)));
    }
    const Explanation shown = policy->explain();
    const Explanation scaled_shown = scaled_policy->explain();
    for (ActionId a = 0; a < bandit.actions(); ++a) {
      EXPECT_EQ(scaled_shown.actions[a].weights, shown.actions[a].weights);
      EXPECT_EQ(scaled_shown.actions[a].index, std::ldexp(shown.actions[a].index, exponent));
      EXPECT_EQ(scaled_shown.actions[a].radius, std::ldexp(shown.actions[a].radius, exponent));
      EXPECT_EQ(scaled_shown.actions[a].probability_best, shown.actions[a].probability_best);
    }
  }
}

TEST_P(LearnedNoiseProperties, AShiftOfWhatNoActionAffectsChangesNoDecision) {
  const Bandit bandit = overlapping();
  Bandit shifted = bandit;
  shifted.baseline[3] += 1000.0;
  const auto policy = make_policy(GetParam(), bandit.knowledge());
  const auto shifted_policy = make_policy(GetParam(), shifted.knowledge());
  for (std::uint32_t round = 0; round < 300; ++round) {
    const ActionId action = policy->select(kPolicyStream);
    ASSERT_EQ(shifted_policy->select(kPolicyStream), action) << "round " << round;
    policy->observe(action, Payoffs::dense(bandit.payoffs(round, action)));
    shifted_policy->observe(action, Payoffs::dense(shifted.payoffs(round, action)));
  }
  for (ActionId a = 0; a < bandit.actions(); ++a) {
    EXPECT_NEAR(shifted_policy->explain().actions[a].index, policy->explain().actions[a].index,
                1e-8);
  }
}

TEST_P(LearnedNoiseProperties, DiagonalCovarianceWeighsOwnAtomsOnly) {
  const Bandit bandit = overlapping();
  const auto policy = make_policy(GetParam() + "(covariance=diagonal)", bandit.knowledge());
  for (std::uint32_t round = 0; round < 100; ++round) {
    const ActionId action = policy->select(kPolicyStream);
    policy->observe(action, Payoffs::dense(bandit.payoffs(round, action)));
  }
  const Explanation shown = policy->explain();
  EXPECT_EQ(*shown.shrinkage, 1.0);
  EXPECT_EQ(*shown.actions[0].weights, (std::vector<double>{1.0, 1.0, 0.0, 0.0}));
  EXPECT_EQ(*shown.actions[1].weights, (std::vector<double>{0.0, 1.0, 1.0, 0.0}));
  EXPECT_EQ(*shown.actions[2].weights, (std::vector<double>{0.0, 0.0, 0.0, 0.0}));
}

/// 0/1 payoffs of clusters of 40 customers, of which action a moves cluster a. Every payoff is
/// multiplied by `unit`.
std::vector<double> visits(std::uint32_t round, ActionId action, double unit) {
  std::vector<double> result(160);
  kNoise.uniforms(round, 0, result);
  for (VariableId i = 0; i < result.size(); ++i) {
    const double rate = i / 40 == action ? 0.05 * (2.0 + action) : 0.05;
    result[i] = result[i] < rate ? unit : 0.0;
  }
  return result;
}

Knowledge clusters() {
  Knowledge knowledge(3, 160);
  std::vector<VariableSet> sets;
  for (VariableId a = 0; a < 3; ++a) {
    sets.push_back(VariableSet::from_ranges(std::vector{VariableRange{40 * a, 40 * (a + 1)}}));
  }
  knowledge.set_affected(std::move(sets));
  return knowledge;
}

TEST_P(LearnedNoiseProperties, PowersOfTwoScaleCountsExactly) {
  for (const int exponent : {-30, -1, 1, 50}) {
    const double unit = std::ldexp(1.0, exponent);
    Knowledge knowledge = clusters();
    Knowledge scaled_knowledge = clusters();
    knowledge.set_baseline(std::vector<double>(160, 0.0625));
    scaled_knowledge.set_baseline(std::vector<double>(160, 0.0625 * unit));
    const auto policy = make_policy(GetParam(), knowledge);
    const auto scaled_policy = make_policy(GetParam(), scaled_knowledge);
    for (std::uint32_t round = 0; round < 200; ++round) {
      const ActionId action = policy->select(kPolicyStream);
      ASSERT_EQ(scaled_policy->select(kPolicyStream), action) << "round " << round;
      policy->observe(action, Payoffs::dense(visits(round, action, 1.0)));
      scaled_policy->observe(action, Payoffs::dense(visits(round, action, unit)));
    }
    const Explanation shown = policy->explain();
    const Explanation scaled_shown = scaled_policy->explain();
    for (ActionId a = 0; a < 3; ++a) {
      EXPECT_EQ(scaled_shown.actions[a].radius, std::ldexp(shown.actions[a].radius, exponent));
      EXPECT_EQ(scaled_shown.actions[a].probability_best, shown.actions[a].probability_best);
    }
  }
}

/// Every 20 rounds, also between two fits.
TEST_P(LearnedNoiseProperties, CountsGoOnAsBeforeFromASavedState) {
  Knowledge knowledge = clusters();
  knowledge.set_baseline(std::vector<double>(160, 0.05));
  auto policy = make_policy(GetParam() + "(refit=0.1)", knowledge);
  auto whole = make_policy(GetParam() + "(refit=0.1)", knowledge);
  for (std::uint32_t round = 0; round < 300; ++round) {
    if (round % 20 == 19) {
      std::stringstream file;
      save_policy(*policy, file);
      policy = load_policy(file);
    }
    const ActionId action = whole->select(kPolicyStream);
    ASSERT_EQ(policy->select(kPolicyStream), action) << "round " << round;
    policy->observe(action, Payoffs::dense(visits(round, action, 1.0)));
    whole->observe(action, Payoffs::dense(visits(round, action, 1.0)));
  }
  const Explanation shown = policy->explain();
  const Explanation expected = whole->explain();
  for (ActionId a = 0; a < 3; ++a) {
    EXPECT_EQ(shown.actions[a].interval->low, expected.actions[a].interval->low);
    EXPECT_EQ(shown.actions[a].interval->high, expected.actions[a].interval->high);
  }
}

TEST_P(LearnedNoiseProperties, ShowsThePosteriorThatSamplingDrawsFrom) {
  Bandit bandit = overlapping();
  bandit.uplift = [](ActionId, VariableId) { return -0.25; };
  const auto policy = make_policy(GetParam(), bandit.knowledge());
  const bool knows_baseline = GetParam().ends_with("_bl");
  const auto sampler =
      make_reference(PolicySpec::parse(knows_baseline ? "up_ts_bl" : "up_ts"), bandit.knowledge());
  for (std::uint32_t round = 0; round < 12; ++round) {
    const std::vector<double> payoffs = bandit.payoffs(round, round % 3);
    policy->observe(round % 3, Payoffs::dense(payoffs));
    sampler->observe(round % 3, payoffs);
  }
  constexpr double kDraws = 20000.0;
  const Explanation shown = policy->explain();
  const double quantile = student_95(*shown.degrees_of_freedom);
  std::vector<double> inside(3, 0.0);
  for (int draw = 0; draw < static_cast<int>(kDraws); ++draw) {
    const std::vector<double> uplifts = sampler->indices(kPolicyStream);
    for (ActionId a = 0; a < 3; ++a) {
      const double reach = quantile * *shown.actions[a].standard_error;
      if (std::abs(uplifts[a] - *shown.actions[a].uplift) <= reach) inside[a] += 1.0 / kDraws;
    }
    sampler->offer(0);  // new draws for the next decision
  }
  for (const ActionId a : {0u, 1u}) {  // the uplift of action 2 is 0 for sure
    EXPECT_TRUE(agrees(inside[a], 0.95, std::sqrt(0.95 * 0.05 / kDraws), 2));
  }
}

/// sqrt(f) wider than what sampling draws from, and as much more as the variance of an action is
/// known less well than all variances together.
TEST_P(LearnedNoiseProperties, IntervalsAreWiderThanThePosterior) {
  const Bandit bandit = overlapping();
  const auto policy = make_policy(GetParam(), bandit.knowledge());
  for (std::uint32_t round = 0; round < 12; ++round) {
    policy->observe(round % 3, Payoffs::dense(bandit.payoffs(round, round % 3)));
  }
  const Explanation shown = policy->explain();
  const auto dof = static_cast<double>(*shown.degrees_of_freedom);
  const double spent =
      (1.0 - *shown.shrinkage) * static_cast<double>(shown.actions[0].weights->size()) + 1.0;
  const double f = std::max(1.0, dof / std::max(dof - spent, dof / 4.0));
  ASSERT_GT(f, 1.05) << "the example must need inflation";
  for (const ActionId a : {0u, 1u}) {
    const double reach = shown.actions[a].interval->high - *shown.actions[a].uplift;
    const double wide = reach / (*shown.actions[a].standard_error * std::sqrt(f));
    EXPECT_GE(wide, (1.0 - 1e-12) * student_95(*shown.degrees_of_freedom));
    EXPECT_LE(wide, student_95(4));  // an action's variance is worth at least as much
  }
}

TEST_P(LearnedNoiseProperties, PooledSumsFitWhatTheWholeHistoryFits) {
  const auto instance = load_instance("gaussian");
  const Knowledge knowledge = instance->knowledge(300);
  const auto policy = make_policy(GetParam(), knowledge);
  const auto reference = make_reference(policy->spec(), knowledge);
  InstanceEnvironment environment(prepare_payoffs(instance), 2022, 0);
  for (std::uint32_t round = 0; round < 300; ++round) {
    const ActionId action = round % static_cast<std::uint32_t>(instance->actions());
    const Payoffs payoffs = environment.draw(round, action, Resolution::variables());
    ASSERT_EQ(payoffs.kind(), Payoffs::Kind::kDense);
    reference->observe(action, payoffs.values());
    policy->observe(action, payoffs);
  }
  const Explanation shown = policy->explain();
  const LearnedNoise expected = reference->learned_noise().value();
  EXPECT_NEAR(*shown.shrinkage, expected.shrinkage, 1e-6 * expected.shrinkage);
  EXPECT_EQ(*shown.degrees_of_freedom, expected.degrees_of_freedom);
  for (ActionId a = 0; a < instance->actions(); ++a) {
    EXPECT_NEAR(*shown.actions[a].standard_error, expected.standard_errors[a],
                1e-6 * expected.standard_errors[a])
        << a;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, LearnedNoiseProperties,
                         ::testing::Values("up_ts", "up_ts_bl", "up_ucb_cv", "up_ucb_cv_bl"),
                         [](const auto& policy) { return policy.param; });

}  // namespace

}  // namespace updraft::testing
