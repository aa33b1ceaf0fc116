// docs/service.md, 'Campaigns' and 'Report'.

#include <algorithm>
#include <vector>

#include "campaign_case.h"
#include "on_server.h"

namespace updraft::service_test {
namespace {

using Campaigns = OnServer;

TEST_F(Campaigns, AreMadeOnceAndNamesAreTakenOnce) {
  EXPECT_EQ(api_.post("/v1/campaigns", shop("spring").dump()).status, 201);
  EXPECT_EQ(api_.post("/v1/campaigns", shop("spring").dump()).status, 200);
  // The same in other words: order of keys, spaces, defaults.
  const std::string reworded = R"json({
      "knowledge": {"affected": [["coffee", "tea"], ["bread", "cake"]]}, "seed": 1,
      "variables": ["coffee", "tea", "bread", "cake"], "actions": ["news", "discount"],
      "lost": "skip", "policy": "up_ucb( alpha = 1.0 )", "name": "spring"})json";
  EXPECT_EQ(api_.post("/v1/campaigns", reworded).status, 200);
  expect_refused(api_.post("/v1/campaigns", shop("spring", {{"seed", 2}}).dump()), 409, "spring");
  EXPECT_EQ(api_.post("/v1/campaigns", shop("summer", {{"seed", 2}}).dump()).status, 201);
}

TEST_F(Campaigns, AreStillThereAfterARestart) {
  api_.create(shop("spring"));
  const Json shown = api_.get("/v1/campaigns/spring").json();
  restart();
  EXPECT_EQ(api_.get("/v1/campaigns/spring").json(), shown);
  EXPECT_EQ(api_.post("/v1/campaigns", shop("spring").dump()).status, 200);
}

TEST_F(Campaigns, HaveNamesOfTheRightKind) {
  for (const std::string& name :
       {std::string("A"), std::string("a.b_c-9"), std::string(100, 'x')}) {
    EXPECT_EQ(api_.post("/v1/campaigns", shop(name).dump()).status, 201) << name;
  }
  for (const std::string& name :
       {std::string(), std::string(101, 'x'), std::string("a b"), std::string("a/b"),
        std::string("a:b"), std::string("\xC3\xA4")}) {
    expect_refused(api_.post("/v1/campaigns", shop(name).dump()), 400, "name");
  }
}

TEST_F(Campaigns, HaveActionsAndVariablesOfTheRightKind) {
  const auto refused = [&](const Json& more, const std::string& what) {
    expect_refused(api_.post("/v1/campaigns", shop("x", more).dump()), 400, what);
  };
  for (const char* field : {"actions", "variables"}) {
    for (const Json& wrong :
         {Json(0), Json(-1), Json(1.5), Json("two"), Json::array(), Json(nullptr),
          Json({"same", "same"}), Json({"", "b"}), Json({std::string(201, 'x'), "b"}),
          Json({"a\nb", "c"}), Json({1, 2})}) {
      refused({{field, wrong}}, field);
    }
  }
  EXPECT_EQ(
      api_.post("/v1/campaigns",
                shop("named", {{"actions", {std::string(200, 'x'), "\xC3\xA4 & <b>"}}}).dump())
          .status,
      201);
  EXPECT_EQ(
      api_.post("/v1/campaigns", shop("numbered", {{"actions", 2},
                                                   {"variables", 4},
                                                   {"knowledge", {{"affected", {{0, 1}, {2, 3}}}}}})
                                     .dump())
          .status,
      201);
}

TEST_F(Campaigns, KnowWhatTheyAreTold) {
  const Json knowledge = {{"baseline", {1, 2, 3, 4}},
                          {"affected", {{0}, {"cake", 2}}},
                          {"max_affected", 2},
                          {"min_uplift", 0.5},
                          {"effect_gap", 0.25},
                          {"horizon", 100},
                          {"reward_prior", {{"mean", 1}, {"variance", 2}}},
                          {"observations", {{"counts", {5, 5, 5, 5}}, {"means", {1, 2, 3, 4}}}}};
  api_.create(shop("all", {{"knowledge", knowledge}, {"policy", "auto"}}));

  const auto refused = [&](const Json& told, const std::string& what) {
    expect_refused(api_.post("/v1/campaigns", shop("x", {{"knowledge", told}}).dump()), 400, what);
  };
  refused({{"affected", {{0}}}}, "affected");
  refused({{"affected", {{0}, {4}}}}, "affected");
  refused({{"affected", {{0}, {"milk"}}}}, "affected");
  refused({{"affected", {{0, 0}, {1}}}}, "affected");
  refused({{"affected", {{0}, {1}}}, {"baseline", {1, 2}}}, "baseline");
  refused({{"affected", {{0}, {1}}}, {"min_uplift", -1}}, "min_uplift");
  refused({{"affected", {{0}, {1}}}, {"horizon", 0}}, "horizon");
  refused({{"affected", {{0}, {1}}}, {"wealth", 1}}, "wealth");
  refused({{"baseline", {1, 2, 3, 4}}}, "affected");  // needed by the policy
}

TEST_F(Campaigns, RefuseWhatCannotBe) {
  const auto refused = [&](const Json& more, const std::string& what) {
    expect_refused(api_.post("/v1/campaigns", shop("x", more).dump()), 400, what);
  };
  refused({{"policy", "up_ucb(alpha=-1)"}}, "alpha");
  refused({{"policy", "up_ubc(alpha=1)"}}, "up_ubc");
  refused({{"policy", 5}}, "policy");
  refused({{"seed", -1}}, "seed");
  refused({{"seed", 0.5}}, "seed");
  refused({{"wait", -1}}, "wait");
  refused({{"wait", "long"}}, "wait");
  refused({{"lost", "forget"}}, "lost");
  refused({{"colour", "red"}}, "colour");
  refused({{"features", 3}}, "");  // either actions or a shape
  for (const char* field : {"name", "policy", "actions", "variables"}) {
    Json without = shop("x");
    without.erase(field);
    expect_refused(api_.post("/v1/campaigns", without.dump()), 400, field);
  }
  EXPECT_EQ(api_.get("/v1/campaigns/x").status, 404);
}

TEST_F(Campaigns, RefuseWhatIsNotAJsonObject) {
  for (const char* body : {"", "{", "[]", "1", "null", "{\"name\": }", "{} {}", "\xFF\xFE"}) {
    EXPECT_EQ(api_.post("/v1/campaigns", body).status, 400) << body;
  }
}

TEST_F(Campaigns, OfIndividualsHaveAShape) {
  const Json right = {{"name", "letters"},
                      {"policy", "c2_up_ucb(beta=1)"},
                      {"treatments", 2},
                      {"budget", 3},
                      {"features", 4}};
  EXPECT_EQ(api_.post("/v1/campaigns", right.dump()).status, 201);
  for (const char* field : {"treatments", "budget", "features"}) {
    Json wrong = right;
    wrong["name"] = "other";
    wrong[field] = 0;
    expect_refused(api_.post("/v1/campaigns", wrong.dump()), 400, field);
    wrong.erase(field);
    expect_refused(api_.post("/v1/campaigns", wrong.dump()), 400, field);
  }
}

TEST_F(Campaigns, AreListedAndShown) {
  api_.create(shop("spring"));
  api_.create(shop("summer"));
  const Answer list = api_.get("/v1/campaigns");
  EXPECT_EQ(list.status, 200);
  EXPECT_NE(list.text.find("\"spring\""), std::string::npos);
  EXPECT_NE(list.text.find("\"summer\""), std::string::npos);
  const Json shown = api_.get("/v1/campaigns/spring").json();
  EXPECT_NE(shown.dump().find("\"spring\""), std::string::npos);
  EXPECT_NE(shown.dump().find("up_ucb"), std::string::npos);
  expect_refused(api_.get("/v1/campaigns/winter"), 404, "winter");
}

TEST_F(Campaigns, StopDecidingButNotLearning) {
  api_.create(shop("spring"));
  api_.decide("spring", {{"decision", "a"}});
  EXPECT_TRUE(api_.post("/v1/campaigns/spring/stop").ok());
  expect_refused(api_.post(decisions_path("spring"), R"({"decision": "b"})"), 409, "stop");
  // What was decided is still answered, and learnt from.
  EXPECT_EQ(api_.decide("spring", {{"decision", "a"}}).at("decision"), "a");
  EXPECT_EQ(api_.pay("spring", "a", {{"payoffs", {1, 0, 0, 0}}}).at("status"), "complete");
  EXPECT_EQ(count_of(api_.report("spring"), "complete"), 1u);
  // Stopping again changes nothing, and a restart does not either.
  const Json report = api_.report("spring");
  EXPECT_TRUE(api_.post("/v1/campaigns/spring/stop").ok());
  EXPECT_EQ(api_.report("spring"), report);
  restart();
  EXPECT_EQ(api_.post(decisions_path("spring")).status, 409);
  EXPECT_EQ(api_.post("/v1/campaigns/winter/stop").status, 404);
}

TEST_F(Campaigns, ReportWhatTheyLearnt) {
  api_.create(shop("spring"));
  const Json fresh = api_.report("spring");
  EXPECT_EQ(fresh.at("state_version"), 0);
  for (const char* which : {"decided", "complete", "outstanding", "lost"}) {
    EXPECT_EQ(count_of(fresh, which), 0u);
  }
  ASSERT_EQ(fresh.at("actions").size(), 2u);
  for (const Json& action : fresh["actions"]) {
    EXPECT_EQ(action.at("pulls"), 0);
    for (const char* field : {"uplift", "index", "radius", "interval"}) {
      EXPECT_TRUE(action.at(field).is_null()) << field;
    }
  }
  for (int round = 0; round < 4; ++round) {
    const std::string id = api_.decide("spring").at("decision");
    if (round < 3) api_.pay("spring", id, {{"payoffs", {1, 2, 0, 0}}});
  }
  const Json report = api_.report("spring");
  EXPECT_EQ(report.at("state_version"), 7);
  EXPECT_EQ(count_of(report, "decided"), 4u);
  EXPECT_EQ(count_of(report, "complete"), 3u);
  EXPECT_EQ(count_of(report, "outstanding"), 1u);
  for (const Json& action : report.at("actions")) {
    EXPECT_GT(action.at("pulls"), 0);
    EXPECT_TRUE(action.at("uplift").is_number());
    EXPECT_TRUE(action.at("index").is_number());
    EXPECT_TRUE(action.at("radius").is_number());
  }
  EXPECT_EQ(report.at("definition").at("policy"), "up_ucb(alpha=1)") << report;
  EXPECT_EQ(api_.get("/v1/campaigns/winter/report").status, 404);
}

TEST_F(Campaigns, ReportIdentifiedVariables) {
  api_.create(shop("search", {{"policy", "up_ucb_l_bl(alpha=0.1)"},
                              {"knowledge", {{"baseline", {0, 0, 0, 0}}, {"max_affected", 2}}}}));
  for (int round = 0; round < 40; ++round) {
    const Json decided = api_.decide("search");
    const bool news = decided.at("action") == 0;
    api_.pay("search", decided.at("decision"),
             {{"payoffs", {news ? 5 : 0, news ? 5 : 0, news ? 0 : 5, 0}}});
  }
  const Json report = api_.report("search");
  EXPECT_EQ(report.at("actions").at(0).at("identified").size(), 2u) << report;
  EXPECT_EQ(report.at("actions").at(1).at("identified").size(), 1u) << report;
}

}  // namespace
}  // namespace updraft::service_test
