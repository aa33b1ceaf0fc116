// docs/service.md, 'Decisions'.

#include <random>
#include <set>

#include "campaign_case.h"
#include "on_server.h"
#include "traffic.h"

namespace updraft::service_test {
namespace {

using Decisions = OnServer;

TEST_F(Decisions, HaveTheFieldsOfTheContract) {
  api_.create(shop("spring"));
  const Json first = api_.decide("spring", {{"decision", "my-id"}});
  EXPECT_EQ(first, Json({{"decision", "my-id"},
                         {"action", 0},
                         {"action_name", "news"},
                         {"index", nullptr},
                         {"probability", 1.0},
                         {"state_version", 0}}));
  EXPECT_EQ(api_.get(decisions_path("spring") + "/my-id").json().at("probability"), 1.0);
  const Json second = api_.decide("spring", {{"decision", "second"}});
  EXPECT_EQ(second.at("action_name"), "discount");
  EXPECT_EQ(second.at("state_version"), 1);
  api_.pay("spring", "my-id", {{"payoffs", {1, 0, 0, 0}}});
  api_.pay("spring", "second", {{"payoffs", {0, 0, 0, 2}}});
  const Json third = api_.decide("spring");
  EXPECT_TRUE(third.at("index").is_number()) << third;
  EXPECT_EQ(third.at("state_version"), 4);
}

TEST_F(Decisions, AreAnsweredTheSameWhenAskedAgain) {
  api_.create(shop("spring"));
  const Json first = api_.decide("spring", {{"decision", "a"}});
  api_.decide("spring", {{"decision", "b"}});
  api_.pay("spring", "a", {{"payoffs", {1, 1, 1, 1}}});
  EXPECT_EQ(api_.decide("spring", {{"decision", "a"}}), first);
  restart();
  EXPECT_EQ(api_.decide("spring", {{"decision", "a"}}), first);
  EXPECT_EQ(count_of(api_.report("spring"), "decided"), 2u);
}

TEST_F(Decisions, AreGivenIds) {
  api_.create(shop("spring"));
  EXPECT_EQ(api_.decide("spring").at("decision"), "d-1");
  EXPECT_EQ(api_.decide("spring").at("decision"), "d-2");
  // An id that a caller brings is not given again: it is refused, or left out.
  const bool brought = api_.post(decisions_path("spring"), R"({"decision": "d-4"})").ok();
  std::set<std::string> given;
  for (int i = 0; i < 5; ++i) given.insert(api_.decide("spring").at("decision"));
  EXPECT_EQ(given.size(), 5u);
  EXPECT_EQ(given.count("d-4"), brought ? 0u : 1u);
  restart();
  given.insert(api_.decide("spring").at("decision"));
  EXPECT_EQ(given.size(), 6u);
}

TEST_F(Decisions, HaveIdsOfTheRightKind) {
  api_.create(shop("spring"));
  for (const std::string& id :
       {std::string("a"), std::string("A-b_c.d:9"), std::string(200, 'x')}) {
    EXPECT_EQ(api_.decide("spring", {{"decision", id}}).at("decision"), id);
    EXPECT_EQ(api_.decision("spring", id).at("decision"), id);
  }
  for (const Json& id : {Json(""), Json(std::string(201, 'x')), Json("a b"), Json("a/b"),
                         Json("\xC3\xA4"), Json(5), Json(nullptr)}) {
    expect_refused(api_.post(decisions_path("spring"), Json({{"decision", id}}).dump()), 400,
                   "decision");
  }
}

TEST_F(Decisions, RefuseWhatCannotBe) {
  api_.create(shop("spring"));
  expect_refused(api_.post(decisions_path("spring"), R"({"colour": 1})"), 400, "colour");
  expect_refused(api_.post(decisions_path("spring"), R"({"pool": [[1]]})"), 400, "pool");
  for (const char* body : {"{", "[]", "7", "\"a\""}) {
    EXPECT_EQ(api_.post(decisions_path("spring"), body).status, 400) << body;
  }
  EXPECT_EQ(api_.post(decisions_path("winter")).status, 404);
  EXPECT_EQ(api_.get(decision_path("spring", "nobody")).status, 404);
  EXPECT_EQ(api_.get(decision_path("winter", "nobody")).status, 404);
  EXPECT_EQ(api_.report("spring").at("state_version"), 0);
}

TEST_F(Decisions, OfferEveryActionOnceFirst) {
  CampaignCase campaign = case_with_known_sets("up_ucb(alpha=1)");
  api_.create(campaign.definition);
  std::set<int> offered;
  for (int i = 0; i < 5; ++i) {
    const Json answer = api_.decide(campaign.name);
    offered.insert(answer.at("action").get<int>());
    EXPECT_TRUE(answer.at("index").is_null());
    // Feedback of some does not change what the others are offered.
    if (i % 2 == 0) {
      api_.pay(campaign.name, answer.at("decision"), {{"indices", {0}}, {"values", {1}}});
    }
  }
  EXPECT_EQ(offered.size(), 5u);
}

TEST_F(Decisions, AreShownWithTheirStatus) {
  api_.create(shop("spring"));
  const Json answer = api_.decide("spring", {{"decision", "a"}});
  Json shown = api_.decision("spring", "a");
  EXPECT_EQ(shown.at("status"), "outstanding");
  for (const auto& [field, value] : answer.items()) EXPECT_EQ(shown.at(field), value) << field;
  api_.pay("spring", "a", {{"payoffs", Json::object()}});
  EXPECT_EQ(api_.decision("spring", "a").at("status"), "complete");
}

TEST_F(Decisions, OfTargetedCampaignsBringTheirPool) {
  CampaignCase campaign = targeted_case("c2_up_ucb(beta=1)");
  api_.create(campaign.definition);
  RequestMaker maker(campaign, 1);
  const Json request = maker.decision("a");
  const Json answer = api_.decide(campaign.name, request);
  ASSERT_EQ(answer.at("treatments").size(), campaign.rows);
  EXPECT_FALSE(answer.contains("action"));
  for (const Json& treatment : answer["treatments"]) EXPECT_LE(treatment.get<int>(), 2);
  EXPECT_EQ(api_.decide(campaign.name, request), answer);
  expect_refused(api_.post(decisions_path(campaign.name), maker.decision("a").dump()), 409, "pool");

  const auto refused = [&](const Json& pool) {
    expect_refused(api_.post(decisions_path(campaign.name), Json({{"pool", pool}}).dump()), 400,
                   "pool");
  };
  refused(Json::array());
  refused(5);
  refused({{1, 2, 3}});
  refused({{1, 2, 3, 4}, {1, 2, 3, "x"}});
  refused({{1, 2, 3, 4}, {1, 2, 3, nullptr}});
  EXPECT_EQ(api_.post(decisions_path(campaign.name), "{}").status, 400);
}

TEST_F(Decisions, OfCampaignsWithContextsBringTheirContext) {
  const CampaignCase campaign = contextual_case("lin_up_ucb(beta=1)");
  api_.create(campaign.definition);
  RequestMaker maker(campaign, 1);
  const Json request = maker.decision("a");
  const Json answer = api_.decide(campaign.name, request);
  EXPECT_EQ(answer.at("action"), 0);
  EXPECT_EQ(answer.at("action_name"), "news");
  EXPECT_EQ(answer.at("index"), nullptr);
  EXPECT_EQ(answer.at("probability"), 1.0);
  EXPECT_EQ(api_.decide(campaign.name, request), answer);
  Json other = request;
  other["affected"][1] = {0, 1, 2, 3, 4, 5, 6};
  for (const Json& body : {maker.decision("a"), other}) {
    expect_refused(api_.post(decisions_path(campaign.name), body.dump()), 409, "context");
  }

  const Json before = api_.get(campaign_path(campaign.name)).json();
  const auto refused = [&](const std::string& field, const Json& value, const std::string& what) {
    Json body = maker.decision("b");
    value.is_null() ? static_cast<void>(body.erase(field)) : static_cast<void>(body[field] = value);
    expect_refused(api_.post(decisions_path(campaign.name), body.dump()), 400, what);
  };
  refused("context", nullptr, "context");
  refused("context", Json::array(), "0 rows");
  refused("context", {{1, 2, 3}}, "context[0]");
  refused("context", {{1, 2, 3, "x"}}, "context[0][3]");
  refused("context", {{1, 2, 3, 1e101}}, "context[0][3]");
  refused("baseline", {1, 2}, "baseline");
  refused("affected", nullptr, "affected");
  refused("affected", {{0}, {1}}, "2 lists");
  refused("affected", {{0}, {1}, {12}}, "affected[2][0]");
  refused("pool", {{1, 2, 3, 4}}, "pool");
  expect_refused(api_.post(decisions_path(campaign.name), R"({"context": [[1, 2, 3, NaN]]})"), 400,
                 "not JSON");
  const auto unpaid = [&](const Json& payoffs, const std::string& what) {
    expect_refused(api_.put(payoffs_path(campaign.name, "a"), payoffs.dump()), 400, what);
  };
  unpaid({{"payoffs", {1, 2}}}, "2 numbers");
  unpaid({{"indices", {12}}, {"values", {1}}}, "12");
  unpaid({{"payoffs", {{"coffee", 1}}}}, "no names");
  EXPECT_EQ(api_.get(campaign_path(campaign.name)).json(), before);

  api_.pay(campaign.name, "a", {{"indices", {0, 11}}, {"values", {1, 2}}});
  const Json report = api_.report(campaign.name);
  restart();
  EXPECT_EQ(api_.report(campaign.name), report);
  EXPECT_EQ(api_.decide(campaign.name, request), answer);
}

/// The service and the library, side by side for 300 rounds of random payoffs that come late and
/// out of order.
void expect_the_librarys_decisions(Api& api, const CampaignCase& campaign) {
  api.create(campaign.definition);
  Twin twin(campaign);
  RequestMaker maker(campaign, 77);
  std::vector<Round> open;
  for (int i = 0; i < 300; ++i) {
    Round round;
    round.id = "r" + std::to_string(i);
    round.decision.body = maker.decision(round.id);
    round.decision.answer = api.decide(campaign.name, round.decision.body);
    ASSERT_EQ(decided_part(*round.decision.answer), twin.decide(round.decision.body)) << i;
    maker.add_payoffs(round);
    open.push_back(std::move(round));
    if (open.size() < 4) continue;
    std::swap(open[maker.below(open.size())], open.back());
    std::vector<Json> parts;
    for (const Exchange& part : open.back().parts) {
      api.pay(campaign.name, open.back().id, part.body);
      parts.push_back(part.body);
    }
    if (open.back().ends) twin.pay(open.back().decision.body, *open.back().decision.answer, parts);
    open.pop_back();
  }
  EXPECT_EQ(twin.report_differences(api.report(campaign.name)), "");
}

TEST_F(Decisions, AreTheLibrarysForIndexPolicies) {
  expect_the_librarys_decisions(api_, case_with_known_sets("up_ucb(alpha=1)"));
}

TEST_F(Decisions, AreTheLibrarysForDrawingPolicies) {
  expect_the_librarys_decisions(api_, case_with_known_sets("up_ts"));
}

TEST_F(Decisions, AreTheLibrarysForTargetedCampaigns) {
  expect_the_librarys_decisions(api_, targeted_case("c2_up_ucb(beta=1)"));
}

TEST_F(Decisions, AreTheLibrarysForCampaignsWithContexts) {
  expect_the_librarys_decisions(api_, contextual_case("lin_up_ucb(beta=0.5)"));
}

TEST_F(Decisions, AreTheLibrarysForContextsWithUnknownSets) {
  expect_the_librarys_decisions(api_, contextual_case("lin_up_ucb(beta=0.1, max_affected=4)"));
}

}  // namespace
}  // namespace updraft::service_test
