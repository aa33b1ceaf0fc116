// The theorems, seen in simulations: the regret of every run lies below the bound that is printed
// for its policy. tests/theory/elimination_theorem_test.cc has the instance that needs Theorem 4's
// sets.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "reference/reference_policy.h"
#include "support/knowledge.h"
#include "support/rounds.h"
#include "theory/below_bounds.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

using testing::expect_below_bounds;

constexpr std::size_t kUpperBounds = 10;

std::vector<Effect> moved(VariableId begin, VariableId end, double mean) {
  const std::array range = {VariableRange{begin, end}};
  return {{VariableSet::from_ranges(range), {mean}}};
}

std::shared_ptr<const Instance> made(std::size_t variables, double baseline,
                                     std::vector<std::vector<Effect>> effects, Noise noise) {
  InstanceDefinition definition;
  definition.name = "made";
  for (std::size_t a = 0; a < effects.size(); ++a) {
    definition.action_names.push_back(std::to_string(a));
  }
  definition.variables = {{variables, baseline}};
  definition.effects = std::move(effects);
  definition.noise = std::move(noise);
  return std::make_shared<const Instance>(definition);
}

GaussianNoise with_variance(double variance) {
  GaussianNoise noise;
  noise.variance = variance;
  return noise;
}

/// The bounds of all policies say more than that every round is lost.
void expect_bounds_say_something(const Instance& instance, double rounds) {
  const BoundInputs in = BoundInputs::of(instance, rounds, 0.05);
  const double trivial = rounds * *std::max_element(in.gaps.begin(), in.gaps.end());
  for (const BoundInfo& bound : bounds()) {
    if (!bound.upper) continue;
    EXPECT_LT(bound.evaluate(in), trivial) << bound.name;
  }
}

TEST(Theorems, HoldOnShippedHardInstances) {
  for (const char* name : {"hard-affected", "hard-reward"}) {
    const auto instance = load_instance(name);
    EXPECT_EQ(expect_below_bounds(instance, 5000),
              instance->effect_gap() > 0.0 ? kUpperBounds : kUpperBounds - 1)
        << name;
  }
}

TEST(Theorems, HoldOnSmallHardInstancesOnWhichBoundsSaySomething) {
  const HardOptions options{.variables = 3, .affected = {1, 1, 1}, .gaps = {0.0, 1.0, 2.0}};
  for (const InstanceDefinition& definition : {hard_affected(options), hard_reward(options)}) {
    const auto instance = std::make_shared<const Instance>(definition);
    expect_bounds_say_something(*instance, 20000);
    EXPECT_EQ(expect_below_bounds(instance, 20000), kUpperBounds);
  }
}

/// The second audit instance. The least individual uplift is 1: with that for Delta up_ucb_ilift
/// takes the two for one and loses 0.3 for ever, 5,700 in the end; its bound is 1,525.
TEST(Theorems, HoldForTwoActionsThatMoveOneVariableNearlyAlike) {
  const auto instance = made(1, 0.0, {moved(0, 1, 1.0), moved(0, 1, 1.3)}, with_variance(1.0));
  EXPECT_EQ(expect_below_bounds(instance, 20000), kUpperBounds);
}

/// No effect gap: no bound for up_ucb_ilift.
TEST(Theorems, SayNothingOfUpUcbIliftIfTwoActionsMoveAVariableAlike) {
  const auto instance =
      made(3, 0.0, {moved(0, 2, 1.0), moved(0, 1, 1.0), moved(2, 3, 0.5)}, with_variance(1.0));
  EXPECT_EQ(expect_below_bounds(instance, 5000), kUpperBounds - 1);
}

/// The third audit instance: a standard deviation of 10.
std::shared_ptr<const Instance> wide_noise() {
  return made(2, 0.0, {moved(0, 1, 2.0), moved(1, 2, 1.0)}, with_variance(100.0));
}

/// One pull would find the set (n0 = 1), but the first K rounds find none.
TEST(Theorems, HoldIfOnePullIsEnoughToFindTheSet) {
  const auto instance = made(4, 5.0, {{}, moved(0, 1, -15.0)}, with_variance(1.0));
  const BoundInputs in = BoundInputs::of(*instance, 20000, 0.05);
  EXPECT_GT(in.min_uplift * in.min_uplift, 8.0 * std::log(2 * 2 * 4 * 20000 / 0.05));
  EXPECT_EQ(expect_below_bounds(instance, 20000), kUpperBounds);
}

TEST(Theorems, HoldForNoiseOfStandardDeviation10WithTheAlphaThatIsShown) {
  const auto instance = wide_noise();
  const BoundInputs in = BoundInputs::of(*instance, 20000, 0.05);
  EXPECT_EQ(in.variance_proxy, 100.0);
  for (const BoundInfo& bound : bounds()) {
    if (!bound.upper) continue;
    // The reward has variance 200, and ucb's theorem is for m^2 = 4.
    EXPECT_NEAR(alpha_scale(bound, in), bound.name == "ucb" ? 50.0 : 100.0, 1e-9) << bound.name;
  }
  EXPECT_EQ(expect_below_bounds(instance, 20000), kUpperBounds);
}

/// What the bounds would be for if they did not know the noise.
TEST(Theorems, FailForNoiseOfStandardDeviation10WithTheAlphaOfDelta) {
  const auto instance = wide_noise();
  BoundInputs in = BoundInputs::of(*instance, 20000, 0.05);
  in.variance_proxy = 1.0;
  const double promised = bound_up_ucb_bl(in);
  EXPECT_NEAR(promised, 115.3, 0.1);
  const SimulationResult result = simulate(instance, {PolicySpec::parse("up_ucb_bl(delta=0.05)")},
                                           {.rounds = 20000, .runs = 20, .seed = 1});
  const std::vector<double>& regrets = result.policies[0].final_regrets;
  EXPECT_GT(std::count_if(regrets.begin(), regrets.end(),
                          [&](double regret) { return regret > promised; }),
            2);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0],
            "up_ucb_bl(delta=0.05): the alpha that delta gives is valid for payoffs whose noise "
            "is 1-sub-Gaussian; here their variance proxy (sigma^2) is 100. The confidence bounds "
            "do not hold; they would with an alpha 100 times as large");
}

/// Independent payoffs with a standard deviation of 1.5: too wide for single payoffs, but the
/// reward of three has variance 6.75, and ucb's theorem is for 9.
TEST(Theorems, OfUcbIsAboutTheNoiseOfTheReward) {
  const auto instance = made(3, 0.0, {moved(0, 1, 2.0), moved(1, 2, 1.0)}, with_variance(2.25));
  const auto warned = [&](const char* spec) {
    return noise_warning(PolicySpec::parse(spec), *instance).has_value();
  };
  EXPECT_FALSE(warned("ucb(delta=0.05)"));
  EXPECT_TRUE(warned("up_ucb(delta=0.05)"));
  EXPECT_FALSE(warned("up_ucb(alpha=3)"));
  EXPECT_EQ(expect_below_bounds(instance, 5000), kUpperBounds);
}

/// Uplifts of 2, 1 and 0.1; the effect gap is 0.1 as well. 0.3 - 0.2 is less than 0.1 by rounding.
TEST(Theorems, OfPoliciesThatAreToldWhatIsNotTrueDoNotHold) {
  const auto instance =
      made(4, 0.2, {moved(0, 2, 2.2), moved(2, 3, 1.2), moved(2, 3, 0.3)}, with_variance(1.0));
  const auto warning = [&](const std::string& spec) {
    return knowledge_warning(PolicySpec::parse(spec), *instance).value_or("none");
  };
  EXPECT_EQ(warning("up_ucb_ilift_bl(alpha=1, min_uplift=0.1)"), "none");
  EXPECT_EQ(warning("up_ucb_ilift_bl(alpha=1, min_uplift=0.11)"),
            "up_ucb_ilift_bl(alpha=1, min_uplift=0.11): min_uplift is 0.11, but that of the "
            "instance is 0.1. Its theorem does not hold");
  EXPECT_EQ(warning("up_ucb_ilift(alpha=1, effect_gap=0.1)"), "none");
  EXPECT_EQ(warning("up_ucb_ilift(alpha=1, effect_gap=2)"),
            "up_ucb_ilift(alpha=1, effect_gap=2): effect_gap is 2, but that of the instance is "
            "0.1. Its theorem does not hold");
  EXPECT_EQ(warning("up_ucb_l(alpha=1, max_affected=2)"), "none");
  EXPECT_EQ(warning("up_ucb_l(alpha=1, max_affected=[2, 1, 0])"),
            "up_ucb_l(alpha=1, max_affected=[2, 1, 0]): max_affected is 0, but action 2 affects 1 "
            "variables. Its theorem does not hold");
  EXPECT_EQ(warning("up_ucb_l_bl(alpha=1, max_affected=1)"),
            "up_ucb_l_bl(alpha=1, max_affected=1): max_affected is 1, but action 0 affects 2 "
            "variables. Its theorem does not hold");
  for (const char* spec : {"up_ucb_obs(alpha=1)", "up_ts", "ucb(alpha=1)", "ts"}) {
    EXPECT_EQ(warning(spec), "none") << spec;
  }
  const auto result = [&](const char* spec) {
    return simulate(instance, {PolicySpec::parse(spec)}, {.rounds = 10, .runs = 1}).warnings;
  };
  EXPECT_EQ(result("up_ucb_ilift_bl(alpha=1)"), std::vector<std::string>{});
  EXPECT_EQ(result("up_ucb_ilift_bl(alpha=1, min_uplift=0.11)"),
            std::vector<std::string>{warning("up_ucb_ilift_bl(alpha=1, min_uplift=0.11)")});
}

/// Two actions that give a variable the same mean leave no effect gap; with nothing affected, every
/// Delta and every L is true.
TEST(Theorems, OfPoliciesThatAreToldAnEffectGapWhereThereIsNoneDoNotHold) {
  const PolicySpec spec = PolicySpec::parse("up_ucb_ilift(alpha=1, effect_gap=0.1)");
  const auto equal = made(3, 0.0, {moved(0, 1, 2.0), moved(0, 1, 2.0), {}}, with_variance(1.0));
  EXPECT_EQ(knowledge_warning(spec, *equal),
            "up_ucb_ilift(alpha=1, effect_gap=0.1): effect_gap is 0.1, but the instance has none. "
            "Its theorem does not hold");
  EXPECT_FALSE(knowledge_warning(spec, *made(3, 0.0, {{}, {}}, with_variance(1.0))));
}

TEST(Theorems, HoldForRarePayoffsOfZeroAndOne) {
  const auto instance =
      made(8, 0.02, {moved(0, 3, 0.2), moved(2, 5, 0.3), moved(5, 8, 0.05), {}}, BernoulliNoise{});
  EXPECT_EQ(expect_below_bounds(instance, 5000), kUpperBounds);
}

// An L(a) for each action, from just what it affects to far more. kToldL policies are told one.
constexpr std::size_t kToldL = 3;

/// All three say more than that every round is lost.
void expect_told_bounds_say_something(const Instance& instance, double rounds,
                                      const std::vector<std::size_t>& max_affected) {
  BoundInputs in = BoundInputs::of(instance, rounds, 0.05);
  in.set_max_affected(max_affected);
  const double trivial = rounds * *std::max_element(in.gaps.begin(), in.gaps.end());
  for (const auto bound : {bound_up_ucb_l_bl, bound_up_ucb_l, bound_up_ucb_l_ilift_bl}) {
    EXPECT_LT(bound(in), trivial);
  }
}

TEST(Theorems, HoldWithAnLForEachActionIfTheBestAffectsOneVariableAndOthersMany) {
  const auto instance = made(12, 0.0, {moved(0, 1, 12.0), moved(1, 9, 0.5), moved(9, 11, -1.0), {}},
                             with_variance(1.0));
  for (const std::vector<std::size_t>& told :
       {std::vector<std::size_t>{1, 8, 2, 0}, {1, 12, 2, 0}, {8, 8, 12, 1}}) {
    EXPECT_EQ(expect_below_bounds(instance, 20000, told), kToldL);
  }
  expect_told_bounds_say_something(*instance, 20000, {1, 8, 2, 0});
}

TEST(Theorems, HoldWithAnLForEachActionIfTheBestAffectsManyVariablesAndOthersFew) {
  const auto instance =
      made(10, 0.0, {moved(0, 8, 1.0), moved(8, 9, 2.0), moved(9, 10, 1.0)}, with_variance(1.0));
  for (const std::vector<std::size_t>& told :
       {std::vector<std::size_t>{8, 1, 1}, {8, 10, 1}, {10, 1, 6}}) {
    EXPECT_EQ(expect_below_bounds(instance, 20000, told), kToldL);
  }
  expect_told_bounds_say_something(*instance, 20000, {8, 1, 1});
}

/// One noise shared by all that an action affects, the worst case of the lower bound.
TEST(Theorems, HoldWithAnLForEachActionOnAHardInstance) {
  const auto instance = std::make_shared<const Instance>(
      hard_affected({.variables = 9, .affected = {1, 6, 2}, .gaps = {0.0, 6.0, 3.0}}));
  for (const std::vector<std::size_t>& told : {std::vector<std::size_t>{1, 6, 2}, {9, 6, 2}}) {
    EXPECT_EQ(expect_below_bounds(instance, 20000, told), kToldL);
  }
  expect_told_bounds_say_something(*instance, 20000, {1, 6, 2});
}

TEST(Theorems, HoldWithAnLForEachActionForPayoffsOfZeroAndOne) {
  const auto instance = made(8, 0.02, {moved(0, 1, 0.9), moved(2, 7, 0.1), {}}, BernoulliNoise{});
  for (const std::vector<std::size_t>& told :
       {std::vector<std::size_t>{1, 5, 0}, {1, 8, 1}, {3, 5, 2}}) {
    EXPECT_EQ(expect_below_bounds(instance, 5000, told), kToldL);
  }
}

/// What `verified` means (registry.h) holds of exactly the policies that say so.
TEST(VerifiedPolicies, AreThoseWithAReferenceAndABound) {
  for (const PolicyInfo& info : policies(PolicyKind::kPlain)) {
    const auto named = [&](const BoundInfo& bound) {
      return bound.upper && bound.name == info.name;
    };
    const bool has_bound = std::any_of(bounds().begin(), bounds().end(), named);
    EXPECT_EQ(info.status == PolicyStatus::kVerified, has_bound) << info.name;
    if (!has_bound) continue;
    const auto spec = PolicySpec::parse(testing::usable_spec(info));
    EXPECT_NE(testing::make_reference(spec, testing::full_knowledge()), nullptr) << info.name;
  }
}

TEST(VerifiedPolicies, AreNoneOfTheContextualOnes) {
  // Their theorem is not held against simulations.
  for (const auto table : {policies(PolicyKind::kTargeting), policies(PolicyKind::kContextual)}) {
    for (const PolicyInfo& info : table) {
      EXPECT_NE(info.status, PolicyStatus::kVerified) << info.name;
    }
  }
}

}  // namespace
}  // namespace updraft
