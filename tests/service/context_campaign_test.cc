// Campaigns with contexts: what is taken, what is refused, that decisions are the library's, and
// what the report says of them.

#include <gtest/gtest.h>

#include <cmath>

#include "service/campaign_report.h"
#include "support/refusal.h"
#include "support/rounds.h"
#include "updraft/context_environment.h"
#include "updraft/monitor.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::refusal;

CampaignDefinition defined(const std::string& policy, const std::string& more = "") {
  return parse_definition(R"({"name": "week", "policy": ")" + policy +
                          R"(", "actions": ["news", "discount"], "features": 2)" + more + "}");
}

LiveCampaign live_of(CampaignDefinition definition) {
  return LiveCampaign(std::make_shared<CampaignDefinition>(std::move(definition)));
}

const std::string kFixed = R"(, "variables": ["coffee", "tea", "bread"],
    "knowledge": {"affected": [["coffee"], [1, 2]], "baseline": [1, 0, 0.5]})";

// Definitions.

TEST(ContextDefinition, ReadsActionsAndFeatures) {
  const CampaignDefinition campaign = parse_definition(
      R"json({"name": "w", "policy": "lin_up_ucb(beta=1)", "actions": 3, "features": ["price", "age"]})json");
  EXPECT_EQ(campaign.contexts, (ContextualShape{.features = 2, .actions = 3}));
  EXPECT_EQ(campaign.feature_names, (std::vector<std::string>{"price", "age"}));
  EXPECT_FALSE(campaign.knowledge);
  EXPECT_FALSE(campaign.shape);
  EXPECT_EQ(campaign.canonical,
            R"({"actions":3,"features":["price","age"],"lost":"skip","name":"w",)"
            R"json("policy":"lin_up_ucb(beta=1)","seed":1})json");
  EXPECT_EQ(parse_definition(campaign.canonical).canonical, campaign.canonical);
}

TEST(ContextDefinition, ReadsVariablesThatStayTheSame) {
  const CampaignDefinition campaign = defined("lin_up_ucb(beta=1)", kFixed);
  ASSERT_TRUE(campaign.knowledge);
  EXPECT_EQ(campaign.knowledge->variables(), 3u);
  EXPECT_EQ(campaign.knowledge->affected()->of(1), VariableSet::from_ids({1, 2}));
  EXPECT_EQ(*campaign.knowledge->baseline(), (std::vector<double>{1, 0, 0.5}));
  EXPECT_EQ(parse_definition(campaign.canonical).canonical, campaign.canonical);
}

TEST(ContextDefinition, RefusesWhatCannotBe) {
  const auto refused = [](const std::string& policy, const std::string& more = "") {
    return refusal([&] { defined(policy, more); });
  };
  EXPECT_EQ(refused("lin_up_ucb"),
            "policy = lin_up_ucb: lin_up_ucb.beta: missing: give beta (> 0), or delta (in (0, 1)) "
            "for the theorem's");
  EXPECT_EQ(refused("lin_ucb(beta=1)", R"(, "budget": 3)"),
            "budget: cannot be used with the policy lin_ucb, which takes actions and features, and "
            "variables and knowledge if they do not change");
  EXPECT_EQ(refused("lin_ucb(beta=1)", R"(, "knowledge": {"baseline": [1]})"),
            "knowledge: is about variables that are the same in every round: give variables, or "
            "baseline and affected with each decision");
  EXPECT_EQ(
      refused("lin_ucb(beta=1)", R"(, "variables": 2, "knowledge": {"horizon": 9})"),
      "key of knowledge = horizon: unknown; did you mean baseline? Valid: baseline, affected");
  EXPECT_EQ(
      refusal([] {
        parse_definition(
            R"json({"name": "w", "policy": "lin_ucb(beta=1)", "actions": 2, "features": ["a", "a"]})json");
      }),
      "features[1] = a: is repeated; names must be distinct");
  EXPECT_EQ(
      refusal([] {
        parse_definition(R"json({"name": "w", "policy": "lin_ucb(beta=1)", "actions": 2})json");
      }),
      "features: is missing");
  EXPECT_EQ(
      refusal([] {
        parse_definition(
            R"json({"name": "w", "policy": "lin_ucb(beta=1)", "actions": 100, "features": 1000})json");
      }),
      "features = 1000: squared, times 100 actions and none, must be at most 100000000");
}

// Requests.

TEST(ContextRequest, ReadsContextBaselineAndSets) {
  const DecisionRequest request =
      parse_decision(R"({"decision": "a", "context": [[1, 2], [3, 4.5], [0, -1]],
                         "baseline": [1, 2, 3], "affected": [[2, 0], []]})",
                     defined("lin_up_ucb_bl(beta=1)"));
  EXPECT_EQ(request.features, (std::vector<double>{1, 2, 3, 4.5, 0, -1}));
  EXPECT_EQ(request.baseline, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(request.affected,
            (std::vector<VariableSet>{VariableSet::from_ids({0, 2}), VariableSet()}));
  EXPECT_TRUE(
      parse_decision(R"({"context": [[1, 2]]})", defined("lin_ucb(beta=1)")).affected.empty());
  EXPECT_TRUE(
      parse_decision(R"({"context": [[1, 2]]})", defined("lin_up_ucb(beta=1, max_affected=1)"))
          .affected.empty());
}

TEST(ContextRequest, ReadsNamesOfVariables) {
  const DecisionRequest request = parse_decision(
      R"({"context": [[1, 2], [3, 4], [5, 6]], "affected": [["tea", 0], ["bread"]]})",
      defined("lin_up_ucb(beta=1)", kFixed));
  EXPECT_EQ(request.affected,
            (std::vector<VariableSet>{VariableSet::from_ids({0, 1}), VariableSet::from_ids({2})}));
}

TEST(ContextRequest, RefusesWithFieldValueAndRule) {
  const auto refused = [](const std::string& body, const std::string& policy = "lin_up_ucb(beta=1)",
                          const std::string& more = "", const RequestLimits& limits = {}) {
    return refusal([&] { parse_decision(body, defined(policy, more), limits); });
  };
  const std::string rows = R"("context": [[1, 2], [3, 4]])";
  EXPECT_EQ(refused("{}"),
            "context: is missing; a contextual policy needs a row of features per variable");
  EXPECT_EQ(refused(R"({"context": []})"), "context = 0 rows: must have at least 1");
  EXPECT_EQ(refused(R"({"context": 3})"), "context: must be a list with a row per variable");
  EXPECT_EQ(refused(R"({"context": [1, 2]})"),
            "context[0]: must be a list of numbers, the features of a variable");
  EXPECT_EQ(refused(R"({"context": [[1, 2], [3]]})"),
            "context[1] = 1 numbers: must have one for each of the 2 features");
  EXPECT_EQ(refused(R"({"context": [[1, 2], [3, 4, 5]]})"),
            "context[1] = 3 numbers: must have one for each of the 2 features");
  EXPECT_EQ(refused(R"({"context": [[1, 2], [3, "x"]]})"),
            "context[1][1]: must be a number, not a string");
  EXPECT_EQ(refused(R"({"context": [[1, 2], [3, null]]})"),
            "context[1][1]: must be a number, not null");
  EXPECT_EQ(refused(R"({"context": [[1, 2], [3, -2e100]]})"),
            "context[1][1] = -2e+100: must have an absolute value of at most 1e100");
  EXPECT_EQ(refused("{" + rows + "}", "lin_up_ucb(beta=1)", "", {.pool_rows = 1}),
            "context = 2 rows: must have at most 1");
  EXPECT_EQ(refused("{" + rows + "}", "lin_up_ucb(beta=1)", "", {.row_work = 2 * 4 * 3 - 1}),
            "context = 2 rows: must have at most 1: each takes 12 multiplications");
  EXPECT_EQ(refused("{" + rows + "}"),
            "affected: is missing; lin_up_ucb needs a list of variables per action, or "
            "max_affected in place of all lists");
  EXPECT_EQ(refused("{" + rows + R"(, "affected": [[0], [1]]})", "lin_up_ucb_bl(beta=1)"),
            "baseline: is missing; lin_up_ucb_bl needs one number per row of the context");
  EXPECT_EQ(refused("{" + rows + R"(, "affected": [[0], [1]], "baseline": [1]})"),
            "baseline = 1 numbers: must have one for each of the 2 rows of the context");
  EXPECT_EQ(refused("{" + rows + R"(, "affected": [[0], [1]], "baseline": [1, 1e101]})"),
            "baseline[1] = 1e+101: must have an absolute value of at most 1e100");
  const auto sets = [&](const std::string& affected) {
    return refused("{" + rows + R"(, "affected": )" + affected + "}");
  };
  EXPECT_EQ(sets("5"), "affected: must be a list with a list of variables per action");
  EXPECT_EQ(sets("[]"), "affected = 0 lists: must have one for each of the 2 actions");
  EXPECT_EQ(sets("[0, 1]"), "affected[0]: must be a list of variables");
  EXPECT_EQ(sets("[[0]]"), "affected = 1 lists: must have one for each of the 2 actions");
  EXPECT_EQ(sets("[[0], [2]]"), "affected[1][0] = 2: must be a whole number from 0 to 1");
  EXPECT_EQ(sets("[[0], [-1]]"), "affected[1][0] = -1: must be a whole number from 0 to 1");
  EXPECT_EQ(sets("[[0], [0, 0.5]]"), "affected[1][1] = 0.5: must be a whole number from 0 to 1");
  EXPECT_EQ(sets("[[0, 0], []]"), "affected[0] = 0: is repeated; ids must be distinct");
  EXPECT_EQ(sets(R"([["tea"], []])"),
            "affected[0][0] = tea: must be a number: the variables of this campaign have no names");
  EXPECT_EQ(refused(R"({"pool": [[1, 2]]})"),
            "key = pool: unknown; did you mean context? Valid: decision, context, baseline, "
            "affected, allowed");
  EXPECT_EQ(refused("{" + rows + "}", "lin_up_ucb(beta=1)", kFixed),
            "context = 2 rows: must have one for each of the 3 variables");
}

TEST(ContextRequest, PayoffsGoByNameOnlyIfVariablesHaveNames) {
  const std::string body = R"({"payoffs": {"tea": 2}})";
  EXPECT_EQ(parse_payoffs(body, defined("lin_ucb(beta=1)", kFixed)).ids,
            (std::vector<VariableId>{1}));
  EXPECT_EQ(refusal([&] { parse_payoffs(body, defined("lin_ucb(beta=1)")); }),
            "payoffs: must be a list: the variables of this campaign have no names; or give "
            "indices and values");
}

// Decisions.

/// Three variables in a context of its own.
DecisionRequest asked(std::string id, double x) {
  return {.id = std::move(id),
          .features = {x, 0.5, 1 - x, x, 0.25, 0.75},
          .baseline = {0.1, 0.2, x},
          .affected = {VariableSet::from_ids({0}), VariableSet::from_ids({1, 2})}};
}

PayoffPart dense(std::vector<double> values) {
  return {.part = "", .complete = true, .dense = true, .ids = {}, .values = std::move(values)};
}

Round context_of(const DecisionRequest& request) {
  return {.features = request.features,
          .width = 2,
          .baseline = request.baseline,
          .affected = request.affected};
}

class InContexts : public ::testing::TestWithParam<const char*> {};

TEST_P(InContexts, DecidesAsTheLibraryWithLateFeedback) {
  LiveCampaign live = live_of(defined(GetParam()));
  const auto twin = testing::make_contextual(GetParam(), {.features = 2, .actions = 2});
  const Stream stream(1, 0, Purpose::kPolicy);
  std::vector<DecisionRequest> waiting;
  const auto pay_oldest = [&] {
    const DecisionRequest request = waiting.front();
    waiting.erase(waiting.begin());
    const ActionId action = live.find(request.id)->decided.action;
    const std::vector<double> payoffs = {request.features[0], 0.5 * action, 1.0};
    live.pay(request.id, dense(payoffs), 1);
    testing::teach(*twin, context_of(request), action, payoffs);
  };
  std::size_t finite = 0;
  for (int round = 0; round < 60; ++round) {
    const DecisionRequest request = asked("r" + std::to_string(round), (round * 37 % 60) / 60.0);
    live.decide(request, 0);
    const Decided& decided = live.find(request.id)->decided;
    const Explanation explained = twin->explain(context_of(request));
    ASSERT_EQ(decided.action, twin->decide(context_of(request), stream).action) << round;
    const double index = explained.actions[decided.action].index;
    EXPECT_EQ(decided.index, std::isfinite(index) ? std::optional(index) : std::nullopt);
    finite += decided.index.has_value() ? 1 : 0;
    waiting.push_back(request);
    if (waiting.size() > 3) pay_oldest();
  }
  EXPECT_GT(finite, 40u);
  while (!waiting.empty()) pay_oldest();
  StateWriter mine;
  StateWriter theirs;
  live.policy().save_state(mine);
  twin->save_state(theirs);
  EXPECT_EQ(mine.bytes(), theirs.bytes());
}

INSTANTIATE_TEST_SUITE_P(Policies, InContexts,
                         ::testing::Values("lin_up_ucb(beta=1)", "lin_up_ucb_bl(beta=1)",
                                           "lin_up_ucb(beta=1, max_affected=2)",
                                           "lin_ucb(beta=1)"));

TEST(ContextCampaign, WhatStaysTheSameIsAsIfEachDecisionBroughtIt) {
  LiveCampaign fixed = live_of(defined("lin_up_ucb_bl(beta=1)", kFixed));
  LiveCampaign brought = live_of(defined("lin_up_ucb_bl(beta=1)"));
  for (int round = 0; round < 20; ++round) {
    DecisionRequest request = asked("r" + std::to_string(round), round / 20.0);
    request.baseline = {1, 0, 0.5};
    brought.decide(request, 0);
    request.baseline = {};
    request.affected = {};
    fixed.decide(request, 0);
    const Decided& decided = fixed.find(request.id)->decided;
    EXPECT_EQ(decided.action, brought.find(request.id)->decided.action);
    EXPECT_EQ(decided.index, brought.find(request.id)->decided.index);
    for (LiveCampaign* live : {&fixed, &brought}) {
      live->pay(request.id, dense({1.0 * decided.action, 0.5, round / 10.0}), 1);
    }
  }
  // A decision's own sets go before those of the definition.
  DecisionRequest own = asked("own", 0.5);
  fixed.decide(own, 2);
  brought.decide(own, 2);
  EXPECT_EQ(fixed.find("own")->decided.index, brought.find("own")->decided.index);
}

TEST(ContextCampaign, RefusesRowsLongerThanOneWithDeltaAndNothingHasChanged) {
  LiveCampaign live = live_of(defined("lin_ucb(delta=0.1)"));
  live.decide({.id = "a", .features = {0.6, 0.8}, .baseline = {}}, 0);
  const std::string before = live.snapshot();
  const std::string said = refusal([&] {
    live.decide({.id = "b", .features = {0.5, 0.1, 1, 1}, .baseline = {}}, 1);
  });
  EXPECT_NE(said.find("length of the features of variable 1 = 1.414"), std::string::npos) << said;
  EXPECT_EQ(live.snapshot(), before);
  EXPECT_EQ(refusal([&] {
              live.pay("a", dense({1, 2}), 1);
            }),
            "payoffs = 2 numbers: must be one for each of 1");
  EXPECT_EQ(live.snapshot(), before);
}

TEST(ContextCampaign, KeepsContextsInEvents) {
  LiveCampaign live = live_of(defined("lin_up_ucb(beta=1)"));
  const DecisionRequest request = asked("a", 0.25);
  const Event event = live.decide(request, 0);
  const Decided kept = decode_decided(event.body);
  EXPECT_EQ(kept.differs_by(request), "");
  DecisionRequest other = request;
  other.affected = {VariableSet::from_ids({0}), VariableSet::from_ids({1})};
  EXPECT_EQ(kept.differs_by(other), "context");
  other = request;
  other.baseline[0] = 7;
  EXPECT_EQ(kept.differs_by(other), "context");
  // Features, baselines, two sets of four words and one range each.
  EXPECT_EQ(live.waiting_numbers(), 6u + 3u + 2 * sizeof(VariableSet) / 8 + 2u);
  EXPECT_EQ(numbers_of(request), live.waiting_numbers());
}

// Reports.

TEST(ContextReport, SaysWhatADecisionMustBring) {
  const auto needs = [](const std::string& policy, const std::string& more = "") {
    return campaign_report(live_of(defined(policy, more)), true).at("decision_needs");
  };
  EXPECT_EQ(needs("lin_up_ucb_bl(beta=1)"), json({"baseline", "affected"}));
  EXPECT_EQ(needs("lin_up_ucb(beta=1)"), json({"affected"}));
  EXPECT_EQ(needs("lin_up_ucb(beta=1, max_affected=2)"), json::array());
  EXPECT_EQ(needs("lin_up_ucb_bl(beta=1, max_affected=2)"), json({"baseline"}));
  EXPECT_EQ(needs("lin_ucb(beta=1)"), json::array());
  EXPECT_EQ(needs("lin_up_ucb_bl(beta=1)", kFixed), json::array());
}

TEST(ContextReport, HasMeansPerActionAndEstimatesInTheLastContext) {
  LiveCampaign live = live_of(defined("lin_up_ucb_bl(beta=1)"));
  EXPECT_EQ(campaign_report(live, true).at("last_context"), nullptr);
  for (int round = 0; round < 5; ++round) {
    const DecisionRequest request = asked("r" + std::to_string(round), round / 5.0);
    live.decide(request, 0);
    live.pay(request.id, dense({1, 2, 3.0 * round}), 1);
  }
  const DecisionRequest last = asked("last", 0.9);
  live.decide(last, 2);
  const json report = campaign_report(live, true);
  EXPECT_EQ(report.at("quantity"), "payoff");
  EXPECT_EQ(report.at("observations"), 5);
  EXPECT_EQ(report.at("rows"), 15);
  std::uint64_t pulls = 0;
  for (const json& row : report.at("taken")) {
    pulls += row.at("pulls").get<std::uint64_t>();
    EXPECT_EQ(row.at("paid"), 3 * row.at("pulls").get<int>());
  }
  EXPECT_EQ(pulls, 5u);
  EXPECT_EQ(report.at("taken")[0].at("name"), "news");

  const json& seen = report.at("last_context");
  EXPECT_EQ(seen.at("decision"), "last");
  EXPECT_EQ(seen.at("variables"), 3);
  EXPECT_EQ(seen.at("action"), live.find("last")->decided.action);
  const Explanation explained = live.policy().explain(context_of(last));
  for (ActionId action = 0; action < 2; ++action) {
    const json& row = seen.at("actions")[action];
    EXPECT_EQ(row.at("index"), explained.actions[action].index);
    EXPECT_EQ(row.at("uplift"), *explained.actions[action].uplift);
    EXPECT_EQ(row.at("low"), explained.actions[action].interval->low);
    EXPECT_EQ(row.at("high"), explained.actions[action].interval->high);
    EXPECT_EQ(row.at("chosen"), explained.actions[action].chosen);
    EXPECT_EQ(row.at("declared_count"), last.affected[action].size());
  }
  const json history = campaign_history(live);
  EXPECT_EQ(history.at("actions").size(), 2u);
  EXPECT_EQ(history.at("decided").back(), 6);
}

TEST(ContextReport, LeavesOutContextsThatTakeTooLongToLookAt) {
  LiveCampaign live = live_of(parse_definition(
      R"json({"name": "w", "policy": "lin_ucb(beta=1)", "actions": 16, "features": 32})json"));
  // 16 actions times 32 squared: 1,024 variables are the most.
  live.decide({.id = "a", .features = std::vector<double>(1024 * 32, 0.1), .baseline = {}}, 0);
  EXPECT_EQ(campaign_report(live, true).at("last_context").at("variables"), 1024);
  live.decide({.id = "b", .features = std::vector<double>(1025 * 32, 0.1), .baseline = {}}, 0);
  EXPECT_EQ(campaign_report(live, true).at("last_context"), nullptr);
}

/// Rounds of two actions in turn, of payoffs with this mean and noise.
std::vector<AssumptionWarning> warnings_of(const std::string& policy, double mean, double sd) {
  LiveCampaign live = live_of(defined(policy));
  const Stream stream(3, 0, Purpose::kTest);
  for (std::uint32_t round = 0; round < 40; ++round) {
    const std::string id = "r" + std::to_string(round);
    live.decide({.id = id, .features = {0.5, 0.5, 0.1, 0.2, 0.6, 0}, .baseline = {}}, 0);
    std::vector<double> noise(3);
    stream.normals(round, 0, noise);
    for (double& value : noise) value = mean + sd * value;
    live.pay(id, dense(noise), 0);
  }
  return live.monitor().context_warnings(live.definition().spec, live.policy().observations(),
                                         {.actions = live.definition().action_names});
}

TEST(ContextWarnings, SayThatPayoffsAreTooLargeForDelta) {
  EXPECT_TRUE(warnings_of("lin_ucb(delta=0.1)", 0.2, 1.0).empty());
  EXPECT_TRUE(warnings_of("lin_ucb(beta=1)", 50.0, 10.0).empty());
  const auto wide = warnings_of("lin_ucb(delta=0.1)", 0.2, 4.0);
  ASSERT_EQ(wide.size(), 1u);
  EXPECT_EQ(kind_name(wide[0].kind), "scale");
  EXPECT_NE(wide[0].message.find("standard deviation of"), std::string::npos);
  EXPECT_TRUE(warnings_of("lin_ucb(delta=0.1, bound=4)", 0.2, 4.0).empty());
  const auto beyond = warnings_of("lin_ucb(delta=0.1)", 3.0, 1.0);
  ASSERT_EQ(beyond.size(), 1u);
  EXPECT_TRUE(beyond[0].message.starts_with("Action '")) << beyond[0].message;
  EXPECT_NE(beyond[0].message.find(" has a mean payoff of "), std::string::npos);
  EXPECT_TRUE(warnings_of("lin_ucb(delta=0.1, bound=3)", 3.0, 1.0).empty());
}

}  // namespace
}  // namespace updraft
