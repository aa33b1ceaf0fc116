// What context policies refuse, in which words, and that they stay as they were.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "policies/contextual/contextual_example.h"
#include "support/knowledge.h"
#include "support/refusal.h"
#include "support/rounds.h"

namespace updraft::testing {
namespace {

const Stream kPolicyStream(23, 0, Purpose::kPolicy);
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A policy of the example after some rounds, and what it says to calls that it must refuse.
class Judge {
 public:
  explicit Judge(const std::string& spec)
      : policy_(make_contextual(spec, kExampleContextualShape)) {
    play_contexts_example(*policy_, 0, 8);
    before_ = saved(*policy_);
  }

  std::string select(const Round& context) {
    return check([&] { select_action(*policy_, context, kPolicyStream); });
  }
  std::string explain(const Round& context) {
    return check([&] { policy_->explain(context); });
  }
  std::string observe(const Round& context, ActionId action, const std::vector<double>& payoffs) {
    return check([&] { teach(*policy_, context, action, payoffs); });
  }
  std::string observe(const Round& context) {
    return observe(context, 1, std::vector<double>(context.size(), 0.0));
  }
  /// Of a context that none of the three may take, and all refuse in the same words.
  std::string all(const Round& context) {
    const std::string said = select(context);
    EXPECT_EQ(explain(context), said);
    EXPECT_EQ(observe(context), said);
    return said;
  }

 private:
  template <typename Call>
  std::string check(Call call) {
    const std::string said = refusal(call);
    EXPECT_EQ(saved(*policy_), before_) << said;
    return said;
  }

  std::unique_ptr<Policy> policy_;
  std::string before_;
};

class ContextRefusals : public ::testing::TestWithParam<std::string> {};

TEST_P(ContextRefusals, ContextsThatAreNone) {
  Judge judge(GetParam());
  const MadeContext good = example_context(9);
  Round context = good.view();
  EXPECT_EQ(judge.all({.features = {}, .width = 3}), "context = 0 variables: must have at least 1");
  context.width = 5;
  EXPECT_EQ(judge.all(context), "context: features = 5: must be as the policy was made for, 3");
  context.width = 0;
  EXPECT_EQ(judge.all(context), "context: features = 0: must be as the policy was made for, 3");
  context = good.view();
  context.features = context.features.first(29);
  EXPECT_EQ(judge.all(context),
            "length of context: features = 29: must be a multiple of the features of one, 3");
}

TEST_P(ContextRefusals, FeaturesAndBaselinesThatAreNotNumbers) {
  Judge judge(GetParam());
  for (const double bad : {kNaN, kInfinity, -kInfinity, 1e101}) {
    const std::string shown = std::isnan(bad) ? "nan"
                              : bad == 1e101  ? "1e+101"
                              : bad > 0.0     ? "inf"
                                              : "-inf";
    MadeContext context = example_context(9);
    context.features[29] = bad;
    EXPECT_EQ(judge.all(context.view()),
              "context: features[29] = " + shown + ": must be finite and at most 1e100 in size");
    context = example_context(9);
    context.baseline[9] = bad;
    EXPECT_EQ(judge.all(context.view()),
              "context: baseline[9] = " + shown + ": must be finite and at most 1e100 in size");
  }
  MadeContext context = example_context(9);
  context.baseline.pop_back();
  EXPECT_EQ(judge.all(context.view()),
            "length of context: baseline = 9: must be the number of variables, 10");
}

TEST_P(ContextRefusals, SetsThatCannotBe) {
  Judge judge(GetParam());
  MadeContext context = example_context(9);
  context.affected.pop_back();
  EXPECT_EQ(judge.all(context.view()),
            "length of context: affected = 2: must be the number of actions, 3");
  context = example_context(9);
  context.affected[1] = VariableSet::from_ids({3, 10});
  const std::string said = judge.all(context.view());
  EXPECT_NE(said.find("context: affected[1]"), std::string::npos) << said;
  EXPECT_NE(said.find("10"), std::string::npos) << said;
}

TEST_P(ContextRefusals, FeedbackThatCannotBe) {
  Judge judge(GetParam());
  const MadeContext context = example_context(9);
  const std::vector<double> payoffs(kExampleVariables, 1.0);
  EXPECT_EQ(judge.observe(context.view(), 3, payoffs),
            "action = 3: must be below the number of actions, 3");
  EXPECT_EQ(judge.observe(context.view(), 0, std::vector<double>(11, 0.0)),
            "length of payoffs = 11: must be the number of variables, 10");
  for (const double bad : {kNaN, kInfinity, 1e101}) {
    std::vector<double> y = payoffs;
    y[8] = bad;
    EXPECT_NE(judge.observe(context.view(), 0, y).find("payoffs[8] = "), std::string::npos);
  }
}

TEST_P(ContextRefusals, ContextsWithoutTheKnowledgeThatIsNeeded) {
  Judge judge(GetParam());
  const MadeContext good = example_context(9);
  const std::string name = PolicySpec::parse(GetParam()).name();
  const Needs needs = policy_info(name).needs;
  Round context = good.view();
  context.baseline = {};
  if (needs.contains(Need::kBaseline)) {
    const std::string said = "context: baseline: is missing, and " + name + " needs to know it";
    EXPECT_EQ(judge.select(context), said);
    EXPECT_EQ(judge.explain(context), said);
  } else {
    EXPECT_EQ(judge.explain(context), "(accepted)");
  }
  context = good.view();
  context.affected = {};
  const std::string said = "context: affected: is missing, and " + name +
                           " needs to know it unless max_affected is given";
  if (GetParam().find("max_affected") != std::string::npos || !needs.contains(Need::kAffected)) {
    EXPECT_EQ(judge.explain(context), "(accepted)");
  } else if (!needs.contains(Need::kBaseline)) {
    EXPECT_EQ(judge.all(context), said);
  } else {
    EXPECT_EQ(judge.select(context), said);
    EXPECT_EQ(judge.explain(context), said);
  }
}

/// Variable 2 has length 1.3.
TEST_P(ContextRefusals, FeaturesLongerThanOneForTheSchedule) {
  Judge judge(GetParam());
  MadeContext context = example_context(9);
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
    EXPECT_EQ(said(name), name +
                              ".beta: missing: give beta (> 0), or delta (in (0, 1)) for the "
                              "theorem's");
    EXPECT_EQ(said(name + "(beta=1, delta=0.1)"),
              name + ".delta = 0.1: give beta or delta, not both");
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
  const MadeContext context = example_context(0);
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
