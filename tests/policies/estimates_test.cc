// Estimates and intervals that people see, held against the policies' formulas.

#include "policies/estimates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "updraft/estimate_text.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// Three actions on the sets {0, 1}, {2} and {2, 3} of four variables.
Knowledge sets_known() {
  Knowledge knowledge(3, 4);
  knowledge.set_affected(
      {VariableSet::from_ids({0, 1}), VariableSet::from_ids({2}), VariableSet::from_ids({2, 3})});
  return knowledge;
}

std::unique_ptr<Policy> played(std::string_view spec, const Knowledge& knowledge) {
  auto policy = make_policy(spec, knowledge);
  const std::vector<std::vector<double>> rows = {{1, 2, 0, 0}, {0, 0, 3, 1}, {1, 1, 5, 4},
                                                 {2, 2, 0, 1}, {0, 1, 2, 0}, {1, 3, 4, 4}};
  for (std::size_t round = 0; round < rows.size(); ++round) {
    policy->observe(static_cast<ActionId>(round % 3), Payoffs::dense(rows[round]));
  }
  return policy;
}

double half(const IntervalEstimate& estimate) {
  return (estimate.interval->high - estimate.interval->low) / 2;
}

std::vector<IntervalEstimate> estimates(const Explanation& explanation) {
  std::vector<IntervalEstimate> out;
  for (const ActionExplanation& about : explanation.actions) out.push_back(about.estimate);
  return out;
}

Quantity quantity(const Policy& policy) { return policy.explain().quantity; }

bool reference_moves(const Policy& policy) { return policy.explain().reference_moves; }

std::string quantity_text(const Policy& policy, std::string_view reference) {
  return updraft::quantity_text(quantity(policy), policy.knowledge(), reference);
}

TEST(Estimates, OfTheRewardAreTheBoundsOfUcb) {
  const auto policy = played("ucb(alpha=2)", Knowledge(3, 4));
  EXPECT_EQ(quantity(*policy), Quantity::kReward);
  const std::vector<IntervalEstimate> seen = estimates(policy->explain());
  EXPECT_DOUBLE_EQ(*seen[0].value, 4.0);  // (3 + 5) / 2
  EXPECT_NEAR(half(seen[0]), 4 * std::sqrt(2 * 2.0 / 2), 1e-12);
}

TEST(Estimates, CountTheRadiiOfMeansAndBaselines) {
  const auto policy = played("up_ucb(alpha=2)", sets_known());
  EXPECT_EQ(quantity(*policy), Quantity::kUplift);
  const std::vector<IntervalEstimate> seen = estimates(policy->explain());
  // Action 0: variables 0 and 1 have 2 rounds each, and their baselines the other 4.
  EXPECT_DOUBLE_EQ(*seen[0].value, (3.0 + 4.0) / 2 - (1 + 0 + 2 + 4) / 4.0);
  EXPECT_NEAR(half(seen[0]), 2 * (std::sqrt(2 * 2.0 / 2) + std::sqrt(2 * 2.0 / 4)), 1e-12);
  // Action 2: variable 2 is left alone by action 0 only, variable 3 by actions 0 and 1.
  EXPECT_NEAR(half(seen[2]),
              2 * std::sqrt(2 * 2.0 / 2) + std::sqrt(2 * 2.0 / 2) + std::sqrt(2 * 2.0 / 4), 1e-12);
}

TEST(Estimates, KnownBaselinesHaveNoRadius) {
  Knowledge knowledge = sets_known();
  knowledge.set_baseline({1, 1, 1, 1});
  const auto policy = played("up_ucb_bl(alpha=2)", knowledge);
  const std::vector<IntervalEstimate> seen = estimates(policy->explain());
  EXPECT_DOUBLE_EQ(*seen[0].value, (3.0 + 4.0) / 2 - 2.0);
  EXPECT_NEAR(seen[0].interval->high, policy->index(0), 1e-12);
}

TEST(Estimates, ObservationsHaveTheirs) {
  Knowledge knowledge = sets_known();
  knowledge.set_observations({.counts = {8, 8, 8, 8}, .means = {1, 1, 1, 1}});
  const auto policy = played("up_ucb_obs(alpha=2)", knowledge);
  const std::vector<IntervalEstimate> seen = estimates(policy->explain());
  EXPECT_EQ(quantity(*policy), Quantity::kUplift);
  EXPECT_DOUBLE_EQ(*seen[0].value, (3.0 + 4.0) / 2 - 2.0);  // over the table's means
  EXPECT_NEAR(half(seen[0]), 2 * (std::sqrt(2 * 2.0 / 2) + std::sqrt(2 * 2.0 / 8)), 1e-12);
  EXPECT_NEAR(seen[0].interval->high, policy->index(0), 1e-12);
}

TEST(Estimates, OfUnknownSetsReachAsFarAsTheIndex) {
  Knowledge knowledge(3, 4);
  knowledge.set_max_affected(2);
  const auto policy = played("up_ucb_l(alpha=0.01)", knowledge);
  EXPECT_EQ(quantity(*policy), Quantity::kDifference);
  EXPECT_TRUE(reference_moves(*policy));
  const Explanation explanation = policy->explain();
  const std::vector<IntervalEstimate> seen = estimates(explanation);
  for (ActionId action = 0; action < 3; ++action) {
    const ActionExplanation& about = explanation.actions[action];
    const auto identified = static_cast<double>(about.identified->size());
    EXPECT_NEAR(half(seen[action]),
                std::max(identified * 2 * std::sqrt(2 * 0.01 / 2),
                         about.index - about.difference->estimate),
                1e-12);
  }
  EXPECT_GT(explanation.actions[2].identified->size(), 0u);

  // Nothing identified is not nothing to be expected.
  const auto unsure = played("up_ucb_l(alpha=50)", knowledge);
  const Explanation nothing = unsure->explain();
  ASSERT_TRUE(nothing.actions[2].identified->empty());
  EXPECT_NEAR(estimates(nothing)[2].interval->high, nothing.actions[2].index, 1e-12);
  EXPECT_GT(nothing.actions[2].index, 0.0);
}

TEST(Estimates, OfUnknownSetsAndAKnownBaselineReachAsFarAsTheIndex) {
  Knowledge knowledge(3, 4);
  knowledge.set_max_affected(2);
  knowledge.set_baseline({1, 1, 1, 1});
  const Explanation unsure = played("up_ucb_l_bl(alpha=50)", knowledge)->explain();
  EXPECT_EQ(unsure.quantity, Quantity::kUplift);
  EXPECT_EQ(unsure.interval_kind, IntervalKind::kConfidenceBoundsOfCounted);
  ASSERT_TRUE(unsure.actions[2].identified->empty());
  EXPECT_EQ(unsure.actions[2].estimate.value, 0.0);
  EXPECT_NEAR(unsure.actions[2].estimate.interval->high, unsure.actions[2].index, 1e-12);
  EXPECT_GT(unsure.actions[2].index, 0.0);

  // More variables are identified than L allows, so the index counts nothing else.
  const Explanation sure = played("up_ucb_l_bl(alpha=0.01)", knowledge)->explain();
  const auto identified = static_cast<double>(sure.actions[2].identified->size());
  ASSERT_GE(identified, 2.0);
  EXPECT_NEAR(half(sure.actions[2].estimate), identified * std::sqrt(2 * 0.01 / 2), 1e-12);
}

TEST(Estimates, OfUnknownSetsAndBaselinesAreDifferencesFromTheStart) {
  Knowledge knowledge(2, 4);
  knowledge.set_effect_gap(1.0);
  auto policy = make_policy("up_ucb_ilift(alpha=0.05)", knowledge);
  EXPECT_EQ(quantity(*policy), Quantity::kDifference);
  EXPECT_FALSE(reference_moves(*policy));
  const std::vector<double> first(4, 0.0);
  const std::vector<double> second = {1.5, 0.0, 0.0, 0.0};
  policy->observe(0, Payoffs::dense(first));
  EXPECT_FALSE(estimates(policy->explain())[1].value);
  policy->observe(1, Payoffs::dense(second));
  const std::vector<IntervalEstimate> eliminating = estimates(policy->explain());
  EXPECT_DOUBLE_EQ(*eliminating[0].value, 0.0);
  EXPECT_DOUBLE_EQ(*eliminating[1].value, 1.5);
  EXPECT_NEAR(half(eliminating[1]), 4 * 2 * std::sqrt(2 * 0.05), 1e-12);
  for (int round = 0; round < 3; ++round) policy->observe(0, Payoffs::dense(first));
  for (int round = 0; round < 99; ++round) policy->observe(1, Payoffs::dense(second));
  const Explanation explanation = policy->explain();
  // Two actions differ in a variable: which of them leaves it alone nobody can tell.
  EXPECT_FALSE(explanation.actions[1].uplift);
  ASSERT_EQ(explanation.actions[1].identified->size(), 1u);
  const IntervalEstimate estimate = estimates(explanation)[1];
  EXPECT_DOUBLE_EQ(*estimate.value, 1.5);
  EXPECT_NEAR(half(estimate), std::sqrt(2 * 0.05 / 100) + std::sqrt(2 * 0.05 / 4), 1e-9);
}

TEST(Estimates, WaitForBaselinesThatMayCome) {
  Knowledge knowledge(2, 3);
  knowledge.set_affected({VariableSet::from_ids({0}), VariableSet::from_ids({1})});
  const std::vector<double> payoffs = {10, 10, 10};
  for (const char* spec : {"up_ucb(alpha=1)", "up_ts"}) {
    const auto policy = make_policy(spec, knowledge);
    EXPECT_EQ(quantity(*policy), Quantity::kUplift) << spec;
    policy->observe(0, Payoffs::dense(payoffs));
    EXPECT_FALSE(estimates(policy->explain())[0].value) << spec;
    policy->observe(1, Payoffs::dense(payoffs));
    EXPECT_NEAR(*estimates(policy->explain())[0].value, 0.0, 1e-6) << spec;
  }
}

// All actions affect variable 2, so that no uplift can be known: a payoff is none.
TEST(Estimates, AreDifferencesWhereNothingTellsTheBaseline) {
  Knowledge knowledge(2, 3);
  knowledge.set_affected({VariableSet::from_ids({0, 2}), VariableSet::from_ids({1, 2})});
  for (const char* spec : {"up_ucb(alpha=1)", "up_ts"}) {
    SCOPED_TRACE(spec);
    const auto policy = make_policy(spec, knowledge);
    EXPECT_EQ(quantity(*policy), Quantity::kDifference);
    EXPECT_FALSE(reference_moves(*policy));
    for (int round = 0; round < 20; ++round) {
      policy->observe(0, Payoffs::dense(std::vector<double>{10, 10, 10.0 + round % 2}));
      policy->observe(1, Payoffs::dense(std::vector<double>{10, 10, 13.0 + round % 2}));
    }
    const std::vector<IntervalEstimate> seen = estimates(policy->explain());
    EXPECT_EQ(seen[0], (IntervalEstimate{0.0, Interval{0.0, 0.0}}));
    EXPECT_NEAR(*seen[1].value, 3.0, 1e-6);
    EXPECT_LT(seen[1].interval->low, 3.0);
    EXPECT_GT(seen[1].interval->high, 3.0);
    EXPECT_EQ(quantity_text(*policy, "news"),
              "The difference of an action is how much more all variables together pay when it is "
              "taken than when news is. Every action affects 1 variable, so no round shows what it "
              "pays when nothing is done, and uplifts over that cannot be known.");
  }
}

TEST(Estimates, OfTheOnlyActionAreRewards) {
  Knowledge knowledge(1, 3);
  knowledge.set_affected({VariableSet::from_ids({0, 2})});
  const auto policy = make_policy("up_ucb(alpha=1)", knowledge);
  EXPECT_EQ(quantity(*policy), Quantity::kReward);
  policy->observe(0, Payoffs::dense(std::vector<double>{1, 2, 3}));
  EXPECT_EQ(estimates(policy->explain())[0], (IntervalEstimate{6.0, std::nullopt}));
}

TEST(Estimates, SayWhatTheyAre) {
  EXPECT_EQ(name_of(Quantity::kUplift), "uplift");
  EXPECT_EQ(name_of(Quantity::kDifference), "difference");
  EXPECT_EQ(name_of(Quantity::kReward), "reward");
  EXPECT_EQ(quantity_text(*played("up_ts", sets_known()), ""),
            "The uplift of an action is how much more all variables together pay when it is taken "
            "than when nothing is done.");
  EXPECT_EQ(quantity_text(*played("ucb(alpha=2)", Knowledge(3, 4)), ""),
            "The reward of an action is what all variables together pay when it is taken.");
  Knowledge bounded(3, 4);
  bounded.set_max_affected(2);
  EXPECT_EQ(quantity_text(*played("up_ucb_l(alpha=1)", bounded), "the other"),
            "The difference of an action is how much more all variables together pay when it is "
            "taken than when the other is. What variables pay when nothing is done was not "
            "declared, nor which actions leave them alone, so uplifts over that are not known.");
}

TEST(Estimates, OfPosteriorsAreTheirs) {
  const auto learning = played("up_ts", sets_known());
  const Explanation explanation = learning->explain();
  const std::vector<IntervalEstimate> seen = estimates(explanation);
  for (ActionId action = 0; action < 3; ++action) {
    EXPECT_EQ(seen[action].value, explanation.actions[action].uplift);
    EXPECT_EQ(seen[action].interval->low, explanation.actions[action].interval->low);
  }
  EXPECT_EQ(interval_text(explanation.interval_kind), "95 % confidence intervals");

  Knowledge prior(3, 4);
  prior.set_reward_prior({.mean = 1.0, .variance = 4.0});
  const auto ts = make_policy("ts(sigma2=1)", prior);
  const std::vector<IntervalEstimate> before = estimates(ts->explain());
  EXPECT_EQ(before[0].value, 1.0);  // of the prior
  EXPECT_EQ(interval_text(ts->explain().interval_kind), "95 % of the posterior");
  EXPECT_NEAR(half(before[0]), 1.959964 * 2.0, 1e-5);
}

// Two actions, rewards 1, 3 and 5, 6, 10: means 2 and 7, squares 2 + 14 about them, 3 degrees of
// freedom.
TEST(Estimates, OfTsThatLearnsTheNoiseAreThoseOfStudent) {
  const auto ts = make_policy("ts", Knowledge(2, 1));
  EXPECT_FALSE(estimates(ts->explain())[0].value);
  ts->observe(0, Payoffs::total(1.0));
  ts->observe(1, Payoffs::total(5.0));
  EXPECT_FALSE(ts->explain().noise_known);
  EXPECT_EQ(estimates(ts->explain())[1].value, 5.0);
  EXPECT_FALSE(estimates(ts->explain())[1].interval);
  ts->observe(0, Payoffs::total(3.0));
  ts->observe(1, Payoffs::total(6.0));
  ts->observe(1, Payoffs::total(10.0));
  EXPECT_TRUE(ts->explain().noise_known);
  const std::vector<IntervalEstimate> after = estimates(ts->explain());
  EXPECT_EQ(after[0].value, 2.0);
  EXPECT_EQ(after[1].value, 7.0);
  EXPECT_NEAR(half(after[0]), 3.182446 * std::sqrt(16.0 / 3.0 / 2.0), 1e-5);
  EXPECT_NEAR(half(after[1]), 3.182446 * std::sqrt(16.0 / 3.0 / 3.0), 1e-5);
}

TEST(Estimates, TakeAQuickExplanation) {
  for (const char* spec : {"up_ts", "up_ucb_cv", "up_ucb(alpha=1)"}) {
    const auto policy = played(spec, sets_known());
    EXPECT_EQ(estimates(policy->explain(Detail::kCheap)), estimates(policy->explain()));
  }
  EXPECT_FALSE(played("up_ts", sets_known())->explain(Detail::kCheap).actions[0].probability_best);
}

TEST(Estimates, HaveNoIntervalBeforeAnythingIsKnownOfTheNoise) {
  const auto policy = make_policy("up_ts", sets_known());
  const std::vector<double> payoffs = {1, 2, 3, 4};
  for (ActionId action = 0; action < 3; ++action) policy->observe(action, Payoffs::dense(payoffs));
  EXPECT_FALSE(policy->explain().noise_known);
  EXPECT_TRUE(estimates(policy->explain())[0].value);
  EXPECT_FALSE(estimates(policy->explain())[0].interval);
  policy->observe(0, Payoffs::dense(payoffs));
  EXPECT_TRUE(policy->explain().noise_known);
  EXPECT_TRUE(estimates(policy->explain())[0].interval);
}

/// Both actions move the only variable: after one round of each, nothing shows how noisy it is.
/// The draws of the posterior have no width then, and a share of 1 of them means nothing.
TEST(Estimates, ClaimNothingBeforeAnythingIsKnownOfTheNoise) {
  for (const char* spec : {"up_ts_bl", "up_ts", "up_ucb_cv_bl", "up_ucb_cv"}) {
    SCOPED_TRACE(spec);
    Knowledge knowledge(2, 1);
    knowledge.set_affected(std::vector(2, VariableSet::from_ids(std::vector<VariableId>{0})));
    if (std::string_view(spec).ends_with("_bl")) knowledge.set_baseline({5.0});
    const auto policy = make_policy(spec, knowledge);
    for (ActionId a : {0u, 1u}) policy->observe(a, Payoffs::dense(std::vector<double>{6.5 + a}));
    for (const ActionExplanation& about : policy->explain().actions) {
      EXPECT_FALSE(about.probability_best || about.standard_error || about.interval);
      EXPECT_TRUE(about.estimate.value);
      EXPECT_FALSE(about.estimate.interval);
      ASSERT_TRUE(about.difference);
      EXPECT_FALSE(about.difference->standard_error);
      EXPECT_EQ(about.difference->interval.low, -HUGE_VAL);
      EXPECT_EQ(about.difference->interval.high, HUGE_VAL);
    }
    EXPECT_EQ(policy->explain().actions[1].difference->estimate, 1.0);
    policy->observe(0, Payoffs::dense(std::vector<double>{6.0}));
    for (const ActionExplanation& about : policy->explain().actions) {
      EXPECT_LT(about.probability_best.value(), 1.0);
      EXPECT_EQ(about.interval.has_value(), knowledge.baseline() != nullptr);
      EXPECT_TRUE(about.difference->standard_error);
    }
  }
}

TEST(Estimates, AreAbsentWithoutFeedback) {
  for (const char* spec : {"ucb(alpha=1)", "up_ucb(alpha=1)", "up_ts"}) {
    const auto policy = make_policy(spec, sets_known());
    for (const IntervalEstimate& estimate : estimates(policy->explain())) {
      EXPECT_FALSE(estimate.value) << spec;
      EXPECT_FALSE(estimate.interval) << spec;
    }
  }
}

}  // namespace
}  // namespace updraft
