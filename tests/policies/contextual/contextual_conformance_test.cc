// What every registered context policy must do, whatever its algorithm.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "policies/contextual/contextual_example.h"
#include "support/vector_targets.h"
#include "updraft/error.h"

namespace updraft::testing {
namespace {

const Stream kPolicyStream(23, 0, Purpose::kPolicy);

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

/// Everything that explain() shows of actions with feedback, to be compared bit for bit.
std::vector<double> estimates(const Policy& policy, const Round& context) {
  std::vector<double> all;
  for (const ActionExplanation& about : policy.explain(context).actions) {
    if (about.pulls == 0) continue;
    const RewardDifference difference = about.difference.value_or(RewardDifference());
    const Interval uplift = about.interval.value_or(Interval());
    for (const double number :
         {static_cast<double>(about.pulls), about.index, about.reward.value_or(-1e9),
          about.uplift.value_or(-1e9), uplift.low, uplift.high, difference.estimate,
          difference.interval.low, difference.interval.high}) {
      all.push_back(number);
    }
    if (!about.identified) continue;
    for (const VariableSet& set : {*about.identified, *about.padding}) {
      for (const VariableId id : set.ids()) all.push_back(id);
      all.push_back(-1.0);
    }
  }
  return all;
}

TEST_P(EveryContextualPolicy, IsDeterministic) {
  const auto first = make();
  const auto second = make();
  EXPECT_EQ(play_contexts_example(*first, 0, 60), play_contexts_example(*second, 0, 60));
  EXPECT_EQ(saved(*first), saved(*second));
}

TEST_P(EveryContextualPolicy, DecidesAlikeWhateverVectorsTheMachineHas) {
  const auto policy = make();
  const auto expected = play_contexts_example(*policy, 0, 40);
  const std::vector<double> estimated = estimates(*policy, example_context(40).view());
  for_each_vector_target([&](const std::string& target) {
    const auto other = make();
    EXPECT_EQ(play_contexts_example(*other, 0, 40), expected) << target;
    EXPECT_EQ(saved(*other), saved(*policy)) << target;
    EXPECT_EQ(estimates(*other, example_context(40).view()), estimated) << target;
  });
}

TEST_P(EveryContextualPolicy, TakesEveryActionOnceFirst) {
  EXPECT_EQ(play_contexts_example(*make(), 0, 3), (std::vector<ActionId>{0, 1, 2}));
}

TEST_P(EveryContextualPolicy, TakesRecordedDecisionsAsIfItHadMadeThem) {
  const auto selecting = make();
  const auto taking = make();
  for (std::uint32_t round = 0; round < 40; ++round) {
    const MadeContext context = example_context(round);
    const std::string before = saved(*selecting);
    const Decision preview = selecting->preview(context.view(), kPolicyStream);
    ASSERT_EQ(saved(*selecting), before);
    const Decision choice = selecting->decide(context.view(), kPolicyStream);
    ASSERT_EQ(preview.action, choice.action);
    ASSERT_EQ(preview.index, choice.index);
    Round bare = context.view();
    bare.baseline = {};
    bare.affected = {};
    taking->take(bare, choice);
    ASSERT_EQ(saved(*taking), saved(*selecting)) << round;
    if (round % 5 == 3) continue;  // outstanding for ever
    std::vector<double> payoffs(context.view().size());
    for (std::size_t i = 0; i < payoffs.size(); ++i) payoffs[i] = (round + i) % 3 == 0 ? 1.0 : 0.0;
    teach(*selecting, context.view(), choice.action, payoffs);
    teach(*taking, context.view(), choice.action, payoffs);
  }
  const std::string before = saved(*taking);
  const MadeContext context = example_context(0);
  EXPECT_THROW(taking->take(context.view(), {.action = kExampleContextualShape.actions}),
               InvalidInput);
  Round narrow = context.view();
  narrow.width += 1;
  EXPECT_THROW(taking->take(narrow, {}), InvalidInput);
  EXPECT_EQ(saved(*taking), before);
}

TEST_P(EveryContextualPolicy, SelectLeavesTheStatisticsAlone) {
  const auto policy = make();
  play_contexts_example(*policy, 0, 30);
  const MadeContext context = example_context(30);
  const std::vector<double> before = estimates(*policy, context.view());
  for (int j = 0; j < 5; ++j) select_action(*policy, context.view(), kPolicyStream);
  EXPECT_EQ(estimates(*policy, context.view()), before);
  EXPECT_EQ(policy->decisions(), 35u);
  EXPECT_EQ(policy->observations(), 30u);
  EXPECT_EQ(policy->pulls(0) + policy->pulls(1) + policy->pulls(2), 30u);
}

TEST_P(EveryContextualPolicy, ExplainChangesNothing) {
  const auto policy = make();
  play_contexts_example(*policy, 0, 10);
  const std::string before = saved(*policy);
  policy->explain(example_context(10).view());
  EXPECT_EQ(saved(*policy), before);
}

TEST_P(EveryContextualPolicy, SavesAndRestoresBitForBit) {
  for (const std::uint32_t rounds : {0u, 1u, 2u, 9u, 50u}) {
    const auto policy = make();
    play_contexts_example(*policy, 0, rounds);
    select_action(*policy, example_context(1000).view(),
                  kPolicyStream);  // one decision outstanding
    const std::string state = saved(*policy);
    const auto copy = restored(state);
    EXPECT_EQ(saved(*copy), state);
    EXPECT_EQ(copy->spec(), policy->spec());
    EXPECT_EQ(copy->knowledge().features(), policy->knowledge().features());
    EXPECT_EQ(copy->knowledge().actions(), policy->knowledge().actions());
    EXPECT_EQ(copy->decisions(), rounds + 1);
    EXPECT_EQ(copy->observations(), rounds);
    const MadeContext context = example_context(rounds);
    EXPECT_EQ(estimates(*copy, context.view()), estimates(*policy, context.view()));
    EXPECT_EQ(play_contexts_example(*copy, rounds, rounds + 40),
              play_contexts_example(*policy, rounds, rounds + 40))
        << "after " << rounds << " rounds";
    EXPECT_EQ(saved(*copy), saved(*policy));
  }
}

TEST_P(EveryContextualPolicy, SelectTakesTheActionThatExplainShowsAsChosen) {
  const auto policy = make();
  for (std::uint32_t round = 0; round < 60; ++round) {
    const MadeContext context = example_context(round);
    const auto shown = policy->explain(context.view()).actions;
    const ActionId action = select_action(*policy, context.view(), kPolicyStream);
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
    const MadeContext context = example_context(round);
    Round seen = context.view();
    if (!needs_sets()) seen.affected = {};
    if (!needs_baseline()) seen.baseline = {};
    const ActionId action = select_action(*policy, context.view(), kPolicyStream);
    ASSERT_EQ(select_action(*bare, seen, kPolicyStream), action);
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
    const MadeContext context = example_context(round, 1 + (7 * round) % 25);
    const ActionId action = select_action(*policy, context.view(), kPolicyStream);
    teach(*policy, context.view(), action, example_payoffs(round, context, action));
  }
  EXPECT_EQ(policy->observations(), 30u);
}

// Late and out of order: the last decisions come back first, some never.
TEST_P(EveryContextualPolicy, TakesLateFeedback) {
  const auto policy = make();
  std::vector<ActionId> taken;
  for (std::uint32_t round = 0; round < 9; ++round) {
    taken.push_back(select_action(*policy, example_context(round).view(), kPolicyStream));
  }
  EXPECT_EQ(taken, (std::vector<ActionId>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  for (std::uint32_t round = 9; round-- > 2;) {
    const MadeContext context = example_context(round);
    teach(*policy, context.view(), taken[round], example_payoffs(round, context, taken[round]));
  }
  EXPECT_EQ(policy->pulls(0), 2u);
  EXPECT_EQ(policy->pulls(2), 3u);
  play_contexts_example(*policy, 9, 20);
  EXPECT_EQ(policy->decisions(), 20u);
  EXPECT_EQ(policy->observations(), 18u);
}

TEST_P(EveryContextualPolicy, LargeNumbersGiveFiniteEstimates) {
  if (GetParam().find("delta") != std::string::npos) GTEST_SKIP() << "refuses long features";
  const auto policy = make();
  MadeContext context = example_context(0);
  context.features[0] = 1e100;
  context.features[4] = -1e100;
  for (ActionId action = 0; action < 3; ++action) {
    teach(*policy, context.view(), action, std::vector<double>(kExampleVariables, 1e100));
  }
  for (const MadeContext& next : {example_context(1), context}) {
    for (const double number : estimates(*policy, next.view())) EXPECT_TRUE(std::isfinite(number));
    select_action(*policy, next.view(), kPolicyStream);
  }
  EXPECT_EQ(saved(*restored(saved(*policy))), saved(*policy));
}

std::string test_name(const std::string& spec) {
  const bool bounded = spec.find("max_affected") != std::string::npos;
  const bool schedule = spec.find("delta") != std::string::npos;
  return spec.substr(0, spec.find('(')) + (bounded ? "_bounded" : "_sets") +
         (schedule ? "_schedule" : "");
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryContextualPolicy,
                         ::testing::ValuesIn(usable_context_specs()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace updraft::testing
