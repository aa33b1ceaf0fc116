// Rounds that allow only some actions, and actions that are paused and retired, over kills.

#include <gtest/gtest.h>

#include "on_server.h"
#include "updraft/registry.h"

namespace updraft::service_test {
namespace {

using Actions = OnServer;

std::string action_path(const std::string& campaign, const std::string& action,
                        const std::string& verb) {
  return campaign_path(campaign) + "/actions/" + action + "/" + verb;
}

/// With a kill after each change: every decision is that of the library's policy.
TEST_F(Actions, ArePausedResumedAndRetiredOverKills) {
  api_.create(shop("spring", {{"actions", {"news", "discount", "free mug"}},
                              {"policy", "up_ts"},
                              {"knowledge", {{"affected", {{0, 1}, {2}, {3}}}}}}));
  Knowledge knowledge(3, 4);
  knowledge.set_affected(
      {VariableSet::from_ids({0, 1}), VariableSet::from_ids({2}), VariableSet::from_ids({3})});
  const auto twin = make_policy("up_ts", knowledge);
  const Stream stream(1, 0, Purpose::kPolicy);
  const auto play = [&](const std::vector<ActionId>& allowed, const Json& request) {
    const Decision expected = twin->decide({.allowed = allowed}, stream);
    const Json decided = api_.decide("spring", request);
    ASSERT_EQ(decided.at("action"), expected.action);
    ASSERT_EQ(decided.at("probability"), expected.probability);
    const auto number = static_cast<double>(expected.number);
    const std::vector<double> paid = {number, 0.5, 2.0 * expected.action, 1.0};
    api_.pay("spring", decided.at("decision"), {{"payoffs", paid}});
    twin->observe(expected.action, Payoffs::dense(paid));
  };
  const auto change = [&](const std::string& action, const std::string& verb) {
    const Answer answer = api_.post(action_path("spring", action, verb));
    ASSERT_EQ(answer.status, 200) << answer.text;
    server_.kill();
    restart();
    EXPECT_EQ(api_.post(action_path("spring", action, verb)).json(), answer.json());  // again
  };
  for (int round = 0; round < 6; ++round) play({}, Json::object());
  for (int round = 0; round < 4; ++round) play({0, 2}, {{"allowed", {"free mug", "news"}}});
  change("discount", "pause");
  for (int round = 0; round < 4; ++round) play({0, 2}, Json::object());
  play({2}, {{"allowed", {1, 2}}});
  expect_refused(api_.post(decisions_path("spring"), R"({"allowed": ["discount"]})"), 409,
                 "paused or retired");
  change("1", "resume");
  for (int round = 0; round < 4; ++round) play({}, Json::object());
  change("free%20mug", "retire");
  expect_refused(api_.post(action_path("spring", "2", "resume")), 409, "never returns");
  for (int round = 0; round < 4; ++round) play({0, 1}, Json::object());

  const Json report = api_.report("spring");
  EXPECT_EQ(report.at("actions")[1].at("status"), "active");
  EXPECT_EQ(report.at("actions")[2].at("status"), "retired");
  const Json history = api_.get(campaign_path("spring") + "/history").json();
  ASSERT_EQ(history.at("changes").size(), 3u);
  EXPECT_EQ(history.at("changes")[2].at("kind"), "retired");
  EXPECT_EQ(history.at("changes")[2].at("action"), 2);
  server_.kill();
  const cli_test::Outcome checked = run_to_end({"store", "check", "--store", server_.store()});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
}

TEST_F(Actions, AreRefusedWithReasons) {
  api_.create(shop("spring"));
  expect_refused(api_.post(action_path("spring", "news!", "pause")), 400, "action");
  expect_refused(api_.post(action_path("spring", "2", "pause")), 400, "whole number");
  expect_refused(api_.post(action_path("none", "news", "pause")), 404, "none");
  expect_refused(api_.post(decisions_path("spring"), R"({"allowed": ["tea"]})"), 400, "allowed[0]");
  EXPECT_EQ(api_.post(action_path("spring", "news", "retire")).status, 200);
  expect_refused(api_.post(action_path("spring", "discount", "pause")), 409, "last active");
}

}  // namespace
}  // namespace updraft::service_test
