#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "checks.h"
#include "process.h"

namespace updraft::cli_test {
namespace {

using nlohmann::json;
using ::testing::Test;

/// Two actions that do nothing: no gap, no uplift.
constexpr const char* kIdle = R"({
  "format": "updraft-instance/1",
  "name": "idle",
  "actions": ["a", "b"],
  "variables": [{"count": 3, "baseline": 0.5}],
  "effects": [],
  "noise": {"kind": "bernoulli"}
})";

/// 40 actions; action a moves variable a to a/50.
std::string many_actions() {
  json actions = json::array();
  json effects = json::array();
  for (int action = 0; action < 40; ++action) {
    actions.push_back(fmt::format("act{:02}", action));
    effects.push_back({{"action", actions.back()},
                       {"variables", {{action, action + 1}}},
                       {"mean", (action + 1) / 50.0}});
  }
  return json{{"format", "updraft-instance/1"},
              {"name", "many"},
              {"actions", actions},
              {"variables", {{{"count", 40}, {"baseline", 0.0}}}},
              {"effects", effects},
              {"noise", {{"kind", "bernoulli"}}}}
      .dump();
}

class CliFiles : public Test {
 protected:
  TemporaryFolder folder_;
  const std::string tiny_ = folder_.write("tiny.json", kTiny);
};

// --- the program itself ---

TEST(Cli, ShowsItsVersion) {
  const Outcome outcome = updraft({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "updraft " UPDRAFT_VERSION_EXPECTED "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(Cli, HelpNamesEveryCommandWithAnExample) {
  const Outcome outcome = updraft({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* command : {"policies", "instance", "simulate", "bounds"}) {
    expect_contains(outcome.out, fmt::format("\n  {} ", command));
    expect_contains(outcome.out, fmt::format("\n  updraft {} ", command));
  }
  expect_contains(outcome.out, "--version");
}

TEST(Cli, HelpOfACommandNamesEveryOptionAndGivesAnExample) {
  const std::vector<std::pair<std::string, Arguments>> commands = {
      {"policies", {"NAME", "--json"}},
      {"instance", {"NAME|FILE", "--json", "--export"}},
      {"simulate",
       {"--instance", "--policy", "--rounds", "--runs", "--seed", "--threads", "--curve-points",
        "--batch", "--json", "--quiet"}},
      {"bounds", {"--instance", "--rounds", "--delta", "--max-affected", "--min-uplift", "--json"}},
  };
  for (const auto& [command, options] : commands) {
    SCOPED_TRACE(command);
    const Outcome outcome = updraft({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    for (const std::string& option : options) expect_contains(outcome.out, "\n  " + option);
    expect_contains(outcome.out, "Output: ");
    expect_contains(outcome.out, "Examples:\n  updraft " + command);
  }
}

TEST(Cli, RefusesToRunWithoutACommand) { expect_refused({}, "command: must be given"); }

TEST(Cli, PointsAtTheNearestCommand) {
  expect_refused({"simulat"}, "command = simulat: unknown; did you mean simulate?");
  expect_refused({"boundz", "--json"}, "did you mean bounds? Valid: policies, instance");
}

TEST(Cli, PointsAtTheNearestOption) {
  expect_refused({"simulate", "--instance", "gaussian", "--round", "5"},
                 "option = --round: unknown; did you mean --rounds?");
  expect_refused({"simulate", "--instance", "gaussian", "--thread=5"},
                 "option = --thread: unknown; did you mean --threads?");
  expect_refused({"policies", "--jsn"}, "did you mean --json?");
  expect_refused({"--versoin"}, "did you mean --version?");
}

TEST(Cli, RefusesArgumentsThatHaveNoPlace) {
  expect_refused({"policies", "ucb", "ts"}, "argument = ts: is not expected");
  expect_refused({"simulate", "gaussian"}, "argument = gaussian: is not expected");
}

TEST(Cli, RefusesOptionsWithoutValueOrGivenTwice) {
  expect_refused({"simulate", "--instance", "gaussian", "--rounds"}, "--rounds: must have a value");
  expect_refused({"simulate", "--instance", "gaussian", "--rounds", "5", "--rounds", "6"},
                 "--rounds: must be given only once");
  expect_refused({"simulate", "--instance=", "gaussian"}, "--instance: must have a value");
  expect_refused({"policies", "--json=loud"}, "--json = loud: takes no value");
}

TEST(Cli, NoticesThatOutputCannotBeWritten) {
  const std::vector<Arguments> commands = {
      {"--help"}, {"--version"}, {"policies"}, {"instance", "criteo", "--json"}};
  for (const Arguments& arguments : commands) {
    SCOPED_TRACE(arguments[0]);
    const Outcome full = Process(arguments, {.out = "/dev/full", .err = ""}).wait();
    EXPECT_EQ(full.exit_code, 1);
    expect_contains(full.err, "updraft: cannot write to standard output: No space left");

    const Outcome closed = Process(arguments, {.out = "", .err = "", .close_out = true}).wait();
    EXPECT_EQ(closed.exit_code, 1);
    expect_contains(closed.err, "updraft: cannot write to standard output: Bad file descriptor");
  }
}

TEST(Cli, WritesNoColoursToAFile) {
  for (const Arguments& arguments : std::vector<Arguments>{{"policies"}, {"instance", "criteo"}}) {
    EXPECT_EQ(updraft(arguments).out.find('\033'), std::string::npos);
  }
}

// --- policies ---

TEST(CliPolicies, ListsThemAll) {
  const Outcome outcome = updraft({"policies"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* name :
       {"ucb", "ts", "up_ucb_bl", "up_ucb", "up_ucb_l_bl", "up_ucb_l", "up_ucb_ilift_bl",
        "up_ucb_ilift", "up_ucb_l_ilift_bl", "up_ucb_pad_bl", "up_ucb_explore_bl", "up_ucb_obs",
        "c2_up_ucb", "lin_up_ucb", "lin_up_ucb_bl", "lin_ucb"}) {
    expect_contains(outcome.out, fmt::format("\n{} ", name));
  }
}

TEST(CliPolicies, JsonHasEveryField) {
  const json policies = parsed(updraft({"policies", "--json"}))["policies"];
  ASSERT_GE(policies.size(), 10u);
  for (const json& policy : policies) {
    SCOPED_TRACE(policy["name"].dump());
    for (const char* key : {"name", "summary", "index", "reference", "status"}) {
      EXPECT_FALSE(policy.at(key).get<std::string>().empty()) << key;
    }
    EXPECT_TRUE(policy.at("aliases").is_array());
    EXPECT_TRUE(policy.at("needs").is_array());
    EXPECT_TRUE(policy.at("parameters").is_array());
    for (const json& parameter : policy.at("parameters")) {
      for (const char* key : {"name", "rule", "default", "help"}) {
        EXPECT_TRUE(parameter.at(key).is_string()) << key;
      }
    }
  }
  EXPECT_EQ(parsed(updraft({"policies", "--json"}))["targeting_policies"][0]["name"], "c2_up_ucb");
  EXPECT_EQ(parsed(updraft({"policies", "--json"}))["contextual_policies"][0]["name"],
            "lin_up_ucb");
  EXPECT_EQ(policies[0]["name"], "auto");
  EXPECT_EQ(policies[1]["name"], "ucb");
  EXPECT_EQ(policies[1]["needs"], json::array());
  EXPECT_EQ(policies[1]["parameters"].size(), 3u);
  EXPECT_EQ(policies[3]["name"], "up_ts_bl");
  EXPECT_EQ(policies[3]["needs"], json({"baseline", "affected"}));
}

TEST(CliPolicies, ShowsOneByNameOrAlias) {
  const Outcome outcome = updraft({"policies", "up_ucb_naff"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.rfind("up_ucb_l\n", 0), 0u);
  for (const char* part : {"index", "reference", "aliases", "up_ucb_naff", "needs to know",
                           "L: ", "parameter", "alpha", "must be > 0"}) {
    expect_contains(outcome.out, part);
  }
  const json one = parsed(updraft({"policies", "up_ucb_naff", "--json"}))["policies"];
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0]["name"], "up_ucb_l");
  EXPECT_EQ(one[0]["aliases"], json({"up_ucb_naff"}));
}

TEST(CliPolicies, PointsAtTheNearestName) {
  expect_refused({"policies", "up_ucbb"}, "up_ucbb: unknown; did you mean up_ucb?");
}

// --- instance ---

TEST(CliInstance, ListsTheShippedOnes) {
  const Outcome outcome = updraft({"instance"});
  EXPECT_EQ(outcome.exit_code, 0);
  const json list = parsed(updraft({"instance", "--json"}))["instances"];
  std::vector<std::string> names;
  for (const json& instance : list) {
    names.push_back(instance["name"]);
    expect_contains(outcome.out, names.back());
    EXPECT_NE(instance["summary"], "");
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "gaussian",      "gaussian-weak", "criteo",           "marketing", "discounts",
                "movies",        "hard-affected", "hard-reward",      "dense",     "alternating",
                "one-moves-all", "identical",     "heavy-tails",      "rare",      "two-actions",
                "one-variable",  "steady",        "seasonal",         "trend",     "flip",
                "wear-out",      "walk",          "contextual-linear"}));
}

TEST(CliInstance, CriteoIsThatOfThePaper) {
  const json criteo = parsed(updraft({"instance", "criteo", "--json"}));
  EXPECT_EQ(criteo["name"], "criteo");
  EXPECT_EQ(criteo["actions"], 20);
  EXPECT_EQ(criteo["action_names"].size(), 20u);
  EXPECT_EQ(criteo["variables"], 100000);
  EXPECT_EQ(criteo["max_affected"], 12654);
  EXPECT_EQ(criteo["noise"], "bernoulli");
  EXPECT_NEAR(criteo["min_gap"].get<double>(), 27.8, 1e-6);
  const auto affected = criteo["affected"].get<std::vector<std::size_t>>();
  EXPECT_EQ(*std::max_element(affected.begin(), affected.end()), 12654u);
  auto uplifts = criteo["uplifts"].get<std::vector<double>>();
  EXPECT_DOUBLE_EQ(uplifts[criteo["best_action"].get<std::size_t>()],
                   *std::max_element(uplifts.begin(), uplifts.end()));
  std::sort(uplifts.rbegin(), uplifts.rend());
  ASSERT_EQ(uplifts.size(), 20u);
  EXPECT_NEAR(uplifts[0], 143.5, 1e-6);
  EXPECT_NEAR(uplifts[1], 115.7, 1e-6);
  EXPECT_EQ(criteo["gaps"].size(), 20u);
  EXPECT_EQ(criteo["rewards"].size(), 20u);
  EXPECT_GT(criteo["min_uplift"].get<double>(), 0.0);
  EXPECT_GT(criteo["noise_sd"].get<double>(), 0.0);
}

TEST(CliInstance, GaussianHasTheSizeAndNoiseOfTheSpecification) {
  const json strong = parsed(updraft({"instance", "gaussian", "--json"}));
  const json weak = parsed(updraft({"instance", "gaussian-weak", "--json"}));
  for (const json& instance : {strong, weak}) {
    EXPECT_EQ(instance["actions"], 10);
    EXPECT_EQ(instance["variables"], 100);
    EXPECT_EQ(instance["max_affected"], 10);
    EXPECT_EQ(instance["noise"], "gaussian");
    EXPECT_NEAR(instance["min_gap"].get<double>(), 0.2, 0.02);
  }
  EXPECT_NEAR(strong["noise_sd"].get<double>(), 80.0, 4.0);
  EXPECT_NEAR(weak["noise_sd"].get<double>(), 8.944, 0.5);
}

TEST_F(CliFiles, InstanceReadsAFile) {
  const json tiny = parsed(updraft({"instance", tiny_, "--json"}));
  EXPECT_EQ(tiny["name"], "tiny");
  EXPECT_EQ(tiny["action_names"], json({"mail", "call", "wait"}));
  EXPECT_EQ(tiny["affected"], json({2, 1, 1}));
  EXPECT_EQ(tiny["best_action"], 0);
  EXPECT_NEAR(tiny["uplifts"][0].get<double>(), 1.0, 1e-12);
  EXPECT_NEAR(tiny["gaps"][2].get<double>(), 1.1, 1e-12);
  EXPECT_NEAR(tiny["min_uplift"].get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(tiny["effect_gap"].get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(tiny["rewards"][1].get<double>(), 2.0, 1e-12);

  const Outcome outcome = updraft({"instance", tiny_});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* part :
       {"tiny", "mail", "uplift 1\n", "smallest gap", "Delta", "effect gap", "affected"}) {
    expect_contains(outcome.out, part);
  }
}

TEST_F(CliFiles, InstanceExportsWhatItReads) {
  for (const std::string& instance : {std::string("gaussian"), std::string("criteo"), tiny_}) {
    SCOPED_TRACE(instance);
    const Outcome exported = updraft({"instance", instance, "--export"});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    EXPECT_EQ(json::parse(exported.out)["format"], "updraft-instance/1");
    const std::string copy = folder_.write("copy.json", exported.out);
    EXPECT_EQ(updraft({"instance", copy, "--export"}).out, exported.out);
    EXPECT_EQ(updraft({"instance", copy, "--json"}).out,
              updraft({"instance", instance, "--json"}).out);
  }
}

TEST_F(CliFiles, InstanceShowsBestAndWorstOfManyActions) {
  const std::string many = folder_.write("many.json", many_actions());
  const Outcome outcome = updraft({"instance", many});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* shown : {"act39", "act30", "act04", "act00"}) {
    expect_contains(outcome.out, shown);
  }
  for (const char* hidden : {"act29", "act05"}) {
    EXPECT_EQ(outcome.out.find(hidden), std::string::npos) << hidden;
  }
  expect_contains(outcome.out, "The 10 best and the 5 worst of 40 actions");
}

TEST_F(CliFiles, InstanceShowsControlCharactersAsQuestionMarks) {
  std::string text = kTiny;
  for (std::size_t at = text.find("mail"); at != std::string::npos; at = text.find("mail")) {
    text.replace(at, 4, "m\\u001b\\n");
  }
  const std::string path = folder_.write("control.json", text);
  const Outcome outcome = updraft({"instance", path});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.out, "m??");
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos);
  EXPECT_EQ(parsed(updraft({"instance", path, "--json"}))["action_names"][0], "m\033\n");
}

TEST_F(CliFiles, InstanceRefusesWhatItCannotRead) {
  expect_refused({"instance", "critteo"}, "did you mean criteo?");
  expect_refused({"instance", folder_.path("absent.json")}, "absent.json");
  expect_refused({"instance", folder_.write("cut.json", R"({"format": "updraft-ins)")}, "line 1");
  expect_refused({"instance", folder_.write("empty.json", "")}, "empty.json");
  expect_refused({"instance", "--export"}, "--export: needs the name of an instance");
  expect_refused({"instance", "criteo", "--export", "--json"}, "--export: cannot be combined");
}

// --- bounds ---

TEST(CliBounds, GivesEveryBound) {
  const Arguments arguments = {"bounds",  "--instance", "gaussian", "--rounds",
                               "1000000", "--delta",    "0.1"};
  Arguments with_json = arguments;
  with_json.push_back("--json");
  const json result = parsed(updraft(with_json));
  EXPECT_EQ(result["version"], UPDRAFT_VERSION_EXPECTED);
  EXPECT_EQ(result["instance"]["name"], "gaussian");
  EXPECT_EQ(result["rounds"], 1000000);
  EXPECT_EQ(result["delta"], 0.1);
  EXPECT_EQ(result["max_affected"], 10);
  const auto gaps = result["instance"]["gaps"].get<std::vector<double>>();
  EXPECT_DOUBLE_EQ(result["trivial"].get<double>(),
                   1e6 * *std::max_element(gaps.begin(), gaps.end()));

  const Outcome text = updraft(arguments);
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_EQ(result["bounds"].size(), 13u);
  std::size_t lower = 0;
  for (const json& bound : result["bounds"]) {
    SCOPED_TRACE(bound["name"].dump());
    EXPECT_GT(bound["value"].get<double>(), 0.0);
    EXPECT_EQ(bound["below_trivial"].get<bool>(),
              bound["value"].get<double>() < result["trivial"].get<double>());
    lower += bound["kind"] == "lower";
    EXPECT_EQ(bound.contains("alpha"), bound["kind"] == "upper");
    if (bound["kind"] == "upper") {
      EXPECT_EQ(bound["alpha_scale"], 1.0);
      EXPECT_EQ(bound["expected"]["delta"], 1e-6);
      EXPECT_GT(bound["expected"]["value"].get<double>(), bound["value"].get<double>());
    }
    for (const char* key : {"name", "formula", "reference"}) {
      expect_contains(text.out, bound[key].get<std::string>());
    }
  }
  EXPECT_EQ(lower, 3u);
}

TEST_F(CliFiles, BoundsAreForTheNoiseOfTheInstance) {
  json wide = json::parse(kTiny);
  wide["noise"] = {{"kind", "gaussian"}, {"covariance", "identity"}, {"variance", 100}};
  json narrow = wide;
  narrow["noise"]["variance"] = 1;
  const std::string path = folder_.write("wide.json", wide.dump());
  const json at_100 = parsed(updraft({"bounds", "--instance", path, "--json"}));
  const json at_1 = parsed(
      updraft({"bounds", "--instance", folder_.write("narrow.json", narrow.dump()), "--json"}));
  EXPECT_EQ(at_100["instance"]["variance_proxy"], 100.0);
  EXPECT_EQ(at_100["instance"]["reward_variance_proxy"], 600.0);
  const double gaps = 0.8 + 1.1;
  for (std::size_t i = 0; i < at_1["bounds"].size(); ++i) {
    const json& wider = at_100["bounds"][i];
    if (wider["kind"] == "lower") continue;
    SCOPED_TRACE(wider["name"].dump());
    // The reward of six independent payoffs: 600 against 6^2.
    const double scale = wider["name"] == "ucb" ? 600.0 / 36.0 : 100.0;
    EXPECT_NEAR(wider["alpha_scale"].get<double>(), scale, 1e-9);
    EXPECT_NEAR(
        (wider["value"].get<double>() - gaps) / (at_1["bounds"][i]["value"].get<double>() - gaps),
        scale, 1e-6);
  }
  const Outcome text = updraft({"bounds", "--instance", path});
  expect_contains(text.out, "sigma^2 = 100");
  expect_contains(text.out, "bounds hold for the alpha shown");
}

TEST(CliBounds, OfTargeting) {
  const Arguments arguments = {"bounds", "--features", "2",  "--individuals", "12",  "--budget",
                               "3",      "--ridge",    "4",  "--norm-bound",  "0.5", "--rounds",
                               "8",      "--delta",    "0.1"};
  Arguments with_json = arguments;
  with_json.push_back("--json");
  const json result = parsed(updraft(with_json));
  ASSERT_EQ(result["bounds"].size(), 1u);
  EXPECT_EQ(result["bounds"][0]["name"], "c2_up_ucb");
  EXPECT_NEAR(result["bounds"][0]["value"].get<double>(), 200.0320078579227, 1e-9);
  EXPECT_EQ(result["trivial"], 48.0);  // 4 * .5 * 3 * 8
  EXPECT_EQ(result["bounds"][0]["below_trivial"], false);
  const Outcome text = updraft(arguments);
  EXPECT_EQ(text.exit_code, 0);
  expect_contains(text.out, "c2_up_ucb");
  expect_contains(text.out, "hsieh22, Thm 5");
  expect_refused({"bounds", "--features", "2"}, "--individuals: must be given");
  expect_refused({"bounds", "--features", "2", "--individuals", "3", "--budget", "4"},
                 "budget = 4: must be from 1 to the number of individuals, 3");
  expect_refused({"bounds", "--features", "2", "--instance", "gaussian"},
                 "--instance: cannot be combined with the options for targeting");
}

TEST_F(CliFiles, BoundsValueIsThatOfTheFormula) {
  const json result = parsed(updraft({"bounds", "--instance", tiny_, "--rounds", "100", "--json"}));
  for (const json& bound : result["bounds"]) {
    if (bound["name"] != "up_ucb_bl") continue;
    // Gaps 0.8 and 1.1, one affected variable each; K = 3, T = 100, delta = 0.05.
    const double expected = (8 / 0.8 + 8 / 1.1) * std::log(2 * 3 * 100 / 0.05) + 0.8 + 1.1;
    EXPECT_NEAR(bound["value"].get<double>(), expected, 1e-9 * expected);
    return;
  }
  FAIL() << "no bound for up_ucb_bl";
}

TEST_F(CliFiles, BoundsTakesLAndDeltaFromTheCommandLine) {
  const json result = parsed(updraft({"bounds", "--instance", tiny_, "--max-affected", "4",
                                      "--min-uplift", "0.05", "--effect-gap", "0.025", "--json"}));
  EXPECT_EQ(result["max_affected"], 4);
  EXPECT_EQ(result["min_uplift"], 0.05);
  EXPECT_EQ(result["effect_gap"], 0.025);
  EXPECT_EQ(result["rounds"], 1000);
  const json plain = parsed(updraft({"bounds", "--instance", tiny_, "--json"}));
  for (std::size_t i = 0; i < plain["bounds"].size(); ++i) {
    const json& told = result["bounds"][i];
    if (told["name"] == "up_ucb") {
      EXPECT_EQ(told, plain["bounds"][i]);  // knows the sets
    }
    if (told["name"] != "up_ucb_l") continue;
    EXPECT_GT(told["value"].get<double>(), plain["bounds"][i]["value"].get<double>());
  }
}

TEST_F(CliFiles, BoundsTakesAnLForEachAction) {
  const Arguments arguments = {"bounds", "--instance",     tiny_,      "--rounds",
                               "100",    "--max-affected", "[2, 5,1]", "--json"};
  const json result = parsed(updraft(arguments));
  EXPECT_EQ(result["max_affected"], (json{2, 5, 1}));
  const json& bounds = result["bounds"];
  const auto bound = std::find_if(bounds.begin(), bounds.end(),
                                  [](const json& row) { return row["name"] == "up_ucb_l_bl"; });
  ASSERT_NE(bound, bounds.end());
  // Gaps 0.8 and 1.1 with L(a) = 5 and 1; K = 3, m = 6, T = 100, delta = 0.05.
  const double expected = (32 * 25 / 0.8 + 32 / 1.1) * std::log(2 * 3 * 6 * 100 / 0.05) + 0.8 + 1.1;
  EXPECT_NEAR((*bound)["value"].get<double>(), expected, 1e-9 * expected);
  const auto text_with = [&](const char* told) {
    return updraft({"bounds", "--instance", tiny_, "--max-affected", told}).out;
  };
  expect_contains(text_with("[2, 5, 1]"), ", L(a) = 1 to 5, ");
  expect_contains(text_with("5"), ", L = 5, ");
  EXPECT_EQ(text_with("[5, 5, 5]"), text_with("5"));
}

TEST_F(CliFiles, BoundsSaysWhichNeedADeltaThatIsNotThere) {
  const std::string idle = folder_.write("idle.json", kIdle);
  const json result = parsed(updraft({"bounds", "--instance", idle, "--json"}));
  EXPECT_TRUE(result["min_uplift"].is_null());
  EXPECT_TRUE(result["effect_gap"].is_null());
  std::size_t missing = 0;
  for (const json& bound : result["bounds"]) missing += bound["value"].is_null();
  EXPECT_EQ(missing, 4u);
  const Outcome text = updraft({"bounds", "--instance", idle});
  EXPECT_EQ(text.exit_code, 0);
  expect_contains(text.out, "needs Delta");
  expect_contains(text.out, "needs effect gap");
  expect_contains(text.out, "Effect gap: none: nothing is affected; --effect-gap gives one.");
}

TEST_F(CliFiles, BoundsRefusesBadInput) {
  const auto refuse = [&](const Arguments& more, const std::string& part) {
    Arguments arguments = {"bounds", "--instance", tiny_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(arguments, part);
  };
  expect_refused({"bounds"}, "--instance: must be given");
  expect_refused({"bounds", "--instance", "gausian"}, "did you mean gaussian?");
  refuse({"--rounds", "0"}, "--rounds = 0: must be a whole number from 1");
  refuse({"--rounds", "nan"}, "--rounds = nan: must be a whole number");
  refuse({"--delta", "0"}, "--delta = 0: must be a number in (0, 1)");
  refuse({"--delta", "1"}, "--delta = 1: must be a number in (0, 1)");
  refuse({"--delta", "nan"}, "--delta = nan: must be a number in (0, 1)");
  refuse({"--delta", "half"}, "--delta = half: must be a number in (0, 1)");
  refuse({"--max-affected", "0"}, "--max-affected = 0: must be a whole number from 1 to 6");
  refuse({"--max-affected", "7"}, "--max-affected = 7: must be a whole number from 1 to 6");
  refuse({"--max-affected", "1"},
         "--max-affected = 1: must be from 2, the most that an action affects, to the number of "
         "variables, 6");
  refuse({"--max-affected", "[0, 2]"},
         "--max-affected = 2 numbers: must have one for each of the 3 actions");
  refuse({"--max-affected", "[6, 6, 7]"},
         "--max-affected[2] = 7: must be a whole number from 0 to 6");
  refuse({"--max-affected", "[6, , 6]"}, "--max-affected[1]: must be a whole number from 0 to 6");
  refuse({"--max-affected", "[6, 0, 6]"}, "--max-affected[1] = 0: must be from ");
  refuse({"--max-affected", "[]"}, "--max-affected[0]: must be a whole number");
  refuse({"--max-affected", "["}, "--max-affected = [: must be a whole number from 1 to 6");
  refuse({"--min-uplift", "0"}, "--min-uplift = 0: must be a number > 0");
  refuse({"--min-uplift", "inf"}, "--min-uplift = inf: must be a number > 0");
}

}  // namespace
}  // namespace updraft::cli_test
