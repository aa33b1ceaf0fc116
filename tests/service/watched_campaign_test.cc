// What people see of a campaign: report, history, variables and words.

#include <gtest/gtest.h>

#include <cmath>

#include "played_campaign.h"
#include "service/campaign_report.h"
#include "service/knowledge_summary.h"
#include "service/variable_page.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::campaign_of;
using testing::refusal;

constexpr const char* kShop = R"json({"name": "shop", "policy": "up_ucb(alpha=1)",
    "actions": ["mail", "call"], "variables": ["Ann", "Bob", "Anton", "Eve"], "wait": 60,
    "knowledge": {"affected": [["Ann"], ["Bob", "Anton"]]}})json";

LiveCampaign shop(int rounds = 50) {
  LiveCampaign live = campaign_of(kShop);
  testing::play(live, rounds, 1, [](ActionId action, VariableId i, std::mt19937_64& random) {
    return testing::normal(random, action == 1 && (i == 1 || i == 2) ? 2.0 : 0.0);
  });
  return live;
}

LiveCampaign targeted() {
  LiveCampaign live = campaign_of(R"json({"name": "mail", "policy": "greedy", "treatments": 2,
      "budget": 1, "features": 1})json");
  for (int round = 0; round < 20; ++round) {
    const std::string id = "r" + std::to_string(round);
    live.decide({.id = id, .features = {0.1, 0.5, 0.9}, .baseline = {}}, round);
    live.pay(id, testing::dense_part({1.0, 0.0, 1.0}), round);
  }
  return live;
}

TEST(Report, SaysWhatADecisionAboutAPoolMustBring) {
  const auto needs = [](const std::string& policy) {
    return campaign_report(campaign_of(R"({"name": "mail", "policy": ")" + policy +
                                       R"(", "treatments": 2, "budget": 1, "features": 1})"),
                           true)
        .at("decision_needs");
  };
  EXPECT_EQ(needs("greedy"), json::array());
  EXPECT_EQ(needs("greedy_bl"), json({"baseline"}));
  EXPECT_FALSE(campaign_report(shop(), true).contains("decision_needs"));
}

TEST(Report, SaysWhatWasChosenEstimatedAndKnown) {
  const LiveCampaign live = shop();
  const json report = campaign_report(live, false);
  EXPECT_EQ(report["lost"], "skip");
  EXPECT_EQ(report["last_event_ms"], 99);
  EXPECT_EQ(report["oldest_outstanding_ms"], nullptr);
  EXPECT_EQ(report["wait"], 60.0);
  EXPECT_EQ(report["quantity"], "uplift");
  EXPECT_EQ(report["interval_text"], "the policy's confidence bounds");
  EXPECT_TRUE(report["warnings"].is_array());
  ASSERT_EQ(report["actions"].size(), 2u);
  const json& call = report["actions"][1];
  EXPECT_EQ(call["name"], "call");
  EXPECT_EQ(call["decided"], live.policy().pulls(1));
  EXPECT_DOUBLE_EQ(call["share"], static_cast<double>(live.policy().pulls(1)) / 50.0);
  EXPECT_DOUBLE_EQ(call["estimate"], *live.policy().explain().actions[1].uplift);
  EXPECT_LT(call["low"].get<double>(), call["estimate"].get<double>());
  EXPECT_GT(call["high"].get<double>(), call["estimate"].get<double>());
  EXPECT_EQ(call["declared_count"], 2);
  EXPECT_EQ(report["payoffs"]["rounds"], 50);
  EXPECT_NEAR(report["payoffs"]["sd"].get<double>(), 1.0, 0.2);
  EXPECT_EQ(report["definition"]["name"], "shop");
}

TEST(Report, IntervalsOfTreatmentsAreThoseOfAMean) {
  const CampaignDefinition definition = parse_definition(
      R"json({"name": "m", "policy": "greedy", "treatments": 1, "budget": 1, "features": 1})json");
  CampaignMonitor monitor(definition, nullptr);
  Decided decided;
  decided.treatments = {0, 0, 1, 0, 0};
  monitor.observed(decided, Payoffs::dense(std::vector<double>{0, 1, 9, 2, 5}));
  const std::vector<IntervalEstimate> means = monitor.monitor().mean_payoffs();
  ASSERT_EQ(means.size(), 2u);
  // Untreated: mean 2, squares about it 4 + 1 + 0 + 9 over three degrees of freedom.
  EXPECT_DOUBLE_EQ(*means[0].value, 2.0);
  const double reach = 1.959963984540054 * std::sqrt(14.0 / 3.0 / 4.0);
  EXPECT_NEAR(means[0].interval->low, 2.0 - reach, 1e-12);
  EXPECT_NEAR(means[0].interval->high, 2.0 + reach, 1e-12);
  EXPECT_EQ(means[1].value, 9.0);
  EXPECT_FALSE(means[1].interval) << "of one payoff";
}

/// Three actions that all move both variables, by 10, 20 and 30 in all, over 750: no control.
LiveCampaign no_control(const std::string& policy) {
  LiveCampaign live = campaign_of(R"json({"name": "c", "policy": ")json" + policy + R"json(",
      "actions": ["news", "call", "mail"], "variables": ["tea", "coffee"],
      "knowledge": {"affected": [[0, 1], [0, 1], [0, 1]]}})json");
  testing::play(live, 60, 1, [](ActionId action, VariableId, std::mt19937_64& random) {
    return testing::normal(random, 375.0 + 5.0 * (1.0 + action));
  });
  return live;
}

TEST(Report, OfActionsWithoutControlHasDifferencesInPlaceOfUplifts) {
  for (const char* policy : {"up_ts", "up_ucb(alpha=1)"}) {
    SCOPED_TRACE(policy);
    const LiveCampaign live = no_control(policy);
    const json report = campaign_report(live, true);
    EXPECT_EQ(report["quantity"], "difference");
    EXPECT_EQ(report["reference_action"], 0);
    EXPECT_EQ(report["reference_text"], "news");
    EXPECT_EQ(report["quantity_text"],
              "The difference of an action is how much more all variables together pay when it is "
              "taken than when news is. Every action affects 2 variables, so no round shows what "
              "they pay when nothing is done, and uplifts over that cannot be known.");
    for (ActionId a = 0; a < 3; ++a) {
      const json& row = report["actions"][a];
      for (const char* field : {"uplift", "standard_error", "interval"}) {
        EXPECT_EQ(row[field], nullptr) << field;
      }
      EXPECT_NEAR(row["reward"].get<double>(), 760.0 + 10.0 * a, 5.0);
      EXPECT_NEAR(row["estimate"].get<double>(), 10.0 * a, 7.0);
      EXPECT_EQ(row["estimate"], row["difference"]["estimate"]);
      EXPECT_EQ(row["low"], row["difference"]["interval"][0]);
      EXPECT_EQ(row["high"], row["difference"]["interval"][1]);
      EXPECT_EQ(row["difference"]["standard_error"].is_number(), policy == std::string("up_ts"));
    }
    EXPECT_EQ(report["actions"][0]["high"], 0.0);
    const json history = campaign_history(live);
    EXPECT_EQ(history["quantity"], "difference");
    ASSERT_EQ(history["reference_action"].size(), history["decided"].size());
    EXPECT_EQ(history["reference_action"].back(), 0);
    EXPECT_EQ(history["actions"][0]["estimate"].back(), 0.0);
    EXPECT_NEAR(history["actions"][2]["estimate"].back().get<double>(), 20.0, 7.0);
  }
}

TEST(Report, SaysThatTheReferenceMoves) {
  LiveCampaign live = campaign_of(R"json({"name": "c", "policy": "up_ucb_l(alpha=0.1)",
      "actions": 2, "variables": 3, "knowledge": {"max_affected": 1}})json");
  testing::play(live, 30, 1, [](ActionId action, VariableId i, std::mt19937_64& random) {
    return testing::normal(random, action == 1 && i == 0 ? 5.0 : 0.0);
  });
  const json report = campaign_report(live, true);
  EXPECT_EQ(report["quantity"], "difference");
  EXPECT_EQ(report["reference_action"], 1);
  EXPECT_EQ(report["reference_text"], "the action with most payoffs so far");
  EXPECT_EQ(report["actions"][1]["estimate"], 0.0);
  EXPECT_EQ(report["actions"][0]["uplift"], nullptr);
  EXPECT_NEAR(report["actions"][0]["estimate"].get<double>(), -5.0, 1.5);
}

TEST(Report, OfUpliftsNamesNoReference) {
  const json report = campaign_report(shop(), true);
  EXPECT_EQ(report["quantity_text"],
            "The uplift of an action is how much more all variables together pay when it is taken "
            "than when nothing is done.");
  EXPECT_FALSE(report.contains("reference_text"));
  EXPECT_FALSE(campaign_history(shop()).contains("reference_action"));
  // Differences are there besides.
  EXPECT_EQ(report["actions"][0]["difference"]["estimate"], 0.0);
}

TEST(Report, BeforeAnythingCame) {
  const json report = campaign_report(campaign_of(kShop), true);
  EXPECT_EQ(report["last_event_ms"], nullptr);
  EXPECT_EQ(report["history_version"], 0);
  EXPECT_EQ(report["payoffs"]["mean"], nullptr);
  for (const char* field : {"share", "estimate", "low", "high", "index"}) {
    EXPECT_EQ(report["actions"][0][field], nullptr) << field;
  }
}

TEST(Report, IsSmallWithCountsHoweverManyVariables) {
  std::string names;
  for (int j = 0; j < 100'000; ++j)
    names += (j > 0 ? "," : "") + ("\"n" + std::to_string(j)) + "\"";
  LiveCampaign live = campaign_of(R"json({"name": "c", "policy": "up_ucb_l(alpha=0.0001)",
      "actions": 3, "knowledge": {"max_affected": 100000}, "variables": [)json" +
                                  names + "]}");
  testing::play(live, 6, 1, [](ActionId action, VariableId i, std::mt19937_64&) {
    return i % 3 == action ? 1.0 : 0.0;
  });
  const json counted = campaign_report(live, true);
  EXPECT_GT(counted["actions"][1]["identified_count"].get<int>(), 1000);
  EXPECT_LT(counted.dump().size(), 5000u);
  EXPECT_FALSE(counted.contains("definition"));
  const json whole = campaign_report(live, false);
  EXPECT_EQ(whole["actions"][1]["identified"].size(),
            counted["actions"][1]["identified_count"].get<std::size_t>());
}

TEST(Report, OfTargetedCampaignsHasMeansPerTreatment) {
  const LiveCampaign live = targeted();
  const json report = campaign_report(live, true);
  EXPECT_EQ(report["quantity"], "payoff");
  ASSERT_EQ(report["treated"].size(), 3u);
  double share = 0.0;
  std::uint64_t paid = 0;
  double sum = 0.0;
  for (const json& row : report["treated"]) {
    share += row["share"].get<double>();
    paid += row["paid"].get<std::uint64_t>();
    if (!row["estimate"].is_null()) {
      sum += row["estimate"].get<double>() * row["paid"].get<double>();
    }
  }
  EXPECT_NEAR(share, 1.0, 1e-12);
  EXPECT_EQ(paid, 60u);
  EXPECT_NEAR(sum, 40.0, 1e-9);
  LiveCampaign restored = LiveCampaign(std::make_shared<CampaignDefinition>(live.definition()));
  restored.restore(live.snapshot());
  EXPECT_EQ(campaign_report(restored, true), report);
}

TEST(Report, CountsLatePayoffs) {
  LiveCampaign live = campaign_of(kShop);
  live.decide({.id = "a", .features = {}, .baseline = {}}, 0);
  live.decide({.id = "b", .features = {}, .baseline = {}}, 50'000);
  EXPECT_EQ(live.oldest_outstanding_ms(), 0);
  ASSERT_TRUE(live.lose(60'000));
  EXPECT_EQ(live.counts().lost, 1u);
  EXPECT_EQ(live.oldest_outstanding_ms(), 50'000);
  live.pay("a", testing::dense_part({0, 0, 0, 0}), 70'000);
  const json decisions = campaign_report(live, true)["decisions"];
  EXPECT_EQ(decisions["late"], 1);
  EXPECT_EQ(decisions["lost"], 0);
  EXPECT_EQ(decisions["complete"], 1);
}

TEST(History, HasAColumnPerAction) {
  const LiveCampaign live = shop();
  const json history = campaign_history(live);
  EXPECT_EQ(history["version"], 100);
  EXPECT_EQ(campaign_report(live, true)["history_version"], history["version"]);
  ASSERT_EQ(history["decided"].size(), 100u);
  EXPECT_EQ(history["decided"].back(), 50);
  EXPECT_EQ(history["complete"].back(), 50);
  ASSERT_EQ(history["actions"].size(), 2u);
  const json& call = history["actions"][1];
  EXPECT_EQ(call["name"], "call");
  EXPECT_EQ(call["decided"].back(), live.policy().pulls(1));
  EXPECT_NEAR(call["estimate"].back().get<double>(), *live.policy().explain().actions[1].uplift,
              1e-4);
  EXPECT_EQ(call["estimate"][0], nullptr);  // nothing had come
  EXPECT_EQ(call["high"].size(), 100u);
}

TEST(Told, SaysItInWords) {
  EXPECT_EQ(knowledge_summary(parse_definition(kShop)),
            (std::vector<std::string>{
                "up_ucb(alpha=1): UCB on the uplift; affected sets known, baseline learnt on the "
                "way.",
                "It chooses among 2 actions and looks at 4 variables.",
                "It was told which variables each action affects (1 to 2 variables an action).",
                "A decision whose payoffs are not complete after 60 seconds counts as lost: "
                "nothing is learnt from it unless they come after all."}));
  EXPECT_EQ(knowledge_summary(parse_definition(
                R"({"name": "c", "policy": "up_ts", "actions": 2, "variables": 3,
                    "knowledge": {"affected": [[0, 2], [1, 2]]}})"))[3],
            "All actions affect 1 variable, so nothing tells what would happen there without any: "
            "uplifts cannot be known, differences between actions can.");
  const auto sentences = knowledge_summary(parse_definition(
      R"json({"name": "c", "policy": "up_ucb_l(alpha=1)", "actions": 1, "variables": 10,
          "knowledge": {"max_affected": 3, "horizon": 5}, "lost": "zeros", "wait": 1})json"));
  EXPECT_EQ(sentences[2], "It was told that an action affects at most L = 3 variables.");
  EXPECT_EQ(sentences[3], "It makes no use of this: that there will be 5 decisions.");
  EXPECT_NE(sentences[4].find("payoffs of 0 are learnt from"), std::string::npos);
  const auto deltas = knowledge_summary(parse_definition(
      R"json({"name": "c", "policy": "up_ucb_ilift(alpha=1)", "actions": 2, "variables": 10,
          "knowledge": {"min_uplift": 0.5, "effect_gap": 0.25, "horizon": 5}})json"));
  EXPECT_EQ(
      deltas[2],
      "It was told that the effects of two actions on a variable that one of them affects are "
      "at least 0.25 apart.");
  EXPECT_NE(
      std::find(deltas.begin(), deltas.end(),
                "It makes no use of this: that an action moves each variable it affects by at "
                "least 0.5."),
      deltas.end());
  const auto careful = knowledge_summary(parse_definition(
      R"json({"name": "c", "policy": "auto(delta=0.05)", "actions": 2, "variables": 10,
          "knowledge": {"horizon": 5}})json"));
  EXPECT_EQ(careful[0].substr(0, 16), "ucb(delta=0.05):");
  EXPECT_EQ(careful[3],
            "Its alpha follows from delta and the horizon: it holds for the worst noise, and can "
            "cost a hundred times the regret of a policy that learns the noise.");
  EXPECT_EQ(
      knowledge_summary(targeted().definition())[1],
      "Of each pool it may treat 1 individual, with one of 2 treatments, by 1 feature of each.");
}

json page(const LiveCampaign& live, const Query& query, const std::string& action = "1") {
  return variable_page(live, parse_variable_query(action, query, live.definition()));
}

std::vector<std::string> names(const json& page) {
  std::vector<std::string> out;
  for (const json& row : page["variables"]) out.push_back(row["name"]);
  return out;
}

TEST(Variables, AreShownSearchedAndPaged) {
  const LiveCampaign live = shop(2000);
  EXPECT_EQ(names(page(live, {})), (std::vector<std::string>{"Bob", "Anton"}));
  EXPECT_EQ(names(page(live, {{"show", "all"}, {"search", "an"}})),
            (std::vector<std::string>{"Ann", "Anton"}));
  const json second = page(live, {{"show", "all"}, {"from", "2"}, {"count", "1"}});
  EXPECT_EQ(names(second), (std::vector<std::string>{"Anton"}));
  EXPECT_EQ(second["total"], 4);
  EXPECT_EQ(page(live, {{"show", "surprising"}})["total"], 0);
  EXPECT_EQ(page(live, {{"show", "padding"}})["total"], 0);
  const json bob = page(live, {{"search", "bob"}})["variables"][0];
  EXPECT_EQ(bob["affected"], "declared");
  EXPECT_NEAR(bob["uplift"].get<double>(), 2.0, 0.7);
  EXPECT_EQ(bob["difference"], nullptr);
  EXPECT_EQ(bob["surprising"], false);
  EXPECT_LT(bob["low"].get<double>(), bob["uplift"].get<double>());
}

TEST(Variables, OfUnknownSetsAreIdentified) {
  LiveCampaign live =
      campaign_of(R"json({"name": "c", "policy": "up_ucb_l(alpha=0.5)", "actions": 2,
      "variables": 300, "knowledge": {"max_affected": 4}})json");
  testing::play(live, 400, 1, [](ActionId action, VariableId i, std::mt19937_64& random) {
    return testing::normal(random, action == 1 && i >= 290 && i < 293 ? 4.0 : 0.0);
  });
  // Action 1 is the best, so that it plays baseline, and action 0 differs from it.
  const json shown = page(live, {}, "0");
  const auto identified = live.policy().explain().actions[0].identified->ids();
  ASSERT_EQ(shown["total"], identified.size());
  ASSERT_FALSE(identified.empty());
  EXPECT_EQ(shown["variables"][0]["variable"], identified[0]);
  EXPECT_EQ(shown["variables"][0]["affected"], "identified");
  EXPECT_FALSE(shown.contains("against"));
  EXPECT_EQ(shown["difference_to"], "all other actions");
  EXPECT_EQ(shown["variables"][0]["uplift"], nullptr);
  EXPECT_EQ(shown["variables"][0]["baseline"], nullptr);
  EXPECT_TRUE(shown["variables"][0]["difference"].is_number());
  EXPECT_EQ(page(live, {{"show", "all"}, {"search", "29"}})["total"], 13);  // 29, 129, 229, 290-299
}

TEST(Variables, OfSegmentsSayHowLikelyTheyAreMoved) {
  LiveCampaign live =
      campaign_of(R"json({"name": "c", "policy": "up_ts_sparse", "actions": 3, "variables": 6,
      "knowledge": {"segments": ["x", "y", "z", "x", "y", "z"]}})json");
  testing::play(live, 120, 1, [](ActionId action, VariableId i, std::mt19937_64& random) {
    return testing::normal(random, action == 1 && i % 3 == 2 ? 4.0 : 0.0);
  });
  const std::vector<double> inclusion = *live.policy().explain().actions[1].inclusion;
  const json shown = page(live, {{"show", "all"}}, "1");
  for (VariableId i = 0; i < 6; ++i) {
    const json& row = shown["variables"][i];
    EXPECT_EQ(row["inclusion"], inclusion[i % 3]);
    EXPECT_EQ(row["affected"], i % 3 == 2 ? json("identified") : json(nullptr)) << i;
  }
  EXPECT_GE(inclusion[2], 0.9);
  EXPECT_LT(inclusion[0], 0.9);
  EXPECT_EQ(page(shop(20), {})["variables"][0]["inclusion"], nullptr);
}

TEST(Variables, ThatEveryActionAffectsHaveDifferences) {
  const LiveCampaign live = no_control("up_ts");
  const json shown = page(live, {}, "2");
  EXPECT_FALSE(shown.contains("against"));
  EXPECT_EQ(shown["difference_to"], "news");
  for (const json& row : shown["variables"]) {
    EXPECT_EQ(row["uplift"], nullptr);
    EXPECT_EQ(row["baseline"], nullptr);
    EXPECT_NEAR(row["mean"].get<double>(), 390.0, 2.0);
    EXPECT_NEAR(row["difference"].get<double>(), 10.0, 3.0);
    EXPECT_LT(row["low"].get<double>(), row["difference"].get<double>());
    EXPECT_GT(row["high"].get<double>(), row["difference"].get<double>());
    EXPECT_EQ(row["surprising"], false);
  }
  EXPECT_EQ(page(live, {}, "0")["variables"][0]["difference"], 0.0);
}

TEST(Variables, RefuseQuestionsThatCannotBe) {
  const LiveCampaign live = shop(1);
  EXPECT_EQ(refusal([&] { page(live, {}, "2"); }),
            "action = 2: must be a whole number from 0 to 1");
  EXPECT_EQ(refusal([&] { page(live, {}, "mail"); }),
            "action = mail: must be a whole number from 0 to 1");
  EXPECT_EQ(refusal([&] {
              page(live, {{"count", "0"}});
            }),
            "count = 0: must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal([&] {
              page(live, {{"from", "-1"}});
            }),
            "from = -1: must be a whole number from 0 to 4");
  EXPECT_EQ(refusal([&] {
              page(live, {{"show", "al"}});
            }),
            "show = al: unknown; did you mean all? Valid: affected, padding, surprising, all");
  EXPECT_EQ(refusal([&] {
              page(live, {{"shwo", "all"}});
            }),
            "query = shwo: unknown; did you mean show? Valid: show, search, from, count");
  EXPECT_EQ(refusal([&] {
              page(live, {{"show", "all"}, {"show", "all"}});
            }),
            "show = all: must be given once");
  EXPECT_NE(refusal([&] {
              page(live, {{"search", std::string(201, 'x')}});
            }).find("must have at most 200 bytes"),
            std::string::npos);
  EXPECT_NE(refusal([&] { page(targeted(), {}, "0"); }).find("targeted campaigns"),
            std::string::npos);
  EXPECT_EQ(refusal([&] {
              parse_sets_query({{"sets", "all"}});
            }),
            "sets = all: unknown; did you mean count? Valid: count");
}

}  // namespace
}  // namespace updraft
