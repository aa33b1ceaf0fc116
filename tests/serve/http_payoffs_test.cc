// docs/service.md, 'Payoffs'.

#include <chrono>
#include <thread>

#include "campaign_case.h"
#include "on_server.h"

namespace updraft::service_test {
namespace {

class PayoffRequests : public OnServer {
 protected:
  void SetUp() override { api_.create(shop("spring")); }

  std::string decided(const std::string& campaign = "spring") {
    return api_.decide(campaign).at("decision");
  }
  Answer put(const std::string& id, const std::string& body,
             const std::string& campaign = "spring") {
    return api_.put(payoffs_path(campaign, id), body);
  }
  /// Until `id` has `status`; fails after a minute.
  void await(const std::string& campaign, const std::string& id, const std::string& status) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (api_.decision(campaign, id).at("status") != status) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << id << " is never " << status;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
};

TEST_F(PayoffRequests, ComeInAllForms) {
  // Two rounds of each action, the same payoffs in different forms: the same uplifts.
  const std::vector<Json> forms = {
      {{"payoffs", {1.0, 0, 2.5, 0}}},
      {{"payoffs", {{"coffee", 1.0}, {"bread", 2.5}}}},
      {{"indices", {0, 2}}, {"values", {1.0, 2.5}}},
      {{"indices", {2, 0}}, {"values", {2.5, 1.0}}, {"complete", true}, {"part", ""}},
  };
  api_.create(shop("dense", {{"seed", 1}}));
  for (const Json& form : forms) {
    api_.pay("spring", decided(), form);
    api_.pay("dense", decided("dense"), forms[0]);
  }
  const Json mixed = api_.report("spring");
  EXPECT_EQ(mixed.at("actions"), api_.report("dense").at("actions"));
  EXPECT_EQ(count_of(mixed, "complete"), forms.size());
}

TEST_F(PayoffRequests, AreAnsweredWithTheirVersion) {
  const std::string id = decided();
  EXPECT_EQ(api_.pay("spring", id, {{"payoffs", {1, 0, 0, 0}}}),
            Json({{"decision", id}, {"status", "complete"}, {"state_version", 2}}));
}

TEST_F(PayoffRequests, AreTheSameWhenRepeatedAndRefusedWhenDifferent) {
  const std::string id = decided();
  const Json answer = api_.pay("spring", id, {{"payoffs", {1, 0, 2.5, 0}}});
  decided();
  EXPECT_EQ(api_.pay("spring", id, {{"payoffs", {1, 0, 2.5, 0}}}), answer);
  EXPECT_EQ(put(id, R"({"payoffs": [1, 0, 2.5, 1]})").status, 409);
  EXPECT_EQ(put(id, R"({"payoffs": [1, 0, 2.5, 0], "part": "b"})").status, 409);
  EXPECT_EQ(put(id, R"({"indices": [], "values": [], "part": "b"})").status, 409);
  restart();
  EXPECT_EQ(api_.pay("spring", id, {{"payoffs", {1, 0, 2.5, 0}}}), answer);
  EXPECT_EQ(api_.report("spring").at("state_version"), 3);
  EXPECT_EQ(count_of(api_.report("spring"), "complete"), 1u);
}

TEST_F(PayoffRequests, ComeInParts) {
  const std::string id = decided();
  const Json first = {{"payoffs", {{"coffee", 1}}}, {"complete", false}};
  const Json answer = api_.pay("spring", id, first);
  EXPECT_EQ(answer.at("status"), "outstanding");
  EXPECT_EQ(api_.pay("spring", id, first), answer);
  // Another for the same part, and a variable that another part has brought.
  EXPECT_EQ(put(id, R"({"payoffs": {"coffee": 2}, "complete": false})").status, 409);
  EXPECT_EQ(put(id, R"({"payoffs": {"tea": 2}, "complete": false})").status, 409);
  EXPECT_EQ(put(id, R"({"payoffs": {"coffee": 1}, "complete": false, "part": "b"})").status, 409);
  EXPECT_EQ(put(id, R"({"payoffs": [1, 1, 1, 1], "part": "b"})").status, 409);

  EXPECT_EQ(api_.pay("spring", id,
                     {{"indices", {1}}, {"values", {3}}, {"complete", false}, {"part", "b"}})
                .at("status"),
            "outstanding");
  EXPECT_EQ(api_.report("spring").at("actions").at(0).at("pulls"), 0);
  EXPECT_EQ(api_.pay("spring", id, {{"complete", true}, {"part", "end"}}).at("status"), "complete");
  const Json report = api_.report("spring");
  EXPECT_EQ(report.at("actions").at(0).at("pulls"), 1);
  EXPECT_EQ(report.at("state_version"), 4);
  // What was answered stays so.
  EXPECT_EQ(api_.pay("spring", id, first), answer);

  // Learnt as one: the same as in one request.
  api_.create(shop("whole"));
  api_.pay("whole", decided("whole"), {{"payoffs", {1, 3, 0, 0}}});
  EXPECT_EQ(report.at("actions"), api_.report("whole").at("actions"));
}

TEST_F(PayoffRequests, MayComeInPartsAcrossARestart) {
  const std::string id = decided();
  api_.pay("spring", id, {{"payoffs", {{"coffee", 1}}}, {"complete", false}});
  restart();
  EXPECT_EQ(
      api_.put(payoffs_path("spring", id), R"({"payoffs": {"coffee": 1}, "part": "b"})").status,
      409);
  EXPECT_EQ(api_.pay("spring", id, {{"payoffs", {{"tea", 1}}}, {"part", "b"}}).at("status"),
            "complete");
}

TEST_F(PayoffRequests, MayComeInAnyOrder) {
  const std::string first = decided();
  const std::string second = decided();
  EXPECT_EQ(api_.pay("spring", second, {{"payoffs", {0, 0, 1, 0}}}).at("status"), "complete");
  EXPECT_EQ(api_.pay("spring", first, {{"payoffs", {1, 0, 0, 0}}}).at("status"), "complete");
}

TEST_F(PayoffRequests, RefuseWhatCannotBe) {
  const std::string id = decided();
  const auto refused = [&](const std::string& body, const std::string& what) {
    expect_refused(put(id, body), 400, what);
  };
  refused(R"({"payoffs": [1, 0, 2.5]})", "payoffs");
  refused(R"({"payoffs": [1, 0, 2.5, 0, 0]})", "payoffs");
  refused(R"({"payoffs": [1, 0, null, 0]})", "payoffs");
  refused(R"({"payoffs": [1, 0, "2", 0]})", "payoffs");
  refused(R"({"payoffs": [1, 0, true, 0]})", "payoffs");
  refused(R"({"payoffs": 4})", "payoffs");
  refused(R"({"payoffs": {"milk": 1}})", "milk");
  refused(R"({"payoffs": {"tea": "1"}})", "tea");
  refused(R"({"indices": [0, 1], "values": [1]})", "values");
  refused(R"({"indices": [0, 4], "values": [1, 1]})", "indices");
  refused(R"({"indices": [0, -1], "values": [1, 1]})", "indices");
  refused(R"({"indices": [0, 0], "values": [1, 1]})", "indices");
  refused(R"({"indices": [0.5], "values": [1]})", "indices");
  refused(R"({"indices": [0]})", "values");
  refused(R"({"values": [0]})", "indices");
  refused(R"({"payoffs": [1, 0, 0, 0], "indices": [0], "values": [1]})", "");  // two forms
  refused(R"({"payoffs": [1, 0, 0, 0], "complete": 1})", "complete");
  refused(R"({"payoffs": [1, 0, 0, 0], "part": 1})", "part");
  refused(R"({"payoffs": [1, 0, 0, 0], "colour": 1})", "colour");
  refused(R"({"payoffs": [1, 0, 0, 0], "part": ")" + std::string(201, 'x') + "\"}", "part");
  for (const char* body : {"{", "[1, 0, 0, 0]", "7", "", R"({"payoffs": [1e999, 0, 0, 0]})",
                           R"({"payoffs": [NaN, 0, 0, 0]})"}) {
    EXPECT_EQ(put(id, body).status, 400) << body;
  }
  EXPECT_EQ(put("nobody", R"({"payoffs": [1, 0, 0, 0]})").status, 404);
  EXPECT_EQ(put(id, R"({"payoffs": [1, 0, 0, 0]})", "winter").status, 404);
  EXPECT_EQ(api_.report("spring").at("state_version"), 1);
}

TEST_F(PayoffRequests, OfATargetedCampaignHaveOneNumberPerRow) {
  api_.create({{"name", "letters"},
               {"policy", "c2_up_ucb(beta=1)"},
               {"treatments", 1},
               {"budget", 1},
               {"features", 2}});
  const Json pool = {{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}};
  for (const char* id : {"a", "b"}) api_.decide("letters", {{"decision", id}, {"pool", pool}});
  EXPECT_EQ(put("a", R"({"payoffs": [1, 0]})", "letters").status, 400);
  EXPECT_EQ(put("a", R"({"indices": [3], "values": [1]})", "letters").status, 400);
  EXPECT_EQ(put("a", R"({"payoffs": {"coffee": 1}})", "letters").status, 400);
  EXPECT_EQ(api_.pay("letters", "a", {{"payoffs", {1, 0, 0.5}}}).at("status"), "complete");
  EXPECT_EQ(api_.pay("letters", "b", {{"indices", {2}}, {"values", {1}}}).at("status"), "complete");
}

TEST_F(PayoffRequests, OfALostDecisionAreStillLearntFrom) {
  api_.create(shop("hasty", {{"wait", 0.2}}));
  const std::string id = decided("hasty");
  await("hasty", id, "lost");
  Json report = api_.report("hasty");
  EXPECT_EQ(count_of(report, "lost"), 1u);
  EXPECT_EQ(count_of(report, "outstanding"), 0u);
  EXPECT_EQ(report.at("state_version"), 2);
  EXPECT_EQ(report.at("actions").at(0).at("pulls"), 0);
  EXPECT_EQ(api_.pay("hasty", id, {{"payoffs", {1, 0, 0, 0}}}).at("status"), "complete");
  report = api_.report("hasty");
  EXPECT_EQ(count_of(report, "lost"), 0u);
  EXPECT_EQ(count_of(report, "complete"), 1u);
  EXPECT_EQ(report.at("actions").at(0).at("pulls"), 1);
}

TEST_F(PayoffRequests, OfALostDecisionAreRefusedWhereZerosWereCounted) {
  api_.create(shop("strict", {{"wait", 0.2}, {"lost", "zeros"}}));
  const std::string id = decided("strict");
  await("strict", id, "lost");
  const Json report = api_.report("strict");
  EXPECT_EQ(count_of(report, "lost"), 1u);
  EXPECT_EQ(report.at("actions").at(0).at("pulls"), 1);
  EXPECT_EQ(put(id, R"({"payoffs": [1, 0, 0, 0]})", "strict").status, 409);
  EXPECT_EQ(put(id, R"({"payoffs": [0, 0, 0, 0]})", "strict").status, 409);
  EXPECT_EQ(api_.report("strict"), report);
  restart();
  EXPECT_EQ(api_.report("strict"), report);
}

TEST_F(PayoffRequests, AreLostThoughTheServerWasDown) {
  api_.create(shop("hasty", {{"wait", 0.2}}));
  const std::string id = decided("hasty");
  restart();
  await("hasty", id, "lost");
}

}  // namespace
}  // namespace updraft::service_test
