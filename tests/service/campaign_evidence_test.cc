// What holds at every time about a live campaign: the same as the library says, kept over restarts.

#include "service/campaign_evidence.h"

#include <gtest/gtest.h>

#include <numeric>

#include "inference/evidence_json.h"
#include "played_campaign.h"
#include "service/campaign_report.h"
#include "support/refusal.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::campaign_of;
using testing::dense_part;
using testing::refusal;

/// Action 2 is best, and lowers variable 3.
const std::string kHeldOut =
    R"json({"name": "shop", "policy": "up_ts", "actions": ["none", "news", "sale"], "variables": 4,
            "knowledge": {"affected": [[], [0, 1], [2, 3]]},
            "holdout": {"control": "none", "share": 0.25}, "probe": 0.15,
            "guardrails": [{"name": "returns", "variables": [3], "tolerance": 0.5, "pause": PAUSE}]})json";

std::string held_out(bool pause) {
  std::string body = kHeldOut;
  body.replace(body.find("PAUSE"), 5, pause ? "true" : "false");
  return body;
}

double pays(ActionId action, VariableId variable, std::mt19937_64& random) {
  const double mean = action == 1 && variable == 0   ? 1.0
                      : action == 2 && variable == 2 ? 9.0
                      : action == 2 && variable == 3 ? -3.0
                                                     : 0.0;
  return testing::normal(random, mean);
}

json evidence_part(const LiveCampaign& live) {
  const json report = campaign_report(live, true);
  json out;
  for (const char* key : {"settled", "gain", "guardrails"}) {
    if (report.contains(key)) out[key] = report[key];
  }
  return out;
}

TEST(CampaignEvidence, IsThatOfTheLibrary) {
  LiveCampaign live = campaign_of(held_out(false));
  const CampaignDefinition& definition = live.definition();
  Evidence evidence(*definition.knowledge, definition.evidence);
  const auto policy = make_policy(definition.spec, *definition.knowledge);
  const Stream stream(definition.seed, 0, Purpose::kPolicy);
  std::mt19937_64 random(1);
  std::size_t held = 0;
  std::vector<Event> events;
  for (int round = 0; round < 400; ++round) {
    const std::vector<double> shares = policy->probabilities(stream);
    const ActionId probed = evidence.steering().probe;
    const SharedDecision shared = evidence.decide(*policy, stream);
    const ActionId taken = shared.decision.action;
    EXPECT_NEAR(shared.decision.probability,
                0.6 * shares[taken] + (taken == 0 ? 0.25 : 0.0) + (taken == probed ? 0.15 : 0.0),
                1e-12);
    events.push_back(live.decide({}, round));
    const std::string id = events.back().decision;
    const Decided decided = live.find(id)->decided;
    EXPECT_EQ(decided.action, shared.decision.action);
    EXPECT_EQ(decided.probability, shared.decision.probability);
    EXPECT_EQ(decided.held_out, shared.whose == RoundOf::kHoldout);
    EXPECT_EQ(decided.probe, shared.whose == RoundOf::kProbe);
    EXPECT_EQ(decided.proposal, shared.candidate);
    held += decided.held_out;
    std::vector<double> paid(4);
    for (VariableId i = 0; i < 4; ++i) paid[i] = pays(decided.action, i, random);
    policy->observe(decided.action, Payoffs::dense(paid));
    evidence.observed(shared, Payoffs::dense(paid));
    events.push_back(live.pay(id, dense_part(paid), round));
    live.forget(id, events.back().number);
  }
  // 100 expected; within 6 standard errors of 8.7.
  EXPECT_NEAR(static_cast<double>(held), 100.0, 52.0);
  EXPECT_EQ(live.counts().held_out, held);

  const Explanation explanation = policy->explain();
  const std::vector<std::string> names = definition.action_names;
  const json part = evidence_part(live);
  EXPECT_EQ(part.at("settled"), settled_json(evidence.settlement(&explanation), names));
  EXPECT_EQ(part.at("gain"), gain_json(evidence.gain(&explanation).value(), "none"));
  EXPECT_EQ(part.at("guardrails"), guardrails_json(evidence.alarms(), definition.evidence, names));
  EXPECT_EQ(part.at("settled").at("best"), "sale");
  EXPECT_GT(part.at("gain").at("low"), 0.0);
  EXPECT_EQ(part.at("guardrails").at(0).at("action"), "sale");
  EXPECT_EQ(live.counts().settled, 1u);
  EXPECT_EQ(live.counts().guardrail_alarms, 1u);

  // The same from the events, and from a snapshot.
  LiveCampaign replayed = campaign_of(held_out(false));
  for (const Event& event : events) {
    if (event.kind == EventKind::kDecided) {
      Decided recorded = decode_decided(event.body);
      recorded.index.reset();  // plain policies tell it after the decision
      EXPECT_EQ(replayed.decide_again(recorded), recorded);
    }
    replayed.replay(event, [](const Event&) { return std::nullopt; });
  }
  EXPECT_EQ(replayed.snapshot(), live.snapshot());
  LiveCampaign restored = campaign_of(held_out(false));
  restored.restore(live.snapshot());
  EXPECT_EQ(restored.snapshot(), live.snapshot());
  EXPECT_EQ(evidence_part(restored), part);
}

TEST(CampaignEvidence, AnActionThatBreaksAGuardrailIsPaused) {
  LiveCampaign live = campaign_of(held_out(true));
  testing::play(live, 300, 2, pays);
  const json report = campaign_report(live, true);
  ASSERT_EQ(report.at("guardrails").size(), 1u);
  EXPECT_EQ(report["guardrails"][0].at("action"), "sale");
  EXPECT_EQ(report["guardrails"][0].at("pauses"), true);
  EXPECT_EQ(report.at("actions")[2].at("paused"), true);
  EXPECT_EQ(report.at("actions")[1].at("paused"), false);
  EXPECT_EQ(report.at("actions")[2].at("probability"), 0.0);
  double sum = 0.0;
  for (const json& action : report.at("actions")) sum += action.at("probability").get<double>();
  EXPECT_NEAR(sum, 1.0, 1e-12);
  const std::uint64_t before = live.monitor().chosen()[2];
  testing::play(live, 100, 3, pays);
  EXPECT_EQ(live.monitor().chosen()[2], before);
  LiveCampaign restored = campaign_of(held_out(true));
  restored.restore(live.snapshot());
  testing::play(restored, 100, 4, pays);
  EXPECT_EQ(restored.monitor().chosen()[2], before);
}

/// Whether a page says that one action is settled and another more likely to be the best.
TEST(CampaignEvidence, NeverContradictsTheProbabilities) {
  LiveCampaign live = campaign_of(
      R"json({"name": "shop", "policy": "up_ts", "actions": 2, "variables": 2,
              "knowledge": {"affected": [[0], [1]]},
              "holdout": {"control": 0, "share": 0.4}})json");
  bool settled = false;
  for (int looks = 0; looks < 100; ++looks) {
    testing::play(live, 5, 10 + static_cast<std::uint64_t>(looks),
                  [](ActionId action, VariableId variable, std::mt19937_64& random) {
                    return testing::normal(random, action == 1 && variable == 1 ? 1.0 : 0.0);
                  });
    const json report = campaign_report(live, true);
    const json& about = report.at("settled");
    settled = settled || about.at("settled").get<bool>();
    for (const json& action : report.at("actions")) {
      if (!about.at("settled").get<bool>()) continue;
      const std::string name = "action " + action.at("action").dump();
      if (name == about.at("best")) {
        EXPECT_GE(action.at("probability_best").get<double>(), 0.95);
      } else {
        EXPECT_LE(action.at("probability_best").get<double>(), 0.05);
      }
    }
  }
  EXPECT_TRUE(settled);
}

TEST(CampaignEvidence, CountsNothingThatOthersDecided) {
  const std::string definition =
      R"json({"name": "shop", "policy": "up_ts", "actions": 2, "variables": 2, "mode": "shadow",
              "knowledge": {"affected": [[0], [1]]}})json";
  LiveCampaign live = campaign_of(definition);
  std::vector<PastRound> past;
  for (ActionId round = 0; round < 200; ++round) {
    past.push_back({round % 2, dense_part({0.01 * round, round % 2 * 5.0})});
  }
  live.learn_past("2023", past, 1);
  for (ActionId round = 0; round < 200; ++round) {
    const Event event =
        live.decide({.id = "", .features = {}, .baseline = {}, .action = round % 2}, 2);
    live.pay(event.decision, dense_part({0.01 * round, round % 2 * 5.0}), 3);
  }
  EXPECT_EQ(live.evidence().of_actions()->rounds(), 0u);
  EXPECT_EQ(live.policy().observations(), 400u);
  EXPECT_EQ(campaign_report(live, true).at("settled").at("settled"), false);
}

TEST(CampaignEvidence, NothingOfABatchIsLearnedIfARoundIsWrong) {
  LiveCampaign live = campaign_of(
      R"json({"name": "shop", "policy": "up_ts", "actions": 2, "variables": 2,
              "knowledge": {"affected": [[0], [1]]}})json");
  live.learn_past("first", {{0, dense_part({1, 2})}, {1, dense_part({3, 4})}}, 1);
  const std::string before = live.snapshot();
  EXPECT_NE(refusal([&] {
              live.learn_past("second", {{0, dense_part({5, 6})}, {7, dense_part({1, 1})}}, 2);
            }),
            "(accepted)");
  EXPECT_NE(refusal([&] {
              live.learn_past("second", {{0, dense_part({5, 6})}, {1, dense_part({1, 1, 1})}}, 2);
            }),
            "(accepted)");
  EXPECT_EQ(live.snapshot(), before);
  LiveCampaign restored = campaign_of(live.definition().canonical);
  restored.restore(before);
  EXPECT_EQ(restored.past_rounds(), 2u);
  EXPECT_EQ(restored.past_batches().count("first"), 1u);
}

/// A treatment adds 2 to what a person pays.
TEST(CampaignEvidence, SomeOfThePeopleChosenAreHeldOut) {
  const std::string definition =
      R"json({"name": "mail", "policy": "c2_up_ucb(beta=1)", "treatments": 1, "budget": 5,
              "features": 2, "holdout": {"share": 0.3}})json";
  LiveCampaign live = campaign_of(definition);
  std::mt19937_64 random(5);
  std::vector<Event> events;
  std::size_t chosen = 0;
  std::size_t treated = 0;
  for (int round = 0; round < 100; ++round) {
    DecisionRequest request;
    for (int i = 0; i < 20; ++i) {
      request.features.push_back(1.0);
      request.features.push_back(testing::coin(random, 0.5));
    }
    events.push_back(live.decide(request, round));
    const std::string id = events.back().decision;
    const Decided decided = live.find(id)->decided;
    EXPECT_FALSE(decided.probability);
    std::vector<double> paid;
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_TRUE(decided.treatments[i] == 0 || decided.treatments[i] == decided.chosen[i]);
      chosen += decided.chosen[i] != 0;
      treated += decided.treatments[i] != 0;
      paid.push_back(testing::normal(random, 2.0 * decided.treatments[i]));
    }
    events.push_back(live.pay(id, dense_part(paid), round));
    live.forget(id, events.back().number);
  }
  ASSERT_GT(chosen, 300u);
  const double share = 1.0 - static_cast<double>(treated) / static_cast<double>(chosen);
  EXPECT_NEAR(share, 0.3, 6.0 * std::sqrt(0.21 / static_cast<double>(chosen)));
  const json gain = campaign_report(live, true).at("gain");
  EXPECT_EQ(gain.at("control"), "no treatment");
  EXPECT_LT(gain.at("low").get<double>(), 2.0);
  EXPECT_GT(gain.at("high").get<double>(), 2.0);
  EXPECT_GT(gain.at("low").get<double>(), 0.0);
  LiveCampaign replayed = campaign_of(definition);
  for (const Event& event : events) {
    replayed.replay(event, [](const Event&) { return std::nullopt; });
  }
  EXPECT_EQ(replayed.snapshot(), live.snapshot());
}

TEST(CampaignEvidence, AContextualCampaignHasAGain) {
  LiveCampaign live = campaign_of(
      R"json({"name": "week", "policy": "lin_ucb(beta=1)", "actions": 2, "features": 1,
              "holdout": {"control": 0, "share": 0.4}})json");
  std::mt19937_64 random(6);
  for (int round = 0; round < 300; ++round) {
    const DecisionRequest request = {.id = "", .features = {1.0, 1.0}, .baseline = {}};
    const std::string id = live.decide(request, round).decision;
    const double mean = live.find(id)->decided.action;
    const Event paid = live.pay(
        id, dense_part({testing::normal(random, mean), testing::normal(random, mean)}), round);
    live.forget(id, paid.number);
  }
  const json report = campaign_report(live, true);
  EXPECT_FALSE(report.contains("settled"));
  EXPECT_LT(report.at("gain").at("low").get<double>(), 2.0);
  EXPECT_GT(report.at("gain").at("high").get<double>(), 1.0);
  LiveCampaign restored = campaign_of(live.definition().canonical);
  restored.restore(live.snapshot());
  EXPECT_EQ(restored.snapshot(), live.snapshot());
}

TEST(CampaignEvidence, DefinitionsAreRefusedWithFieldValueAndRule) {
  const auto refused = [](const std::string& more) {
    return refusal([&] {
      parse_definition(R"json({"name": "shop", "policy": "ts", "actions": ["a", "b"],
                               "variables": 3, )json" +
                       more + "}");
    });
  };
  EXPECT_EQ(refused(R"("holdout": {"share": 0.1})"), "holdout.control: is missing");
  EXPECT_EQ(refused(R"("holdout": {"control": "c", "share": 0.1})"),
            "holdout.control = c: unknown; did you mean a? Valid: a, b");
  EXPECT_EQ(refused(R"("holdout": {"control": 0, "share": 0})"),
            "holdout.share = 0: must be > 0 and at most 0.9");
  EXPECT_EQ(refused(R"("holdout": {"control": 0, "share": 0.1}, "mode": "shadow")"),
            "holdout: cannot be combined with shadow mode, in which others decide");
  EXPECT_EQ(refused(R"("holdout": {"control": 0, "share": 0.6}, "probe": 0.4)"),
            "probe = 0.4: must be at most 0.9 together with holdout.share");
  EXPECT_EQ(refused(R"("probe": 0.1, "mode": "shadow")"),
            "probe: cannot be combined with shadow mode, in which others decide");
  const std::string held = R"("holdout": {"control": 0, "share": 0.1}, "guardrails": )";
  EXPECT_EQ(refused(R"("guardrails": [{"name": "x", "variables": [0], "tolerance": 1}])"),
            "guardrails: need something to compare with: a holdout, or knowledge.baseline");
  EXPECT_EQ(refused(held + R"([{"name": "x", "variables": [3], "tolerance": 1}])"),
            "guardrails[0].variables[0] = 3: must be a whole number from 0 to 2");
  EXPECT_EQ(refused(held + R"([{"name": "x", "variables": [], "tolerance": 1}])"),
            "guardrails[0].variables: must be a list of variables, at least one");
  EXPECT_EQ(refused(held + R"([{"name": "x", "variables": [0], "tolerance": -1}])"),
            "guardrails[0].tolerance = -1: must be from 0 to 1e90");
  EXPECT_EQ(refused(held + R"([{"name": "x", "variables": [0], "tolerance": 1},
                               {"name": "x", "variables": [1], "tolerance": 1}])"),
            "guardrails[1].name = x: is repeated; names must be distinct");
  EXPECT_EQ(refused(held + R"([{"name": "x", "variables": [1], "tolerance": 1}])"), "(accepted)");
}

}  // namespace
}  // namespace updraft
