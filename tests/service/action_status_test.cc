// Rounds that allow only some actions, and actions that are paused, resumed and retired: what the
// campaign does is what the library does, and events and snapshots give it back, bit for bit.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "played_campaign.h"
#include "service/campaign_report.h"
#include "service/http_routes.h"
#include "service/log_events.h"
#include "service/queries.h"
#include "service/service.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::campaign_of;
using testing::conflict;
using testing::dense_part;
using testing::paid_by;
using testing::refusal;
using Ids = std::vector<ActionId>;

std::string shop(const std::string& policy, const std::string& more = "") {
  return R"json({"name": "shop", "policy": ")json" + policy +
         R"json(", "actions": ["none", "news", "sale"], "variables": 4,
         "knowledge": {"affected": [[0], [1], [2, 3]]})json" +
         more + "}";
}

DecisionRequest parsed(const LiveCampaign& live, const std::string& body) {
  return parse_decision(body, live.definition());
}

/// Applies the events to another campaign, half of them, then all, with a snapshot in between, and
/// through the lines of a campaign log: all must be the same state.
void expect_replayed(const LiveCampaign& live, const std::string& body,
                     const std::vector<Event>& events) {
  const auto none = [](const Event&) { return std::optional<LiveDecision>(); };
  LiveCampaign first = campaign_of(body);
  for (std::size_t j = 0; j < events.size() / 2; ++j) first.replay(events[j], none);
  LiveCampaign second = campaign_of(body);
  second.restore(first.snapshot());
  for (std::size_t j = events.size() / 2; j < events.size(); ++j) {
    const json line = event_json(events[j], live.definition());
    ASSERT_EQ(event_from(json::parse(line.dump()), live.definition()), events[j]) << line;
    first.replay(events[j], none);
    second.replay(events[j], none);
  }
  EXPECT_EQ(first.snapshot(), live.snapshot());
  EXPECT_EQ(second.snapshot(), live.snapshot());
  EXPECT_EQ(campaign_report(second, false), campaign_report(live, false));
  EXPECT_EQ(campaign_history(second), campaign_history(live));
}

class RestrictedCampaign : public ::testing::TestWithParam<std::string> {};

TEST_P(RestrictedCampaign, DecidesAsThePolicyAmongTheAllowed) {
  const std::string body = shop(GetParam());
  LiveCampaign live = campaign_of(body);
  const auto twin = make_policy(live.spec(), live.definition().policy_knowledge());
  const Stream stream(live.definition().seed, 0, Purpose::kPolicy);
  const std::vector<std::pair<std::string, Ids>> requests = {
      {R"({"allowed": ["sale", "none"]})", {0, 2}},
      {R"({"allowed": [1]})", {1}},
      {R"({})", {}},
      {R"({"allowed": [2, "none", 1]})", {}}};
  std::vector<Event> events;
  for (int round = 0; round < 120; ++round) {
    if (round == 60) events.push_back(live.set_status(2, ActionStatus::kPaused, round));
    if (round == 80) events.push_back(live.set_status(2, ActionStatus::kActive, round));
    if (round == 100) events.push_back(live.set_status(0, ActionStatus::kRetired, round));
    const auto& [request, ids] = requests[static_cast<std::size_t>(round) % requests.size()];
    const Ids allowed = live.action_changes().roster().active_among(ids);
    const Decision expected = twin->decide({.allowed = allowed}, stream);
    events.push_back(live.decide(parsed(live, request), round));
    const LiveDecision* decision = live.find(events.back().decision);
    ASSERT_EQ(decision->decided.action, expected.action) << round;
    ASSERT_EQ(decision->decided.probability, expected.probability);
    ASSERT_EQ(decision->decided.allowed, ids);
    if (round % 9 == 4) continue;  // outstanding
    const std::vector<double> payoffs = paid_by(expected.action, round);
    twin->observe(expected.action, Payoffs::dense(payoffs));
    events.push_back(live.pay(events.back().decision, dense_part(payoffs), round));
  }
  StateWriter expected, state;
  twin->save_state(expected);
  live.policy().save_state(state);
  EXPECT_EQ(state.bytes(), expected.bytes());
  expect_replayed(live, body, events);
}

INSTANTIATE_TEST_SUITE_P(Policies, RestrictedCampaign,
                         ::testing::Values("up_ts", "up_ucb(alpha=1)", "ts", "up_ts_sparse"),
                         [](const auto& given) {
                           return given.param.substr(0, given.param.find('('));
                         });

TEST(ActionStatus, RequestsAreRefusedWithFieldValueAndRule) {
  const LiveCampaign live = campaign_of(shop("up_ts"));
  const auto said = [&](const std::string& body) { return refusal([&] { parsed(live, body); }); };
  EXPECT_EQ(said(R"({"allowed": []})"), "allowed: must have at least one action");
  EXPECT_EQ(said(R"({"allowed": "news"})"), "allowed: must be a list of actions");
  EXPECT_EQ(said(R"({"allowed": [0, 3]})"), "allowed[1] = 3: must be a whole number from 0 to 2");
  EXPECT_EQ(said(R"({"allowed": ["news", 1]})"), "allowed[1] = 1: is repeated");
  EXPECT_NE(said(R"({"allowed": ["new"]})").find("did you mean news"), std::string::npos);
}

TEST(ActionStatus, OneActionStaysAndRetiredOnesNeverReturn) {
  LiveCampaign live = campaign_of(shop("up_ts"));
  live.set_status(0, ActionStatus::kRetired, 1);
  EXPECT_EQ(conflict([&] { live.set_status(0, ActionStatus::kActive, 2); }),
            "action 0 is retired, and never returns");
  live.set_status(1, ActionStatus::kPaused, 3);
  for (const ActionStatus status : {ActionStatus::kPaused, ActionStatus::kRetired}) {
    EXPECT_EQ(conflict([&] { live.set_status(2, status, 4); }),
              "action 2 is the last active action");
  }
  EXPECT_EQ(live.version(), 2u);
  EXPECT_EQ(conflict([&] { live.decide(parsed(live, R"({"allowed": [0, 1]})"), 5); }),
            "allowed: every action in it is paused or retired");
  EXPECT_EQ(live.version(), 2u);
  for (int j = 0; j < 5; ++j) {
    EXPECT_EQ(live.find(live.decide({}, 6).decision)->decided.action, 2u);
  }
  live.stop(7);
  EXPECT_EQ(conflict([&] { live.set_status(1, ActionStatus::kActive, 8); }),
            "campaign shop is stopped");
}

TEST(ActionStatus, IsShown) {
  LiveCampaign live = campaign_of(shop("up_ts"));
  live.decide({}, 1);
  live.set_status(2, ActionStatus::kPaused, 5);
  const json report = campaign_report(live, true);
  EXPECT_EQ(report["actions"][0]["status"], "active");
  EXPECT_EQ(report["actions"][2]["status"], "paused");
  EXPECT_EQ(report["actions"][2]["probability"], 0.0);
  const json change = {
      {"event", 2}, {"time_ms", 5}, {"decided", 1}, {"action", 2}, {"kind", "paused"}};
  EXPECT_EQ(campaign_history(live)["changes"], json::array({change}));
}

/// The control action is never taken away from the holdout; rounds that the caller restricts are
/// the policy's, and no evidence.
TEST(ActionStatus, LeavesTheEvidenceValid) {
  const std::string body =
      shop("up_ts", R"(, "holdout": {"control": "none", "share": 0.3}, "probe": 0.2)");
  LiveCampaign live = campaign_of(body);
  EXPECT_EQ(conflict([&] { live.set_status(0, ActionStatus::kPaused, 0); }),
            "action 0 is the control action of the holdout");
  std::vector<Event> events;
  std::uint64_t counted = 0;
  for (int round = 0; round < 200; ++round) {
    if (round == 100) events.push_back(live.set_status(2, ActionStatus::kPaused, round));
    const bool restricted = round % 2 == 1;
    events.push_back(
        live.decide(parsed(live, restricted ? R"({"allowed": [1, 2]})" : "{}"), round));
    const Decided decided = live.find(events.back().decision)->decided;
    if (restricted) {
      ASSERT_NE(decided.action, 0u);
      ASSERT_FALSE(decided.held_out || decided.probe || decided.proposal);
    } else {
      ASSERT_TRUE(decided.proposal);
    }
    if (round >= 100) {
      ASSERT_NE(decided.action, 2u);
    }
    events.push_back(
        live.pay(events.back().decision, dense_part(paid_by(decided.action, round)), round));
    counted += !restricted;
    ASSERT_EQ(live.evidence().of_actions()->rounds(), counted);
  }
  const json report = campaign_report(live, true);
  EXPECT_EQ(report["actions"][2]["probability"], 0.0);
  expect_replayed(live, body, events);
}

TEST(ActionStatus, OfContextualCampaigns) {
  const std::string body = R"json({"name": "week", "policy": "lin_up_ucb(beta=1)",
                                   "actions": ["a", "b", "c"], "features": 2})json";
  LiveCampaign live = campaign_of(body);
  const auto request = [&](const std::string& more) {
    return parsed(live,
                  R"({"context": [[0.5, 0], [0, 0.5]], "affected": [[0], [1], [0, 1]])" + more);
  };
  std::vector<Event> events;
  for (int round = 0; round < 40; ++round) {
    if (round == 20) events.push_back(live.set_status(1, ActionStatus::kPaused, round));
    const bool restricted = round % 2 == 0;
    events.push_back(live.decide(request(restricted ? R"(, "allowed": ["b", "c"]})" : "}"), round));
    const ActionId action = live.find(events.back().decision)->decided.action;
    if (restricted) {
      ASSERT_NE(action, 0u);
    }
    if (round >= 20) {
      ASSERT_NE(action, 1u);
    }
    events.push_back(live.pay(events.back().decision, dense_part({1.0, 0.5}), round));
  }
  EXPECT_EQ(campaign_report(live, true)["taken"][1]["status"], "paused");
  expect_replayed(live, body, events);
}

TEST(ActionStatus, TargetedCampaignsHaveNoActions) {
  LiveCampaign live = campaign_of(
      R"({"name": "mail", "policy": "random", "treatments": 1, "budget": 1, "features": 1})");
  EXPECT_NE(refusal([&] {
              live.set_status(0, ActionStatus::kPaused, 0);
            }).find("have treatments, not actions"),
            std::string::npos);
  EXPECT_NE(refusal([&] { parsed(live, R"({"pool": [[1]], "allowed": [0]})"); }), "(accepted)");
  EXPECT_NE(refusal([&] { action_in_path("0", live.definition()); }), "(accepted)");
}

TEST(ActionStatus, PathsHaveNamesOrNumbers) {
  const LiveCampaign live = campaign_of(shop("up_ts"));
  const RouteMatch match = match_route("POST", "/v1/campaigns/shop/actions/sale/retire");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route->endpoint, Endpoint::kRetireAction);
  EXPECT_EQ(action_in_path(match.action, live.definition()), 2u);
  EXPECT_EQ(action_in_path("1", live.definition()), 1u);
  EXPECT_EQ(refusal([&] { action_in_path("3", live.definition()); }),
            "action = 3: must be a whole number from 0 to 2");
  EXPECT_NE(refusal([&] { action_in_path("sales", live.definition()); }).find("did you mean sale"),
            std::string::npos);
}

/// A second request with the same id gets the same answer, unless it allows others.
TEST(ActionStatus, OfAServiceSurvivesAndIsIdempotent) {
  const testing::TemporaryFolder folder;
  const ServiceOptions options{.store = folder.path("campaigns.db")};
  const CampaignDefinition definition = parse_definition(shop("up_ts"));
  const auto request = [&](const std::string& body) { return parse_decision(body, definition); };
  const std::string first = R"({"decision": "a", "allowed": ["sale", "news"]})";
  ActionId action = 0;
  {
    Service service(options);
    service.create(definition);
    action = service.decide("shop", request(first)).action;
    EXPECT_NE(action, 0u);
    EXPECT_EQ(service.set_status("shop", 1, ActionStatus::kPaused, "ann"), 2u);
    EXPECT_EQ(service.set_status("shop", 1, ActionStatus::kPaused), 2u);
  }
  Service service(options);
  EXPECT_EQ(service.set_status("shop", 1, ActionStatus::kPaused), 2u);
  EXPECT_EQ(service.decide("shop", request(first)).action, action);
  EXPECT_EQ(service.decide("shop", request(R"({"decision": "a", "allowed": [1, 2]})")).action,
            action);
  EXPECT_EQ(
      conflict([&] { service.decide("shop", request(R"({"decision": "a", "allowed": [2]})")); }),
      "decision a was made for another allowed");
  EXPECT_EQ(conflict([&] { service.decide("shop", request(R"({"decision": "a"})")); }),
            "decision a was made for another allowed");
  const json events = service.events("shop", {})["events"];
  EXPECT_EQ(events[1]["kind"], "paused");
  EXPECT_EQ(events[1]["action"], 1);
  EXPECT_EQ(events[1]["by"], "ann");
  EXPECT_EQ(service.decisions("shop", {})["decisions"][0]["allowed"], json({1, 2}));
  EXPECT_THROW(service.set_status("none", 1, ActionStatus::kPaused), NotFound);
}

}  // namespace
}  // namespace updraft
