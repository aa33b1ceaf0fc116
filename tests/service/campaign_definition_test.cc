#include "service/campaign_definition.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/refusal.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::refusal;

/// The first campaign of docs/service.md.
json spring() {
  return json::parse(R"({"name": "spring", "policy": "up_ts",
      "actions": ["news", "discount"], "variables": ["coffee", "tea", "bread", "cake"],
      "knowledge": {"affected": [["coffee", "tea"], ["bread", "cake"]]}})");
}

json targeted() {
  return json::parse(R"json({"name": "t", "policy": "c2_up_ucb(beta=2)", "treatments": 2,
                              "budget": 3, "features": 4})json");
}

json with(json document, const std::string& pointer, json value) {
  document[json::json_pointer(pointer)] = std::move(value);
  return document;
}

json without(json document, const std::string& key) {
  document.erase(key);
  return document;
}

CampaignDefinition parsed(const json& document) { return parse_definition(document.dump()); }

std::string refused(const json& document) {
  return refusal([&] { parsed(document); });
}

TEST(CampaignDefinition, ReadsTheFirstOfTheDocumentation) {
  const CampaignDefinition campaign = parsed(spring());
  EXPECT_EQ(campaign.name, "spring");
  EXPECT_EQ(campaign.spec.text(), "up_ts");
  EXPECT_EQ(campaign.seed, 1u);
  EXPECT_EQ(campaign.wait_seconds, std::nullopt);
  EXPECT_EQ(campaign.lost, LostPayoffs::kSkip);
  EXPECT_EQ(campaign.action_names, (std::vector<std::string>{"news", "discount"}));
  EXPECT_EQ(campaign.variable_names, (std::vector<std::string>{"coffee", "tea", "bread", "cake"}));
  EXPECT_EQ(campaign.variables_by_name, (std::vector<VariableId>{2, 3, 0, 1}));
  ASSERT_TRUE(campaign.knowledge);
  EXPECT_EQ(campaign.knowledge->affected()->of(1), VariableSet::from_ids({2, 3}));
  EXPECT_FALSE(campaign.shape);
}

TEST(CampaignDefinition, ReadsEverythingThatCanBeKnown) {
  const CampaignDefinition campaign = parsed(json::parse(R"({
      "name": "A.z_0-9", "policy": "auto", "actions": 2, "variables": 3.0, "seed": 9007199254740991,
      "wait": 0.5, "lost": "zeros", "knowledge": {"baseline": [1, -0.0, 2.5],
      "affected": [[2, 0], []], "max_affected": 3, "min_uplift": 0.25, "effect_gap": 0.125, "horizon": 1e6,
      "reward_prior": {"mean": -1, "variance": 0},
      "observations": {"counts": [1, 2, 3], "means": [0, 0, 1]}}})"));
  EXPECT_EQ(campaign.seed, 9007199254740991u);
  EXPECT_EQ(campaign.wait_seconds, 0.5);
  EXPECT_EQ(campaign.lost, LostPayoffs::kZeros);
  const Knowledge& knowledge = *campaign.knowledge;
  EXPECT_EQ(*knowledge.baseline(), (std::vector<double>{1, 0, 2.5}));
  EXPECT_EQ(knowledge.affected()->of(0), VariableSet::from_ids({0, 2}));
  EXPECT_EQ(knowledge.max_affected(), 3u);
  EXPECT_EQ(knowledge.min_uplift(), 0.25);
  EXPECT_EQ(knowledge.effect_gap(), 0.125);
  EXPECT_EQ(knowledge.horizon(), 1000000u);
  EXPECT_EQ(knowledge.reward_prior()->mean, -1.0);
  EXPECT_EQ(knowledge.observations()->counts, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(campaign.spec.text(), "up_ts_bl") << "what auto picks";
}

TEST(CampaignDefinition, ReadsOneBoundPerAction) {
  const CampaignDefinition campaign = parsed(json::parse(R"json({
      "name": "c", "policy": "up_ucb_l(alpha=1)", "actions": 3, "variables": 5,
      "knowledge": {"max_affected": [2, 0, 5.0]}})json"));
  EXPECT_EQ(*campaign.knowledge->max_affected_per_action(), (std::vector<std::size_t>{2, 0, 5}));
}

TEST(CampaignDefinition, ReadsSegmentsByListOrByName) {
  const auto groups = [](const json& segments) {
    const CampaignDefinition campaign = parsed(with(spring(), "/knowledge/segments", segments));
    EXPECT_EQ(parse_definition(campaign.canonical).canonical, campaign.canonical);
    std::vector<GroupId> found;
    for (VariableId i = 0; i < 4; ++i) {
      found.push_back(campaign.knowledge->segments()->group_of(i));
    }
    return found;
  };
  EXPECT_EQ(groups({"drinks", "drinks", "baked", "drinks"}), (std::vector<GroupId>{0, 0, 1, 0}));
  EXPECT_EQ(groups({7, 3, 3, 7}), (std::vector<GroupId>{0, 1, 1, 0}));
  EXPECT_EQ(
      groups({{"cake", "baked"}, {"tea", "drinks"}, {"coffee", "drinks"}, {"bread", "baked"}}),
      (std::vector<GroupId>{0, 0, 1, 1}));
}

TEST(CampaignDefinition, RefusesSegmentsThatAreNotThoseOfAllVariables) {
  const auto refused_segments = [](const json& segments) {
    return refused(with(spring(), "/knowledge/segments", segments));
  };
  EXPECT_EQ(refused_segments({"a", "b"}),
            "knowledge.segments = 2 labels: must have one for each of the 4 variables");
  EXPECT_EQ(refused_segments({"a", "b", "c", 1.5}),
            "knowledge.segments[3]: must be a label: text or a whole number");
  EXPECT_EQ(refused_segments("drinks"),
            "knowledge.segments: must be a list of labels, or an object of variables and labels");
  EXPECT_EQ(refused_segments({{"cake", "a"}, {"te", "a"}, {"coffee", "a"}, {"bread", "a"}})
                .find("knowledge.segments[te] = te: unknown; did you mean tea?"),
            0u);
}

TEST(CampaignDefinition, ReadsTargetedCampaigns) {
  const CampaignDefinition campaign = parsed(targeted());
  EXPECT_EQ(campaign.shape, (TargetingShape{4, 2, 3}));
  EXPECT_FALSE(campaign.knowledge);
}

TEST(CampaignDefinition, ShortestFormHasKeysInOrderAndMapsToItself) {
  for (const json& document : {spring(), targeted(), with(spring(), "/policy", "auto"),
                               with(spring(), "/wait", 3), with(spring(), "/lost", "zeros"),
                               with(spring(), "/knowledge/baseline", {1, 2, 3.5, 1e-300})}) {
    const std::string once = parsed(document).canonical;
    EXPECT_EQ(parse_definition(once).canonical, once);
  }
  EXPECT_EQ(parsed(targeted()).canonical,
            R"json({"budget":3,"features":4,"lost":"skip","name":"t",)json"
            R"json("policy":"c2_up_ucb(beta=2)","seed":1,"treatments":2})json");
}

TEST(CampaignDefinition, EqualCampaignsHaveEqualShortestForms) {
  const std::string plain = parsed(spring()).canonical;
  EXPECT_EQ(parsed(with(spring(), "/seed", 1.0)).canonical, plain);
  EXPECT_EQ(parsed(with(spring(), "/lost", "skip")).canonical, plain);
  EXPECT_EQ(parsed(with(spring(), "/policy", " up_ts( ) ")).canonical, plain);
  EXPECT_EQ(parsed(with(spring(), "/knowledge/affected/0", {1, "coffee"})).canonical, plain);
  EXPECT_NE(parsed(with(spring(), "/seed", 2)).canonical, plain);
  EXPECT_NE(parsed(with(spring(), "/knowledge/affected/0", {"coffee"})).canonical, plain);
}

TEST(CampaignDefinition, RefusesWhatIsNotAnObjectOfTheKnownKeys) {
  EXPECT_EQ(refusal([] { parse_definition(""); }).find("line 1, column 1: not JSON"), 0u);
  EXPECT_EQ(refusal([] { parse_definition("[]"); }), "request: must be an object");
  EXPECT_EQ(refusal([] { parse_definition(R"({"name": "a", "name": "b"})"); }),
            "name: is repeated; keys must be distinct");
  EXPECT_EQ(refusal([] { parse_definition(R"({"": 1, "": 2})"); }),
            "\"\": is repeated; keys must be distinct");
  EXPECT_EQ(refused(with(spring(), "/polcy", 1)).find("key = polcy: unknown; did you mean policy?"),
            0u);
  EXPECT_EQ(refused(with(spring(), "/knowledge/basline", 1))
                .find("key of knowledge = basline: unknown; did you mean baseline?"),
            0u);
  EXPECT_EQ(refusal([] {
              parse_definition(std::string(100000, '['));
            }).find("[0][0][0][0][0][0][0][0]: is nested too deep"),
            0u);
}

TEST(CampaignDefinition, RefusesNamesOfCampaigns) {
  EXPECT_EQ(refused(without(spring(), "name")), "name: is missing");
  EXPECT_EQ(refused(with(spring(), "/name", 3)), "name: must be a string, not a number");
  for (const char* name : {"", "a b", "a/b", "\xc3\xa9", "a\n", "a:b"}) {
    EXPECT_NE(refused(with(spring(), "/name", name)).find("must be 1 to 100 of A-Z a-z 0-9 . _ -"),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(refused(with(spring(), "/name", std::string(100, 'a'))), "(accepted)");
  EXPECT_NE(refused(with(spring(), "/name", std::string(101, 'a'))), "(accepted)");
}

TEST(CampaignDefinition, ChecksIdsOfDecisions) {
  EXPECT_EQ(refusal([] { check_decision_id("2024-05-01:user_7.a"); }), "(accepted)");
  EXPECT_EQ(refusal([] { check_decision_id(std::string(200, 'x')); }), "(accepted)");
  EXPECT_NE(refusal([] { check_decision_id(std::string(201, 'x')); }), "(accepted)");
  EXPECT_EQ(refusal([] { check_decision_id("a b"); }),
            "decision = \"a b\": must be 1 to 200 of A-Z a-z 0-9 . _ : -");
  EXPECT_NE(refusal([] { check_decision_id("\xff"); }), "(accepted)");
}

TEST(CampaignDefinition, RefusesPoliciesWithTheMessageOfTheLibrary) {
  EXPECT_EQ(refused(without(spring(), "policy")), "policy: is missing");
  EXPECT_EQ(refused(with(spring(), "/policy", "up_ucb(alpha=-1)")),
            "policy = up_ucb(alpha=-1): up_ucb.alpha = -1: must be > 0");
  EXPECT_EQ(refused(with(spring(), "/policy", "up_tz")).find("policy = up_tz: unknown; did you"),
            0u);
  EXPECT_EQ(refused(with(spring(), "/policy", "up_ts_bl"))
                .find("policy = up_ts_bl: up_ts_bl: needs to know baseline, which is missing"),
            0u);
  EXPECT_EQ(refused(with(spring(), "/policy", "lin_up_ucb(beta=1)")), "features: is missing");
  EXPECT_EQ(refused(with(targeted(), "/policy", "oracle")).find("policy = oracle: needs the true"),
            0u);
  EXPECT_EQ(refused(with(spring(), "/policy", std::string(1001, 'a'))),
            "policy: has 1001 bytes; must have at most 1000");
}

TEST(CampaignDefinition, RefusesFieldsOfTheOtherKind) {
  EXPECT_EQ(refused(with(spring(), "/budget", 3)),
            "budget: cannot be used with the policy up_ts, which takes actions, variables and "
            "knowledge");
  EXPECT_EQ(refused(with(targeted(), "/actions", 3)),
            "actions: cannot be used with the policy c2_up_ucb, which takes treatments, budget and "
            "features");
}

TEST(CampaignDefinition, RefusesActionsAndVariables) {
  EXPECT_EQ(refused(without(spring(), "actions")), "actions: is missing");
  EXPECT_EQ(refused(with(spring(), "/actions", "two")),
            "actions: must be a whole number, or a list of names");
  EXPECT_EQ(refused(with(spring(), "/actions", 0)),
            "actions = 0: must be a whole number from 1 to 100000");
  EXPECT_EQ(refused(with(spring(), "/variables", 10000001)),
            "variables = 10000001: must be a whole number from 1 to 10000000");
  EXPECT_EQ(refused(with(spring(), "/variables", json::array())),
            "variables = 0 names: must have from 1 to 10000000");
  EXPECT_EQ(
      refused(
          {{"name", "a"}, {"policy", "ucb(alpha=1)"}, {"actions", 11}, {"variables", 10000000}}),
      "variables = 10000000: times 11 actions must be at most 100000000");
}

TEST(CampaignDefinition, RefusesNamesOfVariables) {
  EXPECT_EQ(refused(with(spring(), "/variables/1", "coffee")),
            "variables[1] = coffee: is repeated; names must be distinct");
  EXPECT_EQ(refused(with(spring(), "/actions/1", "news")),
            "actions[1] = news: is repeated; names must be distinct");
  EXPECT_EQ(refused(with(spring(), "/variables/1", 7)),
            "variables[1]: must be a string, not a number");
  EXPECT_EQ(refused(with(spring(), "/variables/1", "")),
            "variables[1]: has 0 bytes; must have from 1 to 200");
  EXPECT_EQ(refused(with(spring(), "/actions/0", std::string(201, 'a'))),
            "actions[0]: has 201 bytes; must have from 1 to 200");
  for (const char* name : {"a\nb", "\x7f", "\xc2\x85"}) {
    EXPECT_EQ(refused(with(spring(), "/actions/0", name)),
              "actions[0]: must not contain control characters");
  }
  EXPECT_EQ(refused(with(spring(), "/actions/0", "caf\xc3\xa9 \xe2\x98\x95")), "(accepted)");
}

TEST(CampaignDefinition, RefusesAffectedSets) {
  EXPECT_EQ(refused(with(spring(), "/knowledge/affected", 3)),
            "knowledge.affected: must be a list with a list of variables per action");
  EXPECT_EQ(refused(with(spring(), "/knowledge/affected", {{0}})),
            "knowledge.affected = 1 lists: must have one for each of the 2 actions");
  EXPECT_EQ(refused(with(spring(), "/knowledge/affected/1", 3)),
            "knowledge.affected[1]: must be a list of variables");
  EXPECT_EQ(refused(with(spring(), "/knowledge/affected/1", {0, 4})),
            "knowledge.affected[1][1] = 4: must be a whole number from 0 to 3");
  EXPECT_EQ(refused(with(spring(), "/knowledge/affected/1", {-1})),
            "knowledge.affected[1][0] = -1: must be a whole number from 0 to 3");
  EXPECT_EQ(refused(with(spring(), "/knowledge/affected/1", {true})),
            "knowledge.affected[1][0]: must be the number or name of a variable");
  EXPECT_EQ(refused(with(spring(), "/knowledge/affected/1", {"bred"}))
                .find("knowledge.affected[1][0] = bred: unknown; did you mean bread? Valid: "),
            0u);
  EXPECT_EQ(refused(with(spring(), "/knowledge/affected/1", {"tea", 1})),
            "knowledge.affected[1] = 1: is repeated; ids must be distinct");
  json numbered = with(spring(), "/variables", 4);
  EXPECT_EQ(refused(numbered),
            "knowledge.affected[0][0] = coffee: must be a number: the variables of this campaign "
            "have no names");
}

TEST(CampaignDefinition, ListsNamesOnlyWhereTheyAreFew) {
  json many = spring();
  for (int i = 0; i < 100; ++i) many["variables"].push_back("v" + std::to_string(i));
  EXPECT_EQ(refused(with(many, "/knowledge/affected/1", {"bred"})),
            "knowledge.affected[1][0] = bred: unknown; must be one of the names of the 104 "
            "variables");
}

TEST(CampaignDefinition, RefusesKnowledge) {
  const auto refused_item = [](const std::string& key, const json& value) {
    return refused(with(spring(), "/knowledge/" + key, value));
  };
  EXPECT_EQ(refused(with(spring(), "/knowledge", 3)), "knowledge: must be an object, not a number");
  EXPECT_EQ(refused_item("baseline", {1, 2}),
            "knowledge.baseline = 2 numbers: must have one for each of the 4 variables");
  EXPECT_EQ(refused_item("baseline", {1, 2, nullptr, 4}),
            "knowledge.baseline[2]: must be a number, not null");
  EXPECT_EQ(refused_item("max_affected", 5),
            "knowledge.max_affected = 5: must be a whole number from 1 to 4");
  EXPECT_EQ(refused_item("max_affected", {1, 5}),
            "knowledge.max_affected[1] = 5: must be a whole number from 0 to 4");
  EXPECT_EQ(refused_item("max_affected", {1, 2, 3, 4, 1}),
            "knowledge.max_affected = 5 numbers: must have one for each of the 2 actions");
  EXPECT_EQ(refused_item("max_affected", {0, 0}),
            "knowledge.max_affected: must not be 0 for all actions");
  EXPECT_EQ(refused_item("min_uplift", 0), "knowledge.min_uplift = 0: must be > 0");
  EXPECT_EQ(refused_item("effect_gap", 0), "knowledge.effect_gap = 0: must be > 0");
  EXPECT_EQ(refused_item("horizon", 0.5).find("knowledge.horizon = 0.5: must be a whole number"),
            0u);
  EXPECT_EQ(refused_item("reward_prior", {{"mean", 0}}),
            "knowledge.reward_prior.variance: is missing");
  EXPECT_EQ(refused_item("reward_prior", {{"mean", 0}, {"variance", -1}}),
            "knowledge.reward_prior.variance = -1: must be >= 0");
  EXPECT_EQ(refused_item("observations", {{"counts", {1, 1, 0, 1}}, {"means", {1, 1, 1, 1}}}),
            "knowledge.observations.counts[2] = 0: must be at least 1");
  EXPECT_EQ(refused_item("observations", {{"counts", {1, 1}}, {"means", {1, 1, 1, 1}}}),
            "knowledge.observations.counts = 2 numbers: must have one for each of the 4 variables");
}

TEST(CampaignDefinition, RefusesNumbersThatOverflow) {
  EXPECT_NE(refusal([] {
              parse_definition(R"json({"name": "a", "policy": "ucb(alpha=1)",
                                       "actions": 1e999, "variables": 1})json");
            }).find("1e999"),
            std::string::npos);
}

TEST(CampaignDefinition, RefusesSeedWaitAndLost) {
  EXPECT_EQ(refused(with(spring(), "/seed", -1)),
            "seed = -1: must be a whole number from 0 to 9007199254740991");
  EXPECT_EQ(refused(with(spring(), "/wait", 0)), "wait = 0: must be > 0 and at most 1e9 seconds");
  EXPECT_EQ(refused(with(spring(), "/wait", "1s")), "wait: must be a number, not a string");
  EXPECT_EQ(refused(with(spring(), "/lost", "zero")),
            "lost = zero: unknown; did you mean zeros? Valid: skip, zeros");
}

TEST(CampaignDefinition, RefusesShapes) {
  EXPECT_EQ(refused(without(targeted(), "budget")), "budget: is missing");
  EXPECT_EQ(refused(with(targeted(), "/treatments", 0)),
            "treatments = 0: must be a whole number from 1 to 100000");
  EXPECT_EQ(refused(with(targeted(), "/features", 10001)),
            "features = 10001: must be a whole number from 1 to 10000");
  EXPECT_EQ(refused(with(targeted(), "/features", 10000)),
            "features = 10000: squared, times 2 treatments and none, must be at most 100000000");
}

TEST(CampaignDefinition, RefusesMoreAtomsThanAPolicyThatLearnsTheNoiseCanKeep) {
  DefinitionLimits limits;
  limits.atoms = 1;
  EXPECT_EQ(refusal([&] { parse_definition(spring().dump(), limits); }),
            "knowledge.affected: divides the variables into 2 groups that the same actions affect; "
            "up_ts takes at most 1");
  EXPECT_EQ(refusal([&] {
              parse_definition(with(spring(), "/policy", "up_ucb(alpha=1)").dump(), limits);
            }),
            "(accepted)");
}

// With 4,000 features a decision took 77 seconds.
TEST(CampaignCost, RefusesDecisionsThatWouldTakeTooLong) {
  const auto targeted = [](const std::string& features) {
    return R"json({"name": "c", "policy": "c2_up_ucb(beta=1)", "treatments": 1, "budget": 1,
                   "features": )json" +
           features + "}";
  };
  EXPECT_EQ(testing::refusal([&] { parse_definition(targeted("4000")); }),
            "features = 4000: with these treatments a decision takes 128000000000 multiplications; "
            "must be at most 4000000000");
  EXPECT_EQ(testing::refusal([&] { parse_definition(targeted("1000")); }), "(accepted)");
  const std::string contextual = R"json({"name": "c", "policy": "lin_ucb(beta=1)", "actions": 2,
                                         "features": 4000})json";
  EXPECT_EQ(testing::refusal([&] { parse_definition(contextual); }).find("features = 4000: "), 0u);
  // One that exists stays.
  DefinitionLimits small;
  small.work = 1;
  EXPECT_NE(testing::refusal([&] { parse_definition(targeted("10"), small); }), "(accepted)");
  EXPECT_EQ(
      testing::refusal([&] { parse_definition(targeted("10"), DefinitionLimits::of_stored()); }),
      "(accepted)");
}

TEST(CampaignCost, RefusesCampaignsThatWouldTakeTooMuchMemory) {
  DefinitionLimits limits;
  limits.bytes = 10 << 20;
  const auto plain = [&](const std::string& variables) {
    return testing::refusal([&] {
      parse_definition(R"json({"name": "c", "policy": "up_ucb_l(alpha=1)", "actions": 100,
                               "knowledge": {"max_affected": 5}, "variables": )json" +
                           variables + "}",
                       limits);
    });
  };
  EXPECT_EQ(plain("1000"), "(accepted)");
  EXPECT_NE(plain("10000").find("variables = 10000: with these actions the campaign takes"),
            std::string::npos)
      << plain("10000");
}

}  // namespace
}  // namespace updraft
