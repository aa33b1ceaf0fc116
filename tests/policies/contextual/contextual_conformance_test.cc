// What every registered contextual policy must do, whatever its algorithm, beside
// ../rounds_conformance_test.cc.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "policies/rounds_example.h"
#include "updraft/error.h"

namespace updraft::testing {
namespace {

class EveryContextualPolicy : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Policy> make() {
    return make_contextual(GetParam(), kExampleContextualShape);
  }
  static bool bounded() { return GetParam().find("max_affected") != std::string::npos; }
  static Needs needs() { return policy_info(PolicySpec::parse(GetParam()).name()).needs; }
  static bool sums_all() { return needs().empty(); }
  static bool needs_sets() { return !bounded() && needs().contains(Need::kAffected); }
  static bool needs_baseline() { return needs().contains(Need::kBaseline); }
};

TEST_P(EveryContextualPolicy, TakesEveryActionOnceFirst) {
  const auto decisions = play_example(*make(), 0, 3);
  for (ActionId a = 0; a < 3; ++a) EXPECT_EQ(decisions[a].action, a);
}

TEST_P(EveryContextualPolicy, RefusesRecordedDecisionsThatDoNotFit) {
  const auto policy = make();
  play_example(*policy, 0, 8);
  const std::string before = saved(*policy);
  const MadeRound context = example_context(0);
  EXPECT_THROW(policy->take(context.view(), {.action = kExampleContextualShape.actions}),
               InvalidInput);
  Round narrow = context.view();
  narrow.width += 1;
  EXPECT_THROW(policy->take(narrow, {}), InvalidInput);
  EXPECT_EQ(saved(*policy), before);
}

/// The allowed action without feedback that was offered least often, or else the largest index.
TEST_P(EveryContextualPolicy, TakesAllowedActionsOnly) {
  const std::vector<std::vector<ActionId>> sets = {{2}, {0, 2}, {1, 2}, {}, {0, 1, 2}};
  const auto policy = make();
  for (std::uint32_t number = 0; number < 60; ++number) {
    const MadeRound context = example_context(number);
    const auto all = policy->explain(context.view()).actions;
    const std::vector<ActionId>& allowed = sets[number % sets.size()];
    Round round = context.view();
    round.allowed = allowed;
    const auto shown = policy->explain(round).actions;
    const Decision decision = policy->decide(round, kExampleStream);
    ASSERT_TRUE(AllowedActions(allowed).contains(decision.action)) << number;
    ASSERT_EQ(decision.probability, 1.0);
    for (ActionId a = 0; a < shown.size(); ++a) {
      EXPECT_EQ(shown[a].index, all[a].index);
      EXPECT_EQ(shown[a].chosen, a == decision.action);
      const bool may = AllowedActions(allowed).contains(a);
      EXPECT_EQ(shown[a].reason == "is not allowed in this round", !may);
      if (may) {
        EXPECT_LE(all[a].index, all[decision.action].index) << number;
      }
    }
    const auto payoffs = example_payoffs(policy->kind(), number, context, decision);
    policy->learn(decision, round, Payoffs::dense(payoffs));
  }
}

TEST_P(EveryContextualPolicy, SelectTakesTheActionThatExplainShowsAsChosen) {
  const auto policy = make();
  for (std::uint32_t round = 0; round < 60; ++round) {
    const MadeRound context = example_context(round);
    const auto shown = policy->explain(context.view()).actions;
    const ActionId action = select_action(*policy, context.view(), kExampleStream);
    ASSERT_EQ(shown.size(), kExampleContextualShape.actions);
    for (ActionId a = 0; a < shown.size(); ++a) {
      EXPECT_EQ(shown[a].chosen, a == action);
      EXPECT_LE(shown[a].index, shown[action].index);
      EXPECT_FALSE(shown[a].reason.empty());
      if (shown[a].pulls == 0) continue;
      const auto& difference = shown[a].difference;
      EXPECT_EQ(shown[a].identified.has_value(), bounded());
      EXPECT_EQ(difference.has_value(), bounded() && !needs_baseline());
      EXPECT_EQ(shown[a].uplift.has_value(), !sums_all() && !difference.has_value());
      EXPECT_EQ(shown[a].interval.has_value(), shown[a].uplift.has_value());
      EXPECT_TRUE(shown[a].reward);
      if (sums_all()) continue;
      const Interval interval = difference ? difference->interval : shown[a].interval.value();
      const double estimate = difference ? difference->estimate : *shown[a].uplift;
      EXPECT_LE(interval.low, estimate);
      EXPECT_GE(interval.high, estimate);
    }
    teach(*policy, context.view(), action, example_payoffs(round, context, action));
  }
}

TEST_P(EveryContextualPolicy, IsNotTouchedByWhatItNeedNotKnow) {
  const auto policy = make();
  const auto bare = make();
  for (std::uint32_t round = 0; round < 40; ++round) {
    const MadeRound context = example_context(round);
    Round seen = context.view();
    if (!needs_sets()) seen.affected = {};
    if (!needs_baseline()) seen.baseline = {};
    const ActionId action = select_action(*policy, context.view(), kExampleStream);
    ASSERT_EQ(select_action(*bare, seen, kExampleStream), action);
    const auto payoffs = example_payoffs(round, context, action);
    teach(*policy, context.view(), action, payoffs);
    seen.baseline = {};
    if (needs_baseline()) seen.affected = {};
    teach(*bare, seen, action, payoffs);
  }
  EXPECT_EQ(saved(*bare), saved(*policy));
}

TEST_P(EveryContextualPolicy, TakesContextsOfAnyNumberOfVariables) {
  const auto policy = make();
  for (std::uint32_t round = 0; round < 30; ++round) {
    const MadeRound context = example_context(round, 1 + (7 * round) % 25);
    const ActionId action = select_action(*policy, context.view(), kExampleStream);
    teach(*policy, context.view(), action, example_payoffs(round, context, action));
  }
  EXPECT_EQ(policy->observations(), 30u);
}

// Late and out of order: the last decisions come back first, some never.
TEST_P(EveryContextualPolicy, TakesLateFeedback) {
  const auto policy = make();
  std::vector<ActionId> taken;
  for (std::uint32_t round = 0; round < 9; ++round) {
    taken.push_back(select_action(*policy, example_context(round).view(), kExampleStream));
  }
  EXPECT_EQ(taken, (std::vector<ActionId>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  for (std::uint32_t round = 9; round-- > 2;) {
    const MadeRound context = example_context(round);
    teach(*policy, context.view(), taken[round], example_payoffs(round, context, taken[round]));
  }
  EXPECT_EQ(policy->pulls(0), 2u);
  EXPECT_EQ(policy->pulls(2), 3u);
  play_example(*policy, 9, 20);
  EXPECT_EQ(policy->decisions(), 20u);
  EXPECT_EQ(policy->observations(), 18u);
}

TEST_P(EveryContextualPolicy, LargeNumbersGiveFiniteEstimates) {
  if (GetParam().find("delta") != std::string::npos) GTEST_SKIP() << "refuses long features";
  const auto policy = make();
  MadeRound context = example_context(0);
  context.features[0] = 1e100;
  context.features[4] = -1e100;
  for (ActionId action = 0; action < 3; ++action) {
    teach(*policy, context.view(), action, std::vector<double>(kExampleVariables, 1e100));
  }
  for (const MadeRound& next : {example_context(1), context}) {
    expect_finite(policy->explain(next.view()));
    select_action(*policy, next.view(), kExampleStream);
  }
  EXPECT_EQ(saved(*restored(saved(*policy))), saved(*policy));
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryContextualPolicy,
                         ::testing::ValuesIn(usable_context_specs()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace updraft::testing
