// Warnings: each where it is due, with something to do, and none where what was declared fits.

#include "monitor/assumption_check.h"

#include <gtest/gtest.h>

#include "service/played_campaign.h"

namespace updraft {
namespace {

using testing::normal;

std::vector<AssumptionWarning> warnings_of(const LiveCampaign& live) {
  return live.monitor().warnings(live.policy(), live.policy().explain(),
                                 {.actions = live.definition().action_names,
                                  .variables = live.definition().variable_names,
                                  .learner = "campaign"});
}

/// A campaign of four actions and 12 variables; action a affects variables 3a to 3a + 2.
std::string body(const std::string& policy, const std::string& knowledge) {
  return R"({"name": "c", "policy": ")" + policy + R"(", "actions": 4, "variables": 12,
             "knowledge": {)" +
         knowledge + "}}";
}
constexpr const char* kSets = R"("affected": [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]])";

constexpr const char* kSetsAndHorizon =
    R"("affected": [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]], "horizon": 1000)";

testing::Pays pays(double sd, double uplift = 1.0) {
  return [=](ActionId action, VariableId variable, std::mt19937_64& random) {
    return normal(random, variable / 3 == action ? uplift : 0.0, sd);
  };
}

TEST(AssumptionChecks, AreNoneWhereWhatWasDeclaredFits) {
  const std::pair<const char*, std::string> fitting[] = {
      {"up_ucb(alpha=1)", kSets},
      {"up_ucb(delta=0.05)", kSetsAndHorizon},
      {"up_ts", kSets},
      {"up_ucb_l(alpha=8)", R"("max_affected": 3)"},
      {"ucb(alpha=1)", ""},
      {"ts(sigma2=0.083)", R"("reward_prior": {"mean": 0, "variance": 9})"}};
  for (const auto& [policy, knowledge] : fitting) {
    LiveCampaign live = testing::campaign_of(body(policy, knowledge));
    testing::play(live, 1000, 1, pays(1.0));
    for (const AssumptionWarning& warning : warnings_of(live))
      ADD_FAILURE() << policy << ": " << warning.message;
  }
}

TEST(AssumptionChecks, NameVariablesOutsideDeclaredSets) {
  LiveCampaign live = testing::campaign_of(R"json({"name": "c", "policy": "up_ucb(alpha=1)",
      "actions": ["mail", "<b>call</b>"], "variables": ["a", "b", "c", "<i>d</i>"],
      "knowledge": {"affected": [["a"], ["b"]], "baseline": [0, 0, 0, 0]}})json");
  testing::play(live, 800, 1, [](ActionId action, VariableId variable, std::mt19937_64& random) {
    return normal(random, action == 1 && (variable == 1 || variable == 3) ? 2.0 : 0.0);
  });
  const std::vector<AssumptionWarning> found = warnings_of(live);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(kind_name(found[0].kind), "outside_declared");
  EXPECT_EQ(found[0].action, 1u);
  EXPECT_TRUE(
      found[0].message.starts_with("Action '<b>call</b>' seems to move 1 variable outside "
                                   "its declared set, most of all '<i>d</i>': +"))
      << found[0].message;
  EXPECT_TRUE(found[0].message.ends_with("against the declared baseline.")) << found[0].message;
  EXPECT_NE(found[0].advice.find("affected sets"), std::string::npos);
}

TEST(AssumptionChecks, CountIdentifiedVariablesAgainstL) {
  LiveCampaign live = testing::campaign_of(body("up_ucb_l(alpha=1)", R"("max_affected": 1)"));
  testing::play(live, 1000, 1, pays(1.0, 5.0));
  const std::vector<AssumptionWarning> found = warnings_of(live);
  ASSERT_FALSE(found.empty());
  for (const AssumptionWarning& warning : found)
    EXPECT_EQ(kind_name(warning.kind), "more_than_declared");
  EXPECT_NE(found[0].message.find("more than the declared L = 1 allows"), std::string::npos);
}

TEST(AssumptionChecks, CountIdentifiedVariablesAgainstTheBoundOfTheirAction) {
  // Actions 1 and 2 move one and three variables.
  const auto found = [](const std::string& bounds) {
    LiveCampaign live = testing::campaign_of(
        R"json({"name": "c", "policy": "up_ucb_l_bl(alpha=8)", "actions": 3, "variables": 4,
        "knowledge": {"baseline": [0, 0, 0, 0], "max_affected": )json" +
        bounds + "}}");
    testing::play(live, 600, 1, [](ActionId action, VariableId variable, std::mt19937_64& random) {
      const bool moved = action == 1 ? variable == 0 : action == 2 && variable > 0;
      return normal(random, moved ? 6.0 : 0.0);
    });
    std::vector<std::optional<ActionId>> actions;
    for (const AssumptionWarning& warning : warnings_of(live)) {
      EXPECT_EQ(kind_name(warning.kind), "more_than_declared");
      actions.push_back(warning.action);
    }
    return actions;
  };
  EXPECT_EQ(found("[0, 1, 3]"), std::vector<std::optional<ActionId>>{});
  EXPECT_EQ(found("[3, 3, 1]"), std::vector<std::optional<ActionId>>{2});
  EXPECT_EQ(found("[3, 0, 3]"), std::vector<std::optional<ActionId>>{1});
}

/// The message of the only warning, which is of the scale.
std::string scale(const std::string& policy, const std::string& knowledge, double sd,
                  int rounds = 300) {
  LiveCampaign live = testing::campaign_of(body(policy, knowledge));
  testing::play(live, rounds, 1, pays(sd, sd));
  const std::vector<AssumptionWarning> found = warnings_of(live);
  if (found.size() != 1) return std::to_string(found.size()) + " warnings";
  EXPECT_EQ(kind_name(found[0].kind), "scale");
  EXPECT_NE(found[0].advice.find("Make a new campaign"), std::string::npos);
  return found[0].message;
}

bool says(const std::string& message, std::string_view text) {
  return message.find(text) != std::string::npos;
}

TEST(AssumptionChecks, CompareRadiiWithErrors) {
  EXPECT_TRUE(
      says(scale("up_ucb(alpha=1)", kSets, 0.01),
           "for which alpha = 1 is large: the policy's radii are 1.4e+02 times the errors of"));
  EXPECT_TRUE(says(scale("up_ucb(alpha=1)", kSets, 100),
                   "for which alpha = 1 is small: the policy's radii are 0.02"));
  EXPECT_TRUE(says(scale("ucb(alpha=1)", "", 100), "alpha = 1 is small"));
  EXPECT_TRUE(says(scale("ucb(alpha=1)", "", 0.01), "alpha = 1 is large"));
  EXPECT_EQ(scale("up_ucb(alpha=1)", kSets, 10), "0 warnings");
  EXPECT_EQ(scale("up_ucb(alpha=1)", kSets, 0.1), "0 warnings");
  EXPECT_EQ(scale("up_ucb(alpha=1)", kSets, 100, 20), "0 warnings");  // too early
}

TEST(AssumptionChecks, SayByHowMuchPayoffsAreOff) {
  LiveCampaign live = testing::campaign_of(body("up_ucb(alpha=1)", kSets));
  testing::play(live, 300, 1, pays(0.01, 0.01));
  // A radius of 1.4 for a standard deviation of 0.01 is 141 of them, 5 are good.
  EXPECT_TRUE(says(warnings_of(live).at(0).advice,
                   "payoffs multiplied by 3e+01, or with an alpha of about 0.001."))
      << warnings_of(live).at(0).advice;
}

TEST(AssumptionChecks, CompareTheScaleWithTheUnitOfDelta) {
  EXPECT_TRUE(says(scale("up_ucb(delta=0.05)", kSetsAndHorizon, 5), "takes it to be at most 1"));
  EXPECT_TRUE(
      says(scale("up_ucb(delta=0.05)", kSetsAndHorizon, 0.01), "which delta stands for, is large"));
}

// The values that the paper's experiments found best.
TEST(AssumptionChecks, AreNoneForTheBestValuesOnCriteo) {
  constexpr int kVariables = 2000;
  std::string sets = R"("affected": [)";
  for (int action = 0; action < 4; ++action) {
    sets += action == 0 ? "[" : ", [";
    for (int i = 0; i < 200; ++i) sets += (i > 0 ? "," : "") + std::to_string(200 * action + i);
    sets += "]";
  }
  sets += "]";
  const std::pair<const char*, std::string> best[] = {
      {"ucb(alpha=7e-7)", ""},
      {"up_ucb(alpha=8e-5)", sets},
      {"up_ucb_l(alpha=5e-7)", R"("max_affected": 200)"}};
  for (const auto& [policy, knowledge] : best) {
    LiveCampaign live = testing::campaign_of(
        R"({"name": "c", "policy": ")" + std::string(policy) + R"(", "actions": 4, "variables": )" +
        std::to_string(kVariables) + R"(, "knowledge": {)" + knowledge + "}}");
    testing::play(live, 200, 1, [](ActionId, VariableId, std::mt19937_64& random) {
      return testing::coin(random, 0.002);
    });
    for (const AssumptionWarning& warning : warnings_of(live)) {
      if (warning.kind == AssumptionWarning::Kind::kScale)
        ADD_FAILURE() << policy << ": " << warning.message;
    }
  }
}

TEST(AssumptionChecks, BlameTheActionThatStandsOut) {
  LiveCampaign live = testing::campaign_of(body("up_ucb(alpha=1)", kSets));
  testing::play(live, 3000, 1, [](ActionId action, VariableId variable, std::mt19937_64& random) {
    const double declared = variable / 3 == action ? 1.0 + 0.2 * action : 0.0;
    return normal(random, declared + (action == 3 && variable == 0 ? 2.0 : 0.0));
  });
  const std::vector<AssumptionWarning> found = warnings_of(live);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].action, 3u);
  EXPECT_TRUE(says(found[0].advice, "drift in time")) << found[0].advice;
}

TEST(AssumptionChecks, SayNothingOfSetsThatThePolicyDoesNotUse) {
  LiveCampaign live = testing::campaign_of(body("ucb(alpha=1)", kSets));
  testing::play(live, 1000, 1, [](ActionId action, VariableId variable, std::mt19937_64& random) {
    return normal(random, action == 1 && variable == 0 ? 5.0 : 0.0);
  });
  EXPECT_TRUE(warnings_of(live).empty());
}

TEST(AssumptionChecks, CompareTheScaleWithPriors) {
  EXPECT_NE(scale("ts(sigma2=100)", R"("reward_prior": {"mean": 0, "variance": 9})", 1.0)
                .find("Rewards vary with a variance of"),
            std::string::npos);
  EXPECT_NE(scale("ts(sigma2=0.083)", R"("reward_prior": {"mean": 50, "variance": 1})", 1.0)
                .find("Action 0 has a mean reward"),
            std::string::npos);
}

}  // namespace
}  // namespace updraft
