#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "checks.h"
#include "process.h"

namespace updraft::cli_test {
namespace {

using nlohmann::json;

class CliSimulate : public ::testing::Test {
 protected:
  Arguments tiny(const Arguments& more) const {
    Arguments arguments = {"simulate", "--instance", tiny_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TemporaryFolder folder_;
  const std::string tiny_ = folder_.write("tiny.json", kTiny);
};

TEST_F(CliSimulate, JsonHasTheDocumentedShape) {
  const json result =
      parsed(updraft(tiny({"--policy", "ucb(alpha=1)", "up_ucb(alpha=0.5)", "--rounds", "200",
                           "--runs", "5", "--seed", "9", "--curve-points", "20", "--json"})));
  std::vector<std::string> keys;
  for (const auto& item : result.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"instance", "policies", "rounds", "runs", "seed",
                                            "version", "warnings"}));
  EXPECT_TRUE(result["warnings"].empty());
  EXPECT_EQ(result["version"], UPDRAFT_VERSION_EXPECTED);
  EXPECT_EQ(result["seed"], 9);
  EXPECT_EQ(result["rounds"], 200);
  EXPECT_EQ(result["runs"], 5);
  EXPECT_EQ(result["instance"], json::parse(updraft({"instance", tiny_, "--json"}).out));
  ASSERT_EQ(result["policies"].size(), 2u);
  EXPECT_EQ(result["policies"][0]["spec"], "ucb(alpha=1)");
  EXPECT_EQ(result["policies"][1]["spec"], "up_ucb(alpha=0.5)");
  for (const json& policy : result["policies"]) {
    const json& regret = policy["final_regret"];
    const auto runs = regret["runs"].get<std::vector<double>>();
    ASSERT_EQ(runs.size(), 5u);
    const double mean = std::accumulate(runs.begin(), runs.end(), 0.0) / 5;
    EXPECT_NEAR(regret["mean"].get<double>(), mean, 1e-9);
    EXPECT_NEAR(regret["stderr"].get<double>(), regret["sd"].get<double>() / std::sqrt(5), 1e-9);
    EXPECT_LE(regret["p95"].get<double>(), *std::max_element(runs.begin(), runs.end()));

    const auto pulls = policy["pulls"].get<std::vector<double>>();
    ASSERT_EQ(pulls.size(), 3u);
    EXPECT_NEAR(std::accumulate(pulls.begin(), pulls.end(), 0.0), 200.0, 1e-9);
    const auto gaps = result["instance"]["gaps"].get<std::vector<double>>();
    EXPECT_NEAR(mean, pulls[1] * gaps[1] + pulls[2] * gaps[2], 1e-9);

    const json& curve = policy["curve"];
    EXPECT_EQ(curve["round"].size(), 20u);
    EXPECT_EQ(curve["round"].back(), 200);
    for (const char* key : {"mean", "stderr", "p95"}) EXPECT_EQ(curve[key].size(), 20u);
    EXPECT_EQ(curve["mean"].back(), regret["mean"]);
  }
}

TEST_F(CliSimulate, SameBytesForAnyNumberOfThreads) {
  const std::vector<Arguments> games = {
      {"simulate", "--instance", "gaussian", "--rounds", "300", "--runs", "6", "--json"},
      {"simulate", "--instance", "criteo", "--rounds", "60", "--runs", "3", "--json"}};
  for (Arguments arguments : games) {
    SCOPED_TRACE(arguments[2]);
    arguments.insert(arguments.end(), {"--threads", ""});
    std::vector<std::string> bytes;
    for (const char* threads : {"1", "2", "7"}) {
      arguments.back() = threads;
      const Outcome outcome = updraft(arguments);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      bytes.push_back(outcome.out);
    }
    EXPECT_FALSE(bytes[0].empty());
    EXPECT_EQ(bytes[0], bytes[1]);
    EXPECT_EQ(bytes[0], bytes[2]);
  }
}

TEST_F(CliSimulate, SeedsMatter) {
  const Arguments game = tiny({"--policy", "ucb(alpha=1)", "--rounds", "100", "--json"});
  const auto with_seed = [&](const char* seed) {
    Arguments arguments = game;
    arguments.insert(arguments.end(), {"--seed", seed});
    return parsed(updraft(arguments))["policies"];
  };
  EXPECT_NE(with_seed("1"), with_seed("2"));
  EXPECT_EQ(with_seed("1"), parsed(updraft(game))["policies"]);
  EXPECT_EQ(parsed(updraft(tiny({"--policy", "ucb(alpha=1)", "--rounds", "9", "--json", "--seed",
                                 "18446744073709551615"})))["seed"],
            18446744073709551615u);
}

TEST_F(CliSimulate, TableIsSortedAndExplained) {
  const Outcome outcome =
      updraft(tiny({"--policy", "ucb(alpha=2)", "--policy", "up_ucb_bl(alpha=0.5)", "--rounds",
                    "1000", "--runs", "8"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.out,
                  "tiny: K = 3 actions, m = 6 variables; 1,000 rounds, 8 runs, seed 1");
  expect_contains(outcome.out, "baseline, affected sets");
  expect_contains(outcome.out, "100 %");
  expect_contains(outcome.out, "± is one standard error over 8 runs.");
  EXPECT_LT(outcome.out.find("up_ucb_bl(alpha=0.5)"), outcome.out.find("\nucb(alpha=2)"));
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos);
}

TEST_F(CliSimulate, TableHasNoRatioWithoutUcb) {
  const Outcome outcome = updraft(tiny({"--policy", "up_ucb(alpha=1)", "--rounds", "50"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("of ucb"), std::string::npos);
}

TEST_F(CliSimulate, TableHasNoStandardErrorForOneRun) {
  const Outcome outcome =
      updraft(tiny({"--policy", "up_ucb(alpha=1)", "--rounds", "50", "--runs", "1"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.out, "50 rounds, 1 run, seed 1");
  expect_contains(outcome.out, "One run gives no standard error");
  EXPECT_EQ(outcome.out.find("± 0"), std::string::npos);
}

TEST_F(CliSimulate, TakesThePapersPoliciesWhereNoneAreGiven) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> expected = {
      {"gaussian",
       {"ucb(alpha=2)", "ts(sigma2=0.08)", "up_ucb_bl(alpha=5)", "up_ucb(alpha=3)",
        "up_ucb_l_bl(alpha=5)", "up_ucb_l(alpha=3)"}},
      {"gaussian-weak",
       {"ucb(alpha=2)", "ts(sigma2=0.08)", "up_ucb_bl(alpha=5)", "up_ucb(alpha=3)",
        "up_ucb_l_bl(alpha=5)", "up_ucb_l(alpha=3)"}},
      {"criteo",
       {"ucb(alpha=7e-07)", "ts(sigma2=2e-07)", "up_ucb_bl(alpha=8e-05)", "up_ucb(alpha=8e-05)",
        "up_ucb_l_bl(alpha=5e-07)", "up_ucb_l(alpha=2e-06)"}}};
  for (const auto& [instance, specs] : expected) {
    SCOPED_TRACE(instance);
    const Outcome outcome =
        updraft({"simulate", "--instance", instance, "--rounds", "30", "--runs", "2", "--json"});
    const json result = parsed(outcome);
    expect_contains(outcome.err, "no --policy given: using the paper's six policies");
    std::vector<std::string> played;
    for (const json& policy : result["policies"]) played.push_back(policy["spec"]);
    EXPECT_EQ(played, specs);
  }
}

TEST_F(CliSimulate, HasDefaults) {
  const json result = parsed(updraft(tiny({"--policy", "ucb(alpha=1)", "--json"})));
  EXPECT_EQ(result["rounds"], 1000);
  EXPECT_EQ(result["runs"], 10);
  EXPECT_EQ(result["seed"], 1);
  EXPECT_EQ(result["policies"][0]["curve"]["round"].size(), 100u);
  const Arguments one = {"--policy", "up_ucb(alpha=1)", "--runs", "1", "--json"};
  for (const auto& [instance, rounds] :
       {std::pair("gaussian", 20000), std::pair("gaussian-weak", 20000),
        std::pair("criteo", 5000)}) {
    Arguments arguments = {"simulate", "--instance", instance};
    arguments.insert(arguments.end(), one.begin(), one.end());
    EXPECT_EQ(parsed(updraft(arguments))["rounds"], rounds) << instance;
  }
}

TEST_F(CliSimulate, WarnsOfADeltaAboveThatOfTheInstance) {
  const auto warnings = [&](const std::string& policy) {
    return parsed(updraft(tiny({"--policy", policy, "--rounds", "20", "--runs", "1", "--json"})))
        .at("warnings");
  };
  EXPECT_TRUE(warnings("up_ucb_ilift_bl(alpha=1, min_uplift=0.1)").empty());
  EXPECT_TRUE(warnings("auto(min_uplift=50)").empty());  // picks a policy that takes none
  for (const char* policy :
       {"up_ucb_ilift_bl(alpha=1, min_uplift=50)", "up_ucb_ilift(alpha=1, effect_gap=50)"}) {
    const json found = warnings(policy);
    ASSERT_EQ(found.size(), 1u) << policy;
    expect_contains(found[0].get<std::string>(), "is 50, but that of the instance is 0.1. Its");
  }
}

TEST_F(CliSimulate, WarnsIfTheNoiseIsWiderThanTheTheoremOfDeltaAllows) {
  json wide = json::parse(kTiny);
  wide["noise"] = {{"kind", "gaussian"}, {"covariance", "identity"}, {"variance", 100}};
  const std::string path = folder_.write("wide.json", wide.dump());
  const Arguments arguments = {"simulate",     "--instance", path, "--policy", "up_ucb(delta=0.05)",
                               "ucb(alpha=3)", "--rounds",   "20", "--runs",   "2"};
  const Outcome text = updraft(arguments);
  EXPECT_EQ(text.exit_code, 0);
  expect_contains(text.out, "Warning: up_ucb(delta=0.05): the alpha that delta gives is valid");
  Arguments with_json = arguments;
  with_json.push_back("--json");
  const json result = parsed(updraft(with_json));
  ASSERT_EQ(result["warnings"].size(), 1u);
  expect_contains(result["warnings"][0].get<std::string>(), "variance proxy (sigma^2) is 100");
  // The alpha that updraft bounds shows is no reason to warn.
  Arguments by_alpha = with_json;
  by_alpha[4] = "up_ucb(alpha=1000)";
  EXPECT_TRUE(parsed(updraft(by_alpha))["warnings"].empty());
}

/// Three actions on 12 variables; the first moves variables 0 to `end` - 1.
std::string three_actions(int end) {
  return json({{"format", "updraft-instance/1"},
               {"actions", {"news", "call", "mail"}},
               {"variables", {{{"count", 12}, {"baseline", 0}}}},
               {"effects",
                {{{"action", "news"}, {"variables", {{0, end}}}, {"mean", 2}},
                 {{"action", "call"}, {"variables", {{4, 8}}}, {"mean", 1}},
                 {{"action", "mail"}, {"variables", {{8, 12}}}, {"mean", 1}}}},
               {"noise", {{"kind", "gaussian"}, {"covariance", "identity"}}}})
      .dump();
}

TEST_F(CliSimulate, ChecksAssumptionsIfAsked) {
  const std::string truth = folder_.write("truth.json", three_actions(4));
  const std::string wrong = folder_.write("wrong.json", three_actions(2));
  Arguments arguments = {
      "simulate", "--instance", truth,    "--policy", "up_ucb(alpha=1)", "up_ucb_bl(alpha=1)",
      "--rounds", "1500",       "--runs", "2",        "--json",          "--knowledge-of",
      wrong};
  const json unasked = parsed(updraft(arguments));
  EXPECT_FALSE(unasked.contains("assumption_warnings"));
  arguments.push_back("--check-assumptions");
  json found = parsed(updraft(arguments));
  ASSERT_EQ(found["assumption_warnings"].size(), 2u) << found["assumption_warnings"];
  for (const json& warning : found["assumption_warnings"]) {
    EXPECT_EQ(warning["kind"], "outside_declared");
    EXPECT_EQ(warning["action"], 0);
    expect_contains(warning["message"].get<std::string>(),
                    "Action 'news' seems to move 2 variables outside its declared set");
    expect_contains(warning["advice"].get<std::string>(), "Make a new policy whose affected sets");
  }
  EXPECT_EQ(found["assumption_warnings"][0]["policy"], "up_ucb(alpha=1)");
  EXPECT_EQ(found["assumption_warnings"][1]["policy"], "up_ucb_bl(alpha=1)");
  // The check changes nothing else.
  found.erase("assumption_warnings");
  EXPECT_EQ(found, unasked);

  // Sets that are larger than the truth are right.
  arguments[2] = wrong;
  arguments[12] = truth;
  EXPECT_EQ(parsed(updraft(arguments))["assumption_warnings"], json::array());
  arguments[12] = wrong;
  EXPECT_EQ(parsed(updraft(arguments))["assumption_warnings"], json::array());
}

TEST_F(CliSimulate, SaysInWordsWhatPayoffsSpeakAgainst) {
  const std::string truth = folder_.write("truth.json", three_actions(4));
  const Arguments arguments = {
      "simulate", "--instance", truth,    "--policy", "up_ucb_l_bl(alpha=8, max_affected=1)",
      "--rounds", "600",        "--runs", "1",        "--check-assumptions"};
  const Outcome text = updraft(arguments);
  EXPECT_EQ(text.exit_code, 0);
  expect_contains(text.out, "Assumption of up_ucb_l_bl(alpha=8, max_affected=1): Action 'news'");
  Arguments right = arguments;
  right[4] = "up_ucb_l_bl(alpha=8)";
  expect_contains(updraft(right).out, "The payoffs contradict no assumption.");
}

TEST_F(CliSimulate, RefusesKnowledgeOfOtherSizesAndChecksOfContexts) {
  const std::string truth = folder_.write("truth.json", three_actions(4));
  const Outcome sizes = updraft(tiny({"--policy", "up_ts", "--knowledge-of", truth}));
  EXPECT_EQ(sizes.exit_code, 2);
  expect_contains(sizes.err, "must have as many actions and variables as the instance");
  const Outcome contexts = updraft({"simulate", "--instance", "contextual-linear", "--rounds", "5",
                                    "--runs", "1", "--check-assumptions"});
  EXPECT_EQ(contexts.exit_code, 2);
  expect_contains(contexts.err, "check_assumptions: is for instances of single actions");
}

TEST_F(CliSimulate, GivesContextsOtherSizesAndNoise) {
  const Arguments arguments = {"simulate",
                               "--instance",
                               "contextual-linear(actions=3, noise_sd=2)",
                               "--policy",
                               "lin_ucb(delta=0.05)",
                               "--rounds",
                               "20",
                               "--runs",
                               "2"};
  expect_contains(updraft(arguments).out,
                  "Warning: lin_ucb(delta=0.05): the beta that delta gives is valid");
  Arguments with_json = arguments;
  with_json.push_back("--json");
  const json result = parsed(updraft(with_json));
  EXPECT_EQ(result["instance"]["actions"], 3);
  EXPECT_EQ(result["instance"]["noise_sd"], 2);
  ASSERT_EQ(result["warnings"].size(), 1u);
  with_json[2] = "contextual-linear";
  EXPECT_TRUE(parsed(updraft(with_json))["warnings"].empty());
  with_json[2] = "contextual-linear(noise_sd=x)";
  const Outcome refused = updraft(with_json);
  EXPECT_NE(refused.exit_code, 0);
  expect_contains(refused.err, "contextual-linear.noise_sd = x: must be a number > 0");
}

TEST_F(CliSimulate, RefusesUpUcbIliftWithoutAnEffectGap) {
  json alike = json::parse(kTiny);
  alike["effects"] = {{{"action", "mail"}, {"variables", {{0, 1}}}, {"mean", 0.9}},
                      {{"action", "call"}, {"variables", {{0, 1}}}, {"mean", 0.9}}};
  const std::string path = folder_.write("alike.json", alike.dump());
  expect_refused(
      {"simulate", "--instance", path, "--policy", "up_ucb_ilift(alpha=1)"},
      "up_ucb_ilift.effect_gap: must be given: tiny has none, because two actions give an "
      "affected variable the same mean");
  EXPECT_EQ(updraft({"simulate", "--instance", path, "--policy",
                     "up_ucb_ilift(alpha=1, effect_gap=1)", "--rounds", "20", "--runs", "1"})
                .exit_code,
            0);
}

TEST_F(CliSimulate, QuietIsSilent) {
  const Outcome outcome =
      updraft({"simulate", "--instance", "gaussian", "--rounds", "50", "--runs", "2", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_FALSE(outcome.out.empty());
}

TEST_F(CliSimulate, PlaysEveryPolicyByNameAndAlias) {
  const json policies = parsed(updraft({"policies", "--json"}))["policies"];
  for (const json& policy : policies) {
    const std::string name = policy["name"];
    std::string parameters;
    for (const json& parameter : policy["parameters"]) {
      if (parameter["name"] == "alpha") parameters = "(alpha=0.5)";
      if (parameter["name"] == "sigma2") parameters = "(sigma2=0.5)";
    }
    Arguments arguments = tiny({"--rounds", "60", "--runs", "2", "--json", "--policy"});
    arguments.push_back(name + parameters);
    for (const json& alias : policy["aliases"]) {
      arguments.push_back(alias.get<std::string>() + parameters);
    }
    SCOPED_TRACE(name);
    const json results = parsed(updraft(arguments))["policies"];
    ASSERT_EQ(results.size(), 1 + policy["aliases"].size());
    for (const json& result : results) {
      EXPECT_EQ(result, results[0]);
      EXPECT_EQ(result["spec"], name == "auto" ? "up_ts_bl" : name + parameters);
      EXPECT_EQ(result.contains("picked"), name == "auto");
      if (name == "auto") {
        EXPECT_EQ(result["picked"], "up_ts_bl");
      }
    }
  }
}

TEST_F(CliSimulate, AutoSaysWhatItPickedAndWhy) {
  const auto plays = [&](Arguments told) {
    Arguments arguments = tiny({"--rounds", "60", "--runs", "2", "--policy", "auto", "--tell"});
    arguments.insert(arguments.end(), told.begin(), told.end());
    return updraft(arguments);
  };
  const Outcome all = plays({"baseline", "affected"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_NE(all.err.find("auto is up_ts_bl: baseline and affected sets are known"),
            std::string::npos)
      << all.err;
  EXPECT_NE(all.out.find("up_ts_bl"), std::string::npos);
  EXPECT_NE(plays({"max_affected", "horizon"}).err.find("auto is up_ts_sparse: "),
            std::string::npos);
  const Outcome nothing = plays({"nothing"});
  EXPECT_EQ(nothing.exit_code, 0) << nothing.err;
  EXPECT_NE(nothing.err.find("auto is up_ts_sparse: affected sets, baseline and noise are learnt"),
            std::string::npos)
      << nothing.err;
  const Outcome unknown = plays({"baselin"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--tell = baselin: unknown; did you mean baseline?"),
            std::string::npos);
}

TEST_F(CliSimulate, RefusesTargetingPolicies) {
  const Outcome outcome = updraft(tiny({"--policy", "c2_up_ucb(beta=1)"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("policy = c2_up_ucb: is for targeting"), std::string::npos);
}

TEST_F(CliSimulate, TellLimitsWhatPoliciesKnow) {
  const Outcome outcome =
      updraft(tiny({"--rounds", "60", "--policy", "up_ucb(alpha=1)", "--tell", "baseline"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("up_ucb: needs to know affected"), std::string::npos);
}

TEST_F(CliSimulate, SaysThatAPolicyKnowsTheSegments) {
  const auto row = [&](const std::string& instance, const std::string& told) {
    const Outcome outcome = updraft({"simulate", "--instance", instance, "--policy", "up_ts_sparse",
                                     "--rounds", "20", "--runs", "2", "--tell", told});
    const std::size_t at = outcome.out.find("\nup_ts_sparse");
    return outcome.out.substr(at, outcome.out.find('\n', at + 1) - at);
  };
  EXPECT_NE(row("marketing", "segments").find(" segments "), std::string::npos);
  EXPECT_NE(row("marketing", "nothing").find(" nothing "), std::string::npos);
  EXPECT_NE(row("two-actions", "segments").find(" nothing "), std::string::npos);  // has none
}

TEST_F(CliSimulate, RefusesBadInput) {
  const auto refuse = [&](Arguments more, const std::string& part) {
    if (std::find(more.begin(), more.end(), "--policy") == more.end()) {
      more.insert(more.end(), {"--policy", "ucb(alpha=1)"});
    }
    expect_refused(tiny(more), part);
  };
  refuse({"--rounds", "0"}, "--rounds = 0: must be a whole number from 1 to 4294967295");
  refuse({"--rounds", "abc"}, "--rounds = abc: must be a whole number");
  refuse({"--rounds", "1.5"}, "--rounds = 1.5: must be a whole number");
  refuse({"--rounds", "4294967296"}, "--rounds = 4294967296: must be a whole number");
  refuse({"--rounds", ""}, "--rounds");
  refuse({"--runs", "-1"}, "--runs = -1: must be a whole number from 1 to 1000000");
  refuse({"--runs", "0"}, "--runs = 0: must be a whole number");
  refuse({"--threads", "0"}, "--threads = 0: must be a whole number from 1 to 1024");
  refuse({"--threads", "1025"}, "--threads = 1025: must be a whole number from 1 to 1024");
  refuse({"--seed", "-3"}, "--seed = -3: must be a whole number from 0 to");
  refuse({"--curve-points", "0"}, "--curve-points = 0: must be a whole number from 1");
  refuse({"--batch", "0"}, "--batch = 0: must be a whole number from 1 to 1000000");
  refuse({"--policy", "ucb(alpha=1)", "--batch", "2", "--log", "log.csv"},
         "batch = 2: cannot be combined with a log");
  refuse({"--policy", "up_ucb(alpha=-1)"}, "updraft: up_ucb.alpha = -1: must be > 0\n");
  refuse({"--policy", "up_ucb(alpha=nan)"}, "up_ucb.alpha");
  refuse({"--policy", "ucb(delta=1.5)"}, "ucb.delta = 1.5: must be in (0, 1)");
  refuse({"--policy", "upucb(alpha=1)"}, "did you mean up_ucb?");
  refuse({"--policy", "up_ucb(alhpa=1)"}, "did you mean alpha?");
  refuse({"--policy", "up_ucb(alpha=1"}, "up_ucb(alpha=1");
  refuse({"--policy", "up_ucb(alpha=1, baseline_bound=lbc)"}, "lcb");
  refuse({"--policy", "up_ucb_l(alpha=1, max_affected=0)"}, "max_affected = 0");
  refuse({"--policy", "up_ucb_l(alpha=1, max_affected=7)"}, "max_affected = 7");
  refuse({"--policy", "up_ucb_l(alpha=1, max_affected=[1])"}, "max_affected = 1 numbers");
  refuse({"--policy", "up_ucb_ilift_bl(alpha=1, min_uplift=0)"}, "min_uplift = 0");
}

TEST_F(CliSimulate, RefusesMissingOrUnknownInstances) {
  expect_refused({"simulate"}, "--instance: must be given");
  expect_refused({"simulate", "--instance", "gausian"}, "did you mean gaussian?");
  expect_refused({"simulate", "--instance", tiny_}, "--policy: must be given");
  expect_refused({"simulate", "--instance", "hard-reward"},
                 "--policy: must be given for hard-reward");
}

TEST_F(CliSimulate, FailsWhereTheResultCannotBeWritten) {
  const Arguments game = tiny({"--policy", "ucb(alpha=1)", "--rounds", "20", "--json"});
  const Outcome outcome = Process(game, {.out = "/dev/full", .err = ""}).wait();
  EXPECT_EQ(outcome.exit_code, 1);
  expect_contains(outcome.err, "cannot write to standard output");
}

TEST_F(CliSimulate, StopsWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    SCOPED_TRACE(signal);
    Process process(tiny({"--policy", "up_ucb(alpha=1)", "--rounds", "4000000000", "--json"}));
    ASSERT_TRUE(process.wait_until_blocked(signal)) << process.wait().err;
    kill(process.id(), signal);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "updraft: stopped: nothing was written\n");
  }
}

/// A terminal whose other end the test reads.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    path_ = ptsname(master_);
  }
  ~Terminal() { close(master_); }

  const std::string& path() const { return path_; }

  /// What was written, until `part` was or nothing more came for 20 seconds.
  std::string read_until(const std::string& part) const {
    std::string text;
    pollfd ready = {master_, POLLIN, 0};
    while (text.find(part) == std::string::npos && poll(&ready, 1, 20000) > 0) {
      char buffer[4096];
      const ssize_t count = read(master_, buffer, sizeof buffer);
      if (count <= 0) break;
      text.append(buffer, static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int master_;
  std::string path_;
};

TEST_F(CliSimulate, ShowsABarOnATerminal) {
  Terminal terminal;
  if (terminal.path().empty()) GTEST_SKIP() << "no pseudo-terminals here";
  Process process(tiny({"--policy", "up_ucb(alpha=1)", "--rounds", "400000000", "--json"}),
                  {.out = "", .err = terminal.path()});
  expect_contains(terminal.read_until(" %"), "\r[");
  kill(process.id(), SIGINT);
  expect_contains(terminal.read_until("written"), "stopped: nothing was written");
  EXPECT_EQ(process.wait().exit_code, 1);
}

}  // namespace
}  // namespace updraft::cli_test
