// Rounds that the policy did not decide: past rounds, shadow mode; and the list of decisions.

#include <gtest/gtest.h>

#include <algorithm>

#include "on_server.h"
#include "updraft/registry.h"

namespace updraft::service_test {
namespace {

using OthersRounds = OnServer;

std::string history_path(const std::string& campaign) {
  return campaign_path(campaign) + "/history";
}

Json batch(const std::string& id, const Json& rounds) {
  return {{"batch", id}, {"rounds", rounds}};
}

const Json kRounds = {{{"action", "news"}, {"payoffs", {1, 0, 2.5, 0.5}}},
                      {{"action", 1}, {"payoffs", {{"tea", 3}}}},
                      {{"action", 1}, {"indices", {3, 0}}, {"values", {1, 2}}},
                      {{"action", 0}, {"payoffs", {0.5, 0.25, 2, 1}}}};

/// The library's policy after kRounds.
std::unique_ptr<Policy> warm_policy(const char* spec) {
  Knowledge knowledge(2, 4);
  knowledge.set_affected({VariableSet::from_ids({0, 1}), VariableSet::from_ids({2, 3})});
  auto policy = make_policy(spec, knowledge);
  const auto learn = [&](ActionId action, const std::vector<double>& paid) {
    policy->take(action);
    policy->observe(action, Payoffs::dense(paid));
  };
  learn(0, {1, 0, 2.5, 0.5});
  learn(1, {0, 3, 0, 0});
  learn(1, {2, 0, 0, 1});
  learn(0, {0.5, 0.25, 2, 1});
  return policy;
}

TEST_F(OthersRounds, PastRoundsAreLearnedFromAsFitDoes) {
  api_.create(shop("spring"));
  const Answer first = api_.post(history_path("spring"), batch("2023", kRounds).dump());
  ASSERT_EQ(first.status, 200) << first.text;
  EXPECT_EQ(first.json(), Json({{"batch", "2023"}, {"rounds", 4}, {"state_version", 1}}));

  const auto expect_learned = [&] {
    const Json report = api_.report("spring");
    EXPECT_EQ(report.at("past"), Json({{"rounds", 4}, {"batches", 1}}));
    EXPECT_EQ(report.at("decisions").at("decided"), 0);
    for (ActionId a = 0; a < 2; ++a) {
      const Json& row = report.at("actions")[a];
      EXPECT_EQ(row.at("pulls"), 2);
      EXPECT_EQ(row.at("decided"), 0);
      EXPECT_EQ(row.at("index"), warm_policy("up_ucb(alpha=1)")->explain().actions[a].index);
    }
  };
  expect_learned();
  server_.kill();
  restart();
  expect_learned();
  // Again, also after a decision: the same answer, and nothing else.
  EXPECT_EQ(api_.post(history_path("spring"), batch("2023", kRounds).dump()).text, first.text);
  const Json decided = api_.decide("spring", {{"decision", "a"}});
  EXPECT_EQ(decided.at("action"),
            warm_policy("up_ucb(alpha=1)")->decide(Stream(1, 0, Purpose::kPolicy)).action);
  EXPECT_EQ(api_.post(history_path("spring"), batch("2023", kRounds).dump()).text, first.text);
  EXPECT_EQ(api_.report("spring").at("past").at("rounds"), 4);
  // Recorded as such, and never among the decisions.
  const Json events = api_.get(campaign_path("spring") + "/events").json().at("events");
  EXPECT_EQ(events.at(0).at("kind"), "history");
  EXPECT_EQ(events.at(0).at("batch"), "2023");
  EXPECT_EQ(events.at(0).at("rounds"), 4);
  EXPECT_EQ(api_.get(decisions_path("spring")).json().at("decisions").size(), 1u);
  const cli_test::Outcome checked = run_to_end({"store", "check", "--store", server_.store()});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
}

TEST_F(OthersRounds, PastRoundsThatAreWrongTeachNothing) {
  api_.create(shop("spring"));
  const auto post = [&](const Json& body) {
    return api_.post(history_path("spring"), body.dump());
  };
  Json unknown = kRounds;
  unknown[3]["action"] = "sale";
  expect_refused(post(batch("b", unknown)), 400, "rounds[3].action");
  Json short_one = kRounds;
  short_one[0]["payoffs"] = {1, 2};
  expect_refused(post(batch("b", short_one)), 400, "rounds[0].payoffs");
  expect_refused(post({{"batch", "b"}, {"rounds", {{{"action", 0}}}}}), 400, "rounds[0].payoffs");
  expect_refused(post(batch("a/b", kRounds)), 400, "batch");
  expect_refused(post({{"rounds", kRounds}}), 400, "batch");
  expect_refused(post(batch("b", Json::array())), 400, "rounds");
  expect_refused(api_.post(history_path("spring"), "{\"batch\": \"b\", \"rounds\": [1"), 400,
                 "not JSON");
  EXPECT_FALSE(api_.report("spring").contains("past"));
  EXPECT_EQ(api_.report("spring").at("state_version"), 0);

  ASSERT_EQ(post(batch("b", kRounds)).status, 200);
  Json other = kRounds;
  other[2]["values"] = {1, 2.5};
  expect_refused(post(batch("b", other)), 409, "batch b");
  api_.decide("spring");
  expect_refused(post(batch("c", kRounds)), 409, "before");
  api_.create({{"name", "mail"},
               {"policy", "c2_up_ucb(beta=1)"},
               {"treatments", 1},
               {"budget", 1},
               {"features", 2}});
  expect_refused(api_.post(history_path("mail"), batch("b", kRounds).dump()), 400, "plain");
  expect_refused(api_.post(history_path("none"), batch("b", kRounds).dump()), 404, "none");
}

TEST_F(OthersRounds, InShadowModeTheCallerDecidesAndThePolicyLearns) {
  api_.create(shop("spring", {{"mode", "shadow"}}));
  EXPECT_EQ(api_.report("spring").at("mode"), "shadow");
  expect_refused(api_.post(decisions_path("spring")), 400, "action");
  expect_refused(api_.post(decisions_path("spring"), R"({"action": "sale"})"), 400, "action");
  expect_refused(api_.post(decisions_path("spring"), R"({"action": 0, "probability": 0})"), 400,
                 "probability");

  auto twin = warm_policy("up_ucb(alpha=1)");
  twin = make_policy(twin->spec(), twin->knowledge());
  const Stream stream(1, 0, Purpose::kPolicy);
  std::size_t agreed = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string id = "r" + std::to_string(round);
    const ActionId taken = round % 3 == 0 ? 1 : 0;
    const ActionId proposal = twin->preview(stream).action;
    const Json request = {{"decision", id}, {"action", taken}, {"probability", 0.25}};
    const Json decided = api_.decide("spring", request);
    EXPECT_EQ(decided.at("action"), taken);
    EXPECT_EQ(decided.at("proposal"), proposal);
    EXPECT_EQ(decided.at("probability"), 0.25);
    EXPECT_EQ(api_.decide("spring", request), decided);  // again
    agreed += taken == proposal;
    const std::vector<double> paid = {1.0 * round, 0.5, taken * 2.0, 1};
    api_.pay("spring", id, {{"payoffs", paid}});
    twin->take(taken);
    twin->observe(taken, Payoffs::dense(paid));
    if (round == 6) {
      server_.kill();
      restart();
    }
  }
  const Json report = api_.report("spring");
  EXPECT_EQ(report.at("shadow"),
            Json({{"decisions", 12}, {"agreed", agreed}, {"share", agreed / 12.0}}));
  EXPECT_EQ(report.at("actions")[0].at("index"), twin->explain().actions[0].index);
  expect_refused(api_.post(decisions_path("spring"), R"({"decision": "r1", "action": 1})"), 409,
                 "action");

  // One request makes it live.
  const Answer live = api_.post(campaign_path("spring") + "/live");
  ASSERT_EQ(live.status, 200) << live.text;
  EXPECT_EQ(live.json().at("mode"), "live");
  EXPECT_EQ(api_.post(campaign_path("spring") + "/live").json().at("state_version"),
            live.json().at("state_version"));  // again
  server_.kill();
  restart();
  expect_refused(api_.post(decisions_path("spring"), R"({"action": 0})"), 409, "live");
  const Json decided = api_.decide("spring");
  EXPECT_EQ(decided.at("action"), twin->decide(stream).action);
  EXPECT_FALSE(decided.contains("proposal"));
  EXPECT_EQ(api_.report("spring").at("shadow").at("decisions"), 12);
  const cli_test::Outcome checked = run_to_end({"store", "check", "--store", server_.store()});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
}

TEST_F(OthersRounds, ShadowModeIsForCampaignsThatSaySo) {
  api_.create(shop("spring"));
  expect_refused(api_.post(decisions_path("spring"), R"({"action": 0})"), 400, "shadow");
  const auto create = [&](const Json& body) { return api_.post("/v1/campaigns", body.dump()); };
  expect_refused(create(shop("a", {{"mode", "dark"}})), 400, "mode");
  expect_refused(create({{"name", "mail"},
                         {"policy", "c2_up_ucb(beta=1)"},
                         {"treatments", 1},
                         {"budget", 1},
                         {"features", 2},
                         {"mode", "shadow"}}),
                 400, "mode");
  EXPECT_EQ(create(shop("spring", {{"mode", "live"}})).status, 200);  // the same campaign
  expect_refused(create(shop("spring", {{"mode", "shadow"}})), 409, "spring");
  expect_refused(api_.post(campaign_path("none") + "/live"), 404, "none");
  api_.create(shop("autumn", {{"mode", "shadow"}}));
  api_.post(campaign_path("autumn") + "/stop");
  expect_refused(api_.post(campaign_path("autumn") + "/live"), 409, "stopped");
}

TEST_F(OthersRounds, DecisionsAreListedInPages) {
  api_.create(shop("spring", {{"policy", "up_ts"}, {"wait", 1000}}));
  std::vector<Json> decided;
  for (const char* id : {"a", "b", "c"}) {
    decided.push_back(api_.decide("spring", {{"decision", id}}));
  }
  api_.pay("spring", "b", {{"payoffs", {0.5, 0, -1, 2}}});
  api_.pay("spring", "a", {{"part", "x"}, {"complete", false}, {"payoffs", {{"tea", 3}}}});
  const auto page = [&](const std::string& query) {
    return api_.get(decisions_path("spring") + query).json();
  };
  const Json all = page("");
  ASSERT_EQ(all.at("decisions").size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& row = all["decisions"][i];
    EXPECT_EQ(row.at("event"), i + 1);
    for (const char* key : {"decision", "action", "action_name", "probability"}) {
      EXPECT_EQ(row.at(key), decided[i].at(key)) << key;
    }
  }
  EXPECT_EQ(all["decisions"][0].at("status"), "outstanding");
  EXPECT_TRUE(all["decisions"][0].at("payoffs").is_null());
  EXPECT_EQ(all["decisions"][1].at("status"), "complete");
  EXPECT_EQ(all["decisions"][1].at("payoffs"),
            Json({{"coffee", 0.5}, {"tea", 0.0}, {"bread", -1.0}, {"cake", 2.0}}));
  EXPECT_EQ(all.at("next"), 5);
  EXPECT_TRUE(page("?after=5").at("next").is_null());
  const Json first = page("?count=2");
  EXPECT_EQ(first.at("decisions").size(), 2u);
  EXPECT_EQ(page("?count=2&after=" + first.at("next").dump()).at("decisions"),
            Json::array({all["decisions"][2]}));
  api_.pay("spring", "a", {{"part", "y"}, {"payoffs", {{"cake", 1}}}});
  EXPECT_EQ(page("?count=1").at("decisions")[0].at("payoffs"), Json({{"tea", 3.0}, {"cake", 1.0}}));
  expect_refused(api_.get(decisions_path("spring") + "?count=0"), 400, "count");
  expect_refused(api_.get(decisions_path("none")), 404, "none");

  api_.create({{"name", "mail"},
               {"policy", "c2_up_ucb(beta=1)"},
               {"treatments", 1},
               {"budget", 1},
               {"features", 1}});
  const Json mailed = api_.decide("mail", {{"pool", {{0.5}, {1}, {0.25}}}}).at("treatments");
  const auto treated = std::count(mailed.begin(), mailed.end(), 1);
  EXPECT_EQ(api_.get(decisions_path("mail")).json().at("decisions")[0].at("treated"),
            Json({3 - treated, treated}));
}

/// After a kill the statements are the same, and go on.
TEST_F(OthersRounds, HoldoutAndGuardrailsSurviveAKill) {
  const Json definition = {{"name", "proof"},
                           {"policy", "up_ts"},
                           {"actions", {"none", "sale"}},
                           {"variables", {"tea", "returns"}},
                           {"knowledge", {{"affected", {Json::array(), {"tea", "returns"}}}}},
                           {"holdout", {{"control", "none"}, {"share", 0.25}}},
                           {"guardrails",
                            {{{"name", "few returns"},
                              {"variables", {"returns"}},
                              {"tolerance", 0.5},
                              {"pause", true}}}}};
  api_.create(definition);
  EXPECT_EQ(api_.post("/v1/campaigns", definition.dump()).status, 200);  // the same again
  std::size_t held = 0;
  std::size_t sales = 0;
  for (int round = 0; round < 120; ++round) {
    const Json decided = api_.decide("proof");
    EXPECT_GT(decided.at("probability").get<double>(), 0.0);
    if (decided.at("held_out").get<bool>()) {
      EXPECT_EQ(decided.at("action_name"), "none");
      EXPECT_GE(decided.at("probability").get<double>(), 0.25);
      ++held;
    }
    const double sale = decided.at("action").get<double>();
    sales += sale > 0.0;
    api_.pay("proof", decided.at("decision"),
             {{"payoffs", {5.0 * sale + 0.1 * (round % 7), -2.0 * sale + 0.1 * (round % 5)}}});
  }
  EXPECT_GT(held, 0u);
  EXPECT_GT(sales, 0u);
  const auto evidence = [&] {
    const Json report = api_.report("proof");
    return Json({report.at("settled"), report.at("gain"), report.at("guardrails")});
  };
  const Json before = evidence();
  EXPECT_EQ(before[1].at("held_out"), held);
  EXPECT_EQ(before[2].at(0).at("action"), "sale");
  EXPECT_TRUE(api_.report("proof").at("actions")[1].at("paused").get<bool>());
  server_.kill();
  restart();
  EXPECT_EQ(evidence(), before);
  EXPECT_EQ(api_.decide("proof").at("action_name"), "none");  // the other one is paused
  const std::string metrics = api_.get("/metrics").text;
  EXPECT_NE(metrics.find("updraft_guardrail_alarms{campaign=\"proof\"} 1\n"), std::string::npos);
  EXPECT_NE(metrics.find("updraft_decisions_held_out_total{campaign=\"proof\"} "),
            std::string::npos);
  const cli_test::Outcome checked = run_to_end({"store", "check", "--store", server_.store()});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  expect_refused(api_.post("/v1/campaigns", shop("x", {{"holdout", {{"share", 0.1}}}}).dump()), 400,
                 "holdout.control");

  // A campaign goes to another store with all of it.
  const cli_test::Outcome exported =
      run_to_end({"store", "export", "--store", server_.store(), "proof"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  testing::TemporaryFolder folder;
  const std::string log = folder.write("proof.jsonl", exported.out);
  const cli_test::Outcome imported =
      run_to_end({"store", "import", "--store", folder.path("other.db"), "--file", log});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  const Server other({.store = folder.path("other.db"), .further = {}});
  const Json there = Api(other.port()).report("proof");
  EXPECT_EQ(Json({there.at("settled"), there.at("gain"), there.at("guardrails")}), before);
}

}  // namespace
}  // namespace updraft::service_test
