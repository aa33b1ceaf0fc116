#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

#include "checks.h"
#include "process.h"

namespace updraft::cli_test {
namespace {

using nlohmann::json;

class CliLogs : public ::testing::Test {
 protected:
  /// A log of the tiny instance: uniform decisions of 400 rounds.
  std::string log(const std::string& name, const Arguments& more = {}) const {
    Arguments arguments = {"simulate",         "--instance",    tiny_,    "--policy", "up_ts",
                           "--rounds",         "400",           "--runs", "1",        "--log",
                           folder_.path(name), "--log-explore", "1",      "--json",   "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    parsed(updraft(arguments));
    return folder_.path(name);
  }

  TemporaryFolder folder_;
  const std::string tiny_ = folder_.write("tiny.json", kTiny);
};

TEST_F(CliLogs, EvaluateTakesEveryFormOfALog) {
  const json wide = parsed(updraft({"evaluate", log("log.csv"), "--instance", tiny_, "--policy",
                                    "up_ts", "--mix", "mail=0.5,wait=0.5", "--json"}));
  EXPECT_EQ(wide["rounds"], 400);
  ASSERT_EQ(wide["policies"].size(), 5u);
  EXPECT_EQ(wide["policies"][0]["policy"], "always mail");
  EXPECT_EQ(wide["policies"][3]["policy"], "mix mail=0.5,wait=0.5");
  EXPECT_EQ(wide["policies"][4]["policy"], "up_ts");
  for (const char* estimator : {"ips", "snips", "dr", "uplift_dr"}) {
    const json& value = wide["policies"][0][estimator];
    EXPECT_LT(value["low"], value["value"]) << estimator;
    EXPECT_LT(value["value"], value["high"]) << estimator;
    EXPECT_NEAR(value["value"].get<double>(), 2.8, 0.6) << estimator;  // 6 x 0.3 + 2 x 0.5
  }
  EXPECT_TRUE(wide["policies"][4].contains("replay"));
  for (const auto& [name, form] : {std::pair("log.ndjson.gz", "wide"), {"long.csv.gz", "long"}}) {
    EXPECT_EQ(parsed(updraft({"evaluate", log(name, {"--log-form", form}), "--instance", tiny_,
                              "--policy", "up_ts", "--mix", "mail=0.5,wait=0.5", "--json"})),
              wide)
        << name;
  }
  // What auto stands for is said, and why.
  const Outcome automatic = updraft(
      {"evaluate", folder_.path("log.csv"), "--instance", tiny_, "--policy", "auto", "--json"});
  const json picked = parsed(automatic)["policies"].back();
  EXPECT_EQ(picked["policy"], "up_ts");
  EXPECT_EQ(automatic.err,
            "updraft: auto is up_ts: " + picked["picked_because"].get<std::string>() + "\n");
  // Without the instance, a JSON file tells the sets.
  const std::string sets =
      folder_.write("sets.json", R"({"mail": [0, 1], "call": ["2"], "wait": [3]})");
  const json told =
      parsed(updraft({"evaluate", folder_.path("log.csv"), "--affected", sets, "--json"}));
  double uplift = 0.0;
  for (const json& policy : told["policies"]) {
    if (policy["policy"] == "always mail") uplift = policy["uplift_dr"]["value"];
  }
  EXPECT_NEAR(uplift, wide["policies"][0]["uplift_dr"]["value"].get<double>(), 1e-9);
}

TEST_F(CliLogs, EvaluateShowsATableAndDrawsAFigure) {
  const std::string figure = folder_.path("values.svg");
  const Outcome outcome =
      updraft({"evaluate", log("log.csv"), "--instance", tiny_, "--figure", figure});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.out, "as logged");
  expect_contains(outcome.out, "uplift_dr");
  EXPECT_TRUE(std::filesystem::exists(figure));
}

/// A holdout in the log, and what it proves.
TEST_F(CliLogs, EvaluateSaysWhatHoldsAtEveryTime) {
  const std::string path = folder_.path("held.csv");
  parsed(updraft({"simulate", "--instance", tiny_, "--policy", "up_ts", "--rounds", "2000",
                  "--runs", "1", "--log", path, "--log-explore", "0.3", "--log-holdout", "wait=0.3",
                  "--json", "--quiet"}));
  const Arguments asked = {"evaluate", path,          "--instance", tiny_,   "--control",
                           "wait",     "--guardrail", "3",          "0,1=50"};
  Arguments with_json = asked;
  with_json.push_back("--json");
  const json found = parsed(updraft(with_json));
  EXPECT_TRUE(found["settled"]["settled"].is_boolean());
  EXPECT_EQ(found["gain"]["control"], "wait");
  EXPECT_GT(found["gain"]["held_out"], 500);
  EXPECT_LT(found["gain"]["low"], found["gain"]["gain"]);
  EXPECT_TRUE(found["guardrails"].is_array());
  const Outcome shown = updraft(asked);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  expect_contains(shown.out, "At every time:");
  expect_contains(shown.out, found["settled"]["text"].get<std::string>());
  expect_contains(shown.out, found["gain"]["text"].get<std::string>());
  expect_refused({"evaluate", path, "--control", "post"}, "--control = post");
  expect_refused({"evaluate", path, "--control", "wait", "--guardrail", "9"}, "--guardrail = 9");
  expect_refused({"evaluate", path, "--control", "wait", "--guardrail", "3=-1"},
                 "--guardrail = -1");
  expect_refused({"evaluate", path, "--guardrail", "3"}, "needs a control action");
  expect_refused({"evaluate", path, "--error", "0.7"}, "must be in (0, 0.5]");
}

TEST_F(CliLogs, RefusesBadLogsAndOptions) {
  const std::string path = log("log.csv");
  const std::string bad = folder_.write("bad.csv", "action,probability,x\nmail,1.5,1\n");
  expect_refused({"evaluate", bad}, "bad.csv:2: probability = 1.5: must be > 0");
  expect_refused({"evaluate"}, "LOG");
  expect_refused({"evaluate", path, "--mix", "post=1"}, "--mix = post");
  expect_refused({"evaluate", path, "--mix", "mail=0.3"}, "add up to 1");
  expect_refused({"evaluate", path, "--column", "arm=x"}, "column = arm");
  expect_refused({"evaluate", path, "--absent", "often"}, "--absent = often");
  expect_refused({"evaluate", path, "--affected", folder_.write("s.json", "[]")}, "--affected");
  const Arguments simulate = {"simulate", "--instance", tiny_, "--rounds", "10", "--policy"};
  const auto with = [&](const Arguments& more) {
    Arguments arguments = simulate;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  expect_refused(with({"up_ts", "ucb(alpha=1)", "--log", folder_.path("x")}), "--log");
  expect_refused(with({"up_ts", "--log", folder_.path("x"), "--log-form", "tall"}), "--log-form");
  expect_refused(with({"up_ts", "--log", folder_.path("x"), "--log-explore", "2"}),
                 "--log-explore = 2");
  for (const char* holdout : {"wait", "post=0.1", "wait=2"}) {
    expect_refused(with({"up_ts", "--log", folder_.path("x"), "--log-holdout", holdout}),
                   "--log-holdout");
  }
  expect_refused(with({"up_ts", "--warm", bad}), "bad.csv");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("x")));
}

/// 400 uniform rounds of the log spare a policy most of its regret.
TEST_F(CliLogs, AWarmStartSparesRegret) {
  const std::string path = log("log.csv");
  const auto regret = [&](const Arguments& more) {
    Arguments arguments = {"simulate", "--instance", tiny_, "--policy", "up_ts", "--rounds",
                           "300",      "--runs",     "20",  "--seed",   "7",     "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const json result = parsed(updraft(arguments));
    double pulls = 0.0;
    for (const json& count : result["policies"][0]["pulls"]) pulls += count.get<double>();
    EXPECT_NEAR(pulls, 300.0, 1e-9);  // without those of the log
    return result["policies"][0]["final_regret"]["mean"].get<double>();
  };
  EXPECT_LT(regret({"--warm", path}), 0.5 * regret({}));
}

}  // namespace
}  // namespace updraft::cli_test
