// What contextual policies refuse beside ../rounds_refusal_test.cc, in which words, and that they
// stay as they were.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policies/rounds_judge.h"
#include "support/knowledge.h"

namespace updraft::testing {
namespace {

class ContextRefusals : public ::testing::TestWithParam<std::string> {};

TEST_P(ContextRefusals, SetsThatCannotBe) {
  Judge judge(GetParam());
  MadeRound context = example_context(9);
  context.affected.pop_back();
  EXPECT_EQ(judge.all(context.view()),
            "length of context: affected = 2: must be the number of actions, 3");
  context = example_context(9);
  context.affected[1] = VariableSet::from_ids({3, 10});
  const std::string said = judge.all(context.view());
  EXPECT_NE(said.find("context: affected[1]"), std::string::npos) << said;
  EXPECT_NE(said.find("10"), std::string::npos) << said;
}

TEST_P(ContextRefusals, AllowedActionsThatCannotBe) {
  Judge judge(GetParam());
  const MadeRound context = example_context(9);
  Round round = context.view();
  const std::vector<ActionId> unknown = {0, 3}, repeated = {1, 1};
  round.allowed = unknown;
  EXPECT_EQ(judge.all(round), "allowed[1] = 3: must be below the number of actions, 3");
  round.allowed = repeated;
  EXPECT_EQ(judge.all(round), "allowed[1] = 1: must be larger than the one before it");
}

TEST_P(ContextRefusals, FeedbackThatCannotBe) {
  Judge judge(GetParam());
  const MadeRound context = example_context(9);
  const std::vector<double> payoffs(kExampleVariables, 1.0);
  EXPECT_EQ(judge.learn(context.view(), {.action = 3}, payoffs),
            "action = 3: must be below the number of actions, 3");
  EXPECT_EQ(judge.learn(context.view(), {}, std::vector<double>(11, 0.0)),
            "length of payoffs = 11: must be the number of variables, 10");
}

TEST_P(ContextRefusals, ContextsWithoutTheSetsThatAreNeeded) {
  Judge judge(GetParam());
  const MadeRound good = example_context(9);
  const std::string name = PolicySpec::parse(GetParam()).name();
  const Needs needs = policy_info(name).needs;
  Round context = good.view();
  context.affected = {};
  const std::string said = "context: affected: is missing, and " + name +
                           " needs to know it unless max_affected is given";
  if (GetParam().find("max_affected") != std::string::npos || !needs.contains(Need::kAffected)) {
    EXPECT_EQ(judge.explain(context), "(accepted)");
  } else if (!needs.contains(Need::kBaseline)) {
    EXPECT_EQ(judge.all(context), said);
  } else {
    EXPECT_EQ(judge.decide(context), said);
    EXPECT_EQ(judge.explain(context), said);
  }
}

/// Variable 2 has length 1.3.
TEST_P(ContextRefusals, FeaturesLongerThanOneForTheSchedule) {
  Judge judge(GetParam());
  MadeRound context = example_context(9);
  context.features[6] = -0.5;
  context.features[7] = 1.2;
  context.features[8] = 0.0;
  if (GetParam().find("delta") == std::string::npos) {
    EXPECT_EQ(judge.explain(context.view()), "(accepted)");
    return;
  }
  EXPECT_EQ(judge.all(context.view()),
            "context: length of the features of variable 2 = 1.3: must be at most 1 for the "
            "theorem's beta; divide all features by one number, or give beta");
}

TEST_P(ContextRefusals, ShapesThatAreEmpty) {
  const auto said = [](ContextualShape shape) {
    return refusal([&] { make_contextual(GetParam(), shape); });
  };
  EXPECT_EQ(said({0, 1}), "features = 0: must be at least 1");
  EXPECT_EQ(said({1, 0}), "actions = 0: must be at least 1");
  EXPECT_EQ(said({1, 1}), "(accepted)");
}

INSTANTIATE_TEST_SUITE_P(Registered, ContextRefusals, ::testing::ValuesIn(usable_context_specs()));

TEST(ContextParameters, ThatDoNotGoTogether) {
  const auto said = [](const std::string& spec) {
    return refusal([&] { make_contextual(spec, kExampleContextualShape); });
  };
  for (const std::string name : {"lin_up_ucb", "lin_up_ucb_bl"}) {
    EXPECT_EQ(said(name + "(beta=1, max_affected=0)"),
              name + ".max_affected = 0: must be a whole number >= 1");
    EXPECT_EQ(said(name + "(beta=1, lambda=0)"), name + ".lambda = 0: must be > 0");
    EXPECT_EQ(said(name + "(delta=0.1, bound=3, lambda=0.1, max_affected=1)"), "(accepted)");
    EXPECT_EQ(said(name + "(beta=1)"), "(accepted)");
  }
}

TEST(PolicyKinds, AreNotMixedUp) {
  EXPECT_EQ(refusal([] { make_policy("lin_up_ucb(beta=1)", full_knowledge()); })
                .find("policy = lin_up_ucb: is for actions with contexts ("
                      "docs/targeting.md), not for single actions; for these there are: auto, ucb"),
            0u);
  EXPECT_EQ(refusal([] {
              make_targeting("lin_up_ucb_bl(beta=1)", {1, 1, 1});
            })
                .find("policy = lin_up_ucb_bl: is for actions with contexts ("
                      "docs/targeting.md), not for targeting; for these there are: c2_up"),
            0u);
  EXPECT_EQ(refusal([] { make_contextual("c2_up_ucb(beta=1)", kExampleContextualShape); }),
            "policy = c2_up_ucb: is for targeting ("
            "docs/targeting.md), not for actions with contexts; for these there are: lin_up_ucb, "
            "lin_up_ucb_bl, lin_ucb");
  EXPECT_EQ(refusal([] { make_contextual("ucb(alpha=1)", kExampleContextualShape); }),
            "policy = ucb: is for single actions (docs/choose-a-policy.md), not for actions with "
            "contexts; for "
            "these there are: lin_up_ucb, lin_up_ucb_bl, lin_ucb");
}

TEST(PolicyKinds, RefuseTheCallsOfOthersAndStayAsTheyWere) {
  const std::string lacks = "round: is missing: lin_ucb decides by the features of its rows";
  const auto contextual = make_contextual("lin_ucb(beta=1)", kExampleContextualShape);
  const std::string before = saved(*contextual);
  EXPECT_EQ(refusal([&] { contextual->observe(0, Payoffs::dense({})); }), lacks);
  EXPECT_EQ(refusal([&] { contextual->observe(0, Payoffs::sparse({}, {})); }), lacks);
  EXPECT_EQ(refusal([&] { contextual->select(Stream(1, 0, Purpose::kPolicy)); }), lacks);
  EXPECT_EQ(refusal([&] { contextual->explain(); }), lacks);
  const MadeRound context = example_context(0);
  EXPECT_EQ(
      refusal([&] { contextual->take(context.view(), {.treatments = {1}}); }),
      "treatments = 1 individuals: must be absent: only targeting policies treat individuals");
  EXPECT_EQ(saved(*contextual), before);

  const auto plain = make_policy("ucb(alpha=1)", full_knowledge());
  const std::string fresh = saved(*plain);
  EXPECT_EQ(refusal([&] { plain->decide(context.view(), Stream(1, 0, Purpose::kPolicy)); }),
            "round: must be empty: rounds of a plain policy are all alike");
  EXPECT_NE(refusal([&] { plain->take({}, {.treatments = {1}}); }), "(accepted)");
  EXPECT_NE(refusal([&] { plain->learn({.treatments = {1}}, {}, Payoffs::total(1.0)); }),
            "(accepted)");
  EXPECT_NE(refusal([&] { plain->take({.width = 3}, {}); }), "(accepted)");
  EXPECT_EQ(saved(*plain), fresh);
}

}  // namespace
}  // namespace updraft::testing
