#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "support/refusal.h"
#include "updraft/experiment.h"

namespace updraft {
namespace {

using testing::refusal;

constexpr std::string_view kHead =
    "name = \"mine\"\n"          // line 1
    "title = \"My own\"\n"       // line 2
    "instance = \"gaussian\"\n"  // line 3
    "rounds = 3000\n"            // line 4
    "runs = 30\n";               // line 5

constexpr std::string_view kPolicy =
    "[[policy]]\n"           // line 6 after kHead
    "spec = \"ucb\"\n"       // line 7
    "alpha = [2, 1, 0.5]\n"  // line 8
    "paper = 1\n";           // line 9

std::string refused(const std::string& toml) {
  return refusal([&] { parse_experiment(toml, "mine.toml"); });
}

/// kHead and kPolicy with `from` replaced.
std::string refused_with(std::string_view from, std::string_view to) {
  std::string toml = fmt::format("{}{}", kHead, kPolicy);
  const std::size_t at = toml.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return refused(toml.replace(at, from.size(), to));
}

/// A document whose one policy, from line 6 on, is `table`.
std::string refused_policy(std::string_view table) {
  return refused(fmt::format("{}[[policy]]\n{}", kHead, table));
}

// Reading.

TEST(ParseExperiment, ReadsWhatPoliciesAreTold) {
  const auto told = [](std::string_view list) {
    return parse_experiment(fmt::format("{}tell = {}\n{}", kHead, list, kPolicy), "mine.toml")
        .may_know;
  };
  EXPECT_EQ(told("['affected', 'segments']"), Need::kAffected | Need::kSegments);
  EXPECT_EQ(told("[]"), Needs());
  EXPECT_EQ(told("['nothing']"), Needs());
  EXPECT_FALSE(parse_experiment(fmt::format("{}{}", kHead, kPolicy), "mine.toml").may_know);
  EXPECT_EQ(refused(fmt::format("{}tell = ['afected']\n{}", kHead, kPolicy))
                .find("mine.toml:6: tell = afected: unknown; did you mean affected?"),
            0u);
  EXPECT_EQ(refused(fmt::format("{}tell = []\n[[policy]]\nspec = 'up_ts'\n", kHead))
                .find("mine.toml:7: policy[0]: up_ts: needs to know affected, which is missing"),
            0u);
}

TEST(ParseExperiment, ReadsLimits) {
  const auto parse = [](std::string_view limit) {
    return parse_experiment(
        fmt::format("{}{}[[policy]]\nspec = 'ts'\n[[limit]]\n{}", kHead, kPolicy, limit),
        "mine.toml");
  };
  const Experiment experiment = parse(
      "policy = 'ts'\ntimes = 2\nof = 'ucb'\nregret = 9e3\nmean_of_median = 1.25\n"
      "largest_of_median = 5\n");
  EXPECT_EQ(experiment.limits, (std::vector<RegretLimit>{{.policy = "ts",
                                                          .of = "ucb",
                                                          .times = 2.0,
                                                          .regret = 9000.0,
                                                          .mean_of_median = 1.25,
                                                          .largest_of_median = 5.0}}));
  const auto refused_limit = [&](std::string_view limit) { return refusal([&] { parse(limit); }); };
  EXPECT_EQ(refused_limit("policy = 'tss'\nregret = 1\n")
                .find("mine.toml:13: limit[0].policy = tss: unknown; did you mean ts?"),
            0u);
  EXPECT_EQ(refused_limit("policy = 'ts'\ntimes = 2\n"),
            "mine.toml:12: limit[0]: must have both times and of, or neither");
  EXPECT_EQ(refused_limit("policy = 'ts'\n"),
            "mine.toml:12: limit[0]: must have at least one of times, regret, mean_of_median and "
            "largest_of_median");
  EXPECT_EQ(refused_limit("policy = 'ts'\nregret = 0\n"),
            "mine.toml:14: limit[0].regret = 0: must be > 0");
}

TEST(ParseExperiment, ReadsEveryKey) {
  const Experiment experiment = parse_experiment(
      "name = 'all_keys-1'\ntitle = 'All keys'\ninstance = 'gaussian'\nrounds = 2e4\nruns = 7\n"
      "seed = 12345678901234567\nclaims = [3, 1]\n[quick]\nrounds = 50\nruns = 2\n"
      "[figure]\nlog_rounds = true\nlog_regret = true\npercentile = true\nbounds = true\n"
      "[[policy]]\nspec = 'up_ucb( baseline_bound = lcb )'\nlabel = 'UpUCB-bLCB'\n"
      "alpha = [3, 1, 2.5]\npaper = 3\nquick = 1\n"
      "[[policy]]\nspec = 'up_ucb_naff(alpha=1)'\nmax_affected = [20, 5]\n"
      "[[policy]]\nspec = 'ucb(alpha=2)'\n",
      "all.toml");
  EXPECT_EQ(experiment.name, "all_keys-1");
  EXPECT_EQ(experiment.title, "All keys");
  EXPECT_EQ(experiment.instance, "gaussian");
  EXPECT_EQ(experiment.rounds, 20000u);
  EXPECT_EQ(experiment.runs, 7u);
  EXPECT_EQ(experiment.whole_rounds, 20000u);
  EXPECT_EQ(experiment.whole_runs, 7u);
  EXPECT_EQ(experiment.seed, 12345678901234567u);
  EXPECT_EQ(experiment.quick_rounds, 50u);
  EXPECT_EQ(experiment.quick_runs, 2u);
  EXPECT_EQ(experiment.claims, (std::vector<int>{1, 3}));
  EXPECT_EQ(experiment.figure, (FigureStyle{true, true, true, true}));

  ASSERT_EQ(experiment.policies.size(), 3u);
  EXPECT_EQ(experiment.policies[0], (PolicyGrid{"UpUCB-bLCB",
                                                PolicySpec::parse("up_ucb(baseline_bound=lcb)"),
                                                "alpha",
                                                {1, 2.5, 3},
                                                3.0,
                                                1.0,
                                                3}));
  EXPECT_EQ(experiment.policies[1], (PolicyGrid{"up_ucb_l(alpha=1)",
                                                PolicySpec::parse("up_ucb_l(alpha=1)"),
                                                "max_affected",
                                                {5, 20},
                                                std::nullopt,
                                                std::nullopt,
                                                2}));
  EXPECT_EQ(
      experiment.policies[2],
      (PolicyGrid{
          "ucb(alpha=2)", PolicySpec::parse("ucb(alpha=2)"), "", {}, std::nullopt, std::nullopt}));
}

TEST(ParseExperiment, ReadsWhatTheFigureIsAgainst) {
  const auto against = [](std::string_view text) {
    return parse_experiment(fmt::format("{}[figure]\nagainst = \"{}\"\n{}", kHead, text, kPolicy),
                            "mine.toml")
        .figure.against;
  };
  EXPECT_EQ(against("rounds"), FigureStyle::Against::kRounds);
  EXPECT_EQ(against("parameter"), FigureStyle::Against::kParameter);
}

TEST(ParseExperiment, FillsInDefaults) {
  const Experiment large = parse_experiment(fmt::format("{}{}", kHead, kPolicy), "mine.toml");
  EXPECT_EQ(large.seed, 1u);
  EXPECT_EQ(large.quick_rounds, 1000u);
  EXPECT_EQ(large.quick_runs, 10u);
  EXPECT_TRUE(large.claims.empty());
  EXPECT_EQ(large.figure, FigureStyle{});
  EXPECT_EQ(large.figure.against, FigureStyle::Against::kRounds);
  EXPECT_EQ(large.policies[0].label, "ucb");

  const Experiment small = parse_experiment(
      "name = 'small'\ntitle = 'S'\ninstance = 'gaussian'\nrounds = 20\nruns = 3\n[quick]\nruns = "
      "2\n"
      "[[policy]]\nspec = 'ucb(alpha=1)'\n",
      "small.toml");
  EXPECT_EQ(small.quick_rounds, 20u);
  EXPECT_EQ(small.quick_runs, 2u);
}

TEST(ParseExperiment, RoundsIntegersThatDoublesCannotHold) {
  const Experiment experiment = parse_experiment(
      fmt::format("{}[[policy]]\nspec = 'ucb'\nalpha = [9007199254740993]\n", kHead), "mine.toml");
  EXPECT_EQ(experiment.policies[0].values, std::vector<double>{9007199254740992.0});
}

TEST(ParseExperiment, LeavesObservationsToTheSimulation) {
  EXPECT_EQ(refused_policy("spec = 'up_ucb_obs'\nalpha = [1, 2]\n"), "(accepted)");
  EXPECT_EQ(refused_policy("spec = 'up_ucb_obs(alpha=1)'\nobservations = [10, 100]\n"),
            "(accepted)");
}

// What is refused, with origin and line.

TEST(ParseExperiment, RefusesTextThatIsNotToml) {
  EXPECT_EQ(refused_with("rounds = 3000", "rounds = "),
            "mine.toml:4:10: is not TOML: Error while parsing key-value pair: expected value, saw "
            "'\\n'");
  EXPECT_EQ(refused_with("runs = 30", "rounds = 30").rfind("mine.toml:5:", 0), 0u);  // twice
  EXPECT_EQ(refused_with("[[policy]]", "[[policy").rfind("mine.toml:6:", 0), 0u);
  for (const std::string header : {"[=]", "[.a]", "[[,]]", "[ #"}) {
    EXPECT_EQ(refused(header).rfind("mine.toml:1:", 0), 0u) << header;
  }
  EXPECT_EQ(refused("name = \"\xff\"").rfind("mine.toml:1:", 0), 0u);
}

/// toml++ 3.3 is not to be asked whether such characters are white space.
TEST(ParseExperiment, RefusesCharactersBeyondAsciiOutsideOfQuotes) {
  constexpr auto kRule = "contains a non-ASCII character outside quotes and comments";
  EXPECT_EQ(refused_with("rounds = 3000", "rounds = ε"), fmt::format("mine.toml:4: {}", kRule));
  EXPECT_EQ(refused_with("rounds = 3000", "é = 3000"), fmt::format("mine.toml:4: {}", kRule));
  EXPECT_EQ(refused_with("\"My own\"", "\"My own\" ε"), fmt::format("mine.toml:2: {}", kRule));
  EXPECT_EQ(refused_with("\"My own\"", "\"\"\"My \\\n  εown\"\"\""),
            fmt::format("mine.toml:3: {}", kRule));
  EXPECT_EQ(refused_with("\"My own\"", "[0.05\"ε\""), fmt::format("mine.toml:2: {}", kRule));
  EXPECT_EQ(refused_with("\"My own\"", "['''a''''ε'"), fmt::format("mine.toml:2: {}", kRule));
  EXPECT_EQ(refused_with("\"My own\"", "[0.\"ε\""), fmt::format("mine.toml:2: {}", kRule));
  for (const char* title :
       {"'ε'", "\"ε\" # ε", "\"a \\\" ε\"", "'''ε ' '''", "\"\"\"ε \" \"\"\""}) {
    EXPECT_EQ(refused_with("\"My own\"", title), "(accepted)") << title;
  }
}

TEST(ParseExperiment, RefusesWhatIsTooLargeOrNested) {
  EXPECT_EQ(refused(std::string(32769, '#')),
            "mine.toml:1: is too large; an experiment file has at most 32 KiB");
  std::string deep;
  for (int level = 0; level < 4000; ++level) deep += "a.";
  EXPECT_EQ(refused(deep + "a = 1").rfind("mine.toml:1: a: unknown; did you mean ", 0), 0u);
  EXPECT_EQ(refused("a = " + std::string(10000, '[')).rfind("mine.toml:1:", 0), 0u);
}

TEST(ParseExperiment, RefusesUnknownKeysWithTheNearest) {
  EXPECT_EQ(
      refused_with("rounds", "ruonds"),
      "mine.toml:4: ruonds: unknown; did you mean rounds? Valid: name, title, instance, targeting, "
      "contexts, rounds, runs, seed, claims, tell, quick, figure, policy, limit");
  EXPECT_EQ(refused_with("[[policy]]", "[quick]\nround = 3\n[[policy]]"),
            "mine.toml:7: quick.round: unknown; did you mean rounds? Valid: rounds, runs");
  EXPECT_EQ(refused_with("[[policy]]", "[figure]\npercentil = true\n[[policy]]"),
            "mine.toml:7: figure.percentil: unknown; did you mean percentile? Valid: against, "
            "log_rounds, log_regret, percentile, bounds");
  EXPECT_EQ(
      refused(fmt::format("{}{}[[policy]]\nspec = 'ts'\nsigma = [1]\n", kHead, kPolicy)),
      "mine.toml:12: policy[1].sigma: unknown; did you mean sigma2? Valid: spec, label, paper, "
      "quick, sigma2, prior_mean, prior_variance");
  EXPECT_EQ(refused_with("alpha", "alhpa"),
            "mine.toml:8: policy[0].alhpa: unknown; did you mean alpha? Valid: spec, label, paper, "
            "quick, alpha, delta, horizon");
  EXPECT_EQ(refused_with("spec", "sepc")
                .rfind("mine.toml:7: policy[0].sepc: unknown; did you mean spec? Valid: ", 0),
            0u);
  const std::string long_key(30000, 'x');
  EXPECT_LT(refused(fmt::format("{} = 1", long_key)).size(), 400u);
}

TEST(ParseExperiment, PointsAtTheFirstUnknownKeyOfTheFile) {
  EXPECT_EQ(refused("zebra = 1\napple = 2\n").rfind("mine.toml:1: zebra: ", 0), 0u);
}

TEST(ParseExperiment, RefusesUnknownPoliciesAndParameters) {
  EXPECT_EQ(
      refused_with("\"ucb\"", "\"up_ubc\"")
          .rfind("mine.toml:7: policy[0].spec: policy = up_ubc: unknown; did you mean up_ucb? "
                 "Valid: auto, ucb, ts, ",
                 0),
      0u);
  EXPECT_EQ(refused_with("\"ucb\"", "\"ucb(hroizon=3)\""),
            "mine.toml:7: policy[0].spec: parameter of ucb = hroizon: unknown; did you mean "
            "horizon? Valid: alpha, delta, horizon");
  EXPECT_EQ(refused_with("\"ucb\"", "\"ucb(delta=2)\""),
            "mine.toml:7: policy[0].spec: ucb.delta = 2: must be in (0, 1)");
  EXPECT_EQ(refused_with("\"ucb\"", "\"\""),
            "mine.toml:7: policy[0].spec: policy = \"\": must look like name(parameter=value, "
            "...)");
}

TEST(ParseExperiment, AutoBecomesWhatItPicks) {
  const Experiment experiment =
      parse_experiment(fmt::format("{}[[policy]]\nspec = \"auto\"\n", kHead), "mine.toml");
  EXPECT_EQ(experiment.policies[0].spec.text(), "up_ts_bl");
  EXPECT_EQ(experiment.policies[0].label, "auto: up_ts_bl");
  EXPECT_EQ(
      refused_policy("spec = \"auto\"\nalpha = [1, 2]\n"),
      "mine.toml:6: policy[0]: auto picks the policy; to tune alpha, name the policy that has "
      "it");
}

TEST(ParseExperiment, RefusesMissingKeys) {
  for (const std::string key : {"name", "title", "instance", "rounds", "runs"}) {
    std::string toml = fmt::format("{}{}", kHead, kPolicy);
    const std::size_t at = toml.find(key + " = ");
    toml.insert(at, 1, '#');
    EXPECT_EQ(refused(toml), "mine.toml:1: " + key + ": is missing");
  }
  EXPECT_EQ(refused_policy("alpha = [1]\n"), "mine.toml:6: policy[0].spec: is missing");
  EXPECT_EQ(refused(""), "mine.toml:1: name: is missing");
}

TEST(ParseExperiment, RefusesWrongTypes) {
  EXPECT_EQ(refused_with("\"mine\"", "3"), "mine.toml:1: name: must be a string, not a number");
  EXPECT_EQ(refused_with("\"gaussian\"", "true"),
            "mine.toml:3: instance: must be a string, not true or false");
  EXPECT_EQ(refused_with("3000", "\"3000\""),
            "mine.toml:4: rounds: must be a number, not a string");
  EXPECT_EQ(refused_with("3000", "1979-05-27"),
            "mine.toml:4: rounds: must be a number, not a date or time");
  EXPECT_EQ(refused_with("[[policy]]", "[policy]"),
            "mine.toml:6: policy: must be a list of tables, each under [[policy]], not a table");
  EXPECT_EQ(refused(fmt::format("{}policy = [1]", kHead)),
            "mine.toml:6: policy[0]: must be a table, under [[policy]], not a number");
  EXPECT_EQ(refused(fmt::format("{}quick = 3\n{}", kHead, kPolicy)),
            "mine.toml:6: quick: must be a table, [quick], not a number");
  EXPECT_EQ(refused(fmt::format("{}figure = [1]\n{}", kHead, kPolicy)),
            "mine.toml:6: figure: must be a table, [figure], not a list");
  EXPECT_EQ(refused_with("[[policy]]", "[figure]\nbounds = 1\n[[policy]]"),
            "mine.toml:7: figure.bounds: must be true or false, not a number");
  EXPECT_EQ(refused_with("\"ucb\"", "[1]"),
            "mine.toml:7: policy[0].spec: must be a string, not a list");
  EXPECT_EQ(refused_with("[2, 1, 0.5]", "3"),
            "mine.toml:8: policy[0].alpha: must be a list of values to try (a fixed value belongs "
            "in spec), not a number");
  EXPECT_EQ(refused_with("[2, 1, 0.5]", "[2,\n'x']"),
            "mine.toml:9: policy[0].alpha[1]: must be a number, not a string");
}

TEST(ParseExperiment, RefusesRoundsAndRunsOutOfRange) {
  const std::string rule = ": must be a whole number from 1 to 4294967295";
  for (const std::string value : {"0", "-1", "4294967296", "2.5", "nan", "-inf"}) {
    EXPECT_EQ(refused_with("3000", value), "mine.toml:4: rounds = " + value + rule);
    EXPECT_EQ(refused_with("runs = 30", "runs = " + value), "mine.toml:5: runs = " + value + rule);
    EXPECT_EQ(refused_with("[[policy]]", "[quick]\nrounds = " + value + "\n[[policy]]"),
              "mine.toml:7: quick.rounds = " + value + rule);
    EXPECT_EQ(refused_with("[[policy]]", "[quick]\nruns = " + value + "\n[[policy]]"),
              "mine.toml:7: quick.runs = " + value + rule);
  }
  EXPECT_EQ(refused_with("3000", "4294967295"), "(accepted)");
  EXPECT_EQ(refused_with("[[policy]]", "seed = -1\n[[policy]]"),
            "mine.toml:6: seed = -1: must be a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(refused_with("[[policy]]", "seed = 9223372036854775807\n[[policy]]"), "(accepted)");
}

TEST(ParseExperiment, RefusesNamesAndLinesThatWouldNotFit) {
  for (const std::string name : {"my exp", "../up", "caf\u00e9", "a.b"}) {
    EXPECT_EQ(refused_with("\"mine\"", "\"" + name + "\""),
              "mine.toml:1: name = \"" + name + "\": must be letters, digits, - and _ only");
  }
  EXPECT_EQ(refused_with("\"mine\"", "\"\""), "mine.toml:1: name: must have 1 to 100 characters");
  EXPECT_EQ(refused_with("mine", std::string(101, 'x')),
            "mine.toml:1: name: must have 1 to 100 characters");
  EXPECT_EQ(refused_with("My own", ""),
            "mine.toml:2: title: must be one line of text, 1 to 200 bytes long");
  EXPECT_EQ(refused_with("paper = 1", "label = \"a\\nb\""),
            "mine.toml:9: policy[0].label: must be one line of text, 1 to 200 bytes long");
}

TEST(ParseExperiment, RefusesUnknownClaims) {
  EXPECT_EQ(refused_with("[[policy]]", "claims = [1, 10]\n[[policy]]"),
            "mine.toml:6: claims[1] = 10: must be a whole number from 1 to 9");
  EXPECT_EQ(refused_with("[[policy]]", "claims = [0]\n[[policy]]"),
            "mine.toml:6: claims[0] = 0: must be a whole number from 1 to 9");
  EXPECT_EQ(refused_with("[[policy]]", "claims = [2, 2]\n[[policy]]"),
            "mine.toml:6: claims[1] = 2: is given twice");
  EXPECT_EQ(refused_with("[[policy]]", "claims = 2\n[[policy]]"),
            "mine.toml:6: claims: must be a list of whole numbers, not a number");
}

TEST(ParseExperiment, RefusesFiguresThatCannotBeDrawn) {
  const auto figure = [](std::string_view keys, std::string_view policy) {
    return refused(fmt::format("{}[figure]\n{}{}", kHead, keys, policy));
  };
  const std::string_view against = "against = 'parameter'\n";
  EXPECT_EQ(figure("against = 'alpha'\n", kPolicy),
            "mine.toml:7: figure.against = \"alpha\": must be \"rounds\" or \"parameter\"");
  EXPECT_EQ(figure(against, kPolicy), "(accepted)");
  EXPECT_EQ(figure("against = 'parameter'\npercentile = false\n", kPolicy), "(accepted)");
  for (const std::string key : {"log_rounds", "log_regret", "percentile", "bounds"}) {
    EXPECT_EQ(figure(fmt::format("{} = true\n{}", key, against), kPolicy),
              "mine.toml:7: figure." + key +
                  " = true: is for figures against rounds; against is \"parameter\"");
  }
  EXPECT_EQ(figure(against, "[[policy]]\nspec = 'ucb(alpha=1)'\n"),
            "mine.toml:7: figure.against = \"parameter\": needs a policy with a list of values");
  EXPECT_EQ(figure(against, "[[policy]]\nspec = 'ts(sigma2=1)'\nprior_mean = [2, -1]\n"),
            "mine.toml:7: figure.against = \"parameter\": the axis is logarithmic, but "
            "policy[0].prior_mean has -1");
}

TEST(ParseExperiment, RefusesGridsThatAreEmptyRepeatedOrOutOfRange) {
  EXPECT_EQ(refused_with("[2, 1, 0.5]", "[]"),
            "mine.toml:8: policy[0].alpha: must have at least one value");
  EXPECT_EQ(refused_with("[2, 1, 0.5]", "[2, 1, 2.0]"),
            "mine.toml:8: policy[0].alpha[2] = 2: is given twice");
  EXPECT_EQ(refused_with("[2, 1, 0.5]", "[2, 0]"),
            "mine.toml:8: policy[0].alpha[1] = 0: must be > 0");
  EXPECT_EQ(refused_with("[2, 1, 0.5]", "[nan]"),
            "mine.toml:8: policy[0].alpha[0] = nan: must be > 0");
  EXPECT_EQ(refused_policy("spec = 'up_ucb_l(alpha=1)'\nmax_affected = [5, 7.5]\n"),
            "mine.toml:8: policy[0].max_affected[1] = 7.5: must be a whole number >= 1");
  EXPECT_EQ(refused_policy("spec = 'up_ucb_l(alpha=1)'\nmax_affected = [5, 101]\n"),
            "mine.toml:6: policy[0]: up_ucb_l.max_affected = 101: must be from 1 to the number of "
            "variables, 100");
}

TEST(ParseExperiment, RefusesMoreThanOneTunedParameter) {
  EXPECT_EQ(
      refused_policy("spec = 'up_ucb_l'\nmax_affected = [5]\nalpha = [1, 2]\n"),
      "mine.toml:9: policy[0].alpha: only one parameter can be tuned, and max_affected already is; "
      "fixed values belong in spec");
  EXPECT_EQ(refused_policy("spec = 'ucb(alpha=1)'\nalpha = [1, 2]\n"),
            "mine.toml:8: policy[0].alpha: is already given in spec");
  EXPECT_EQ(refused_policy("spec = 'up_ucb'\nalpha = [1]\nbaseline_bound = 'lcb'\n"),
            "mine.toml:9: policy[0].baseline_bound: belongs in spec, as in "
            "up_ucb(baseline_bound=ucb)");
}

TEST(ParseExperiment, RefusesChoicesThatAreNotAmongTheValues) {
  EXPECT_EQ(refused_with("paper = 1", "paper = 3"),
            "mine.toml:9: policy[0].paper = 3: must be one of the values: 0.5, 1, 2");
  EXPECT_EQ(refused_with("paper = 1", "quick = 1.5"),
            "mine.toml:9: policy[0].quick = 1.5: must be one of the values: 0.5, 1, 2");
  EXPECT_EQ(refused_policy("spec = 'ucb(alpha=1)'\npaper = 1\n"),
            "mine.toml:8: policy[0].paper = 1: needs a parameter with a list of values");
}

TEST(ParseExperiment, RefusesNoPoliciesAndEqualLabels) {
  EXPECT_EQ(refused(std::string(kHead)),
            "mine.toml:1: experiment: has no policies; give at least one under [[policy]]");
  EXPECT_EQ(refused(fmt::format("{}policy = []", kHead)),
            "mine.toml:6: policy: must have at least one, under [[policy]]");
  EXPECT_EQ(refused(fmt::format("{}{}{}", kHead, kPolicy, kPolicy)),
            "mine.toml:10: policy[1]: ucb is also the label of policy[0]; labels must differ");
  EXPECT_EQ(refused(fmt::format("{}{}[[policy]]\nspec = 'ts(sigma2=1)'\nlabel = 'ucb'\n", kHead,
                                kPolicy)),
            "mine.toml:12: policy[1].label = ucb: is also the label of policy[0]; labels must "
            "differ");
}

TEST(ParseExperiment, RefusesPoliciesThatCannotBeMade) {
  EXPECT_EQ(refused_policy("spec = 'ucb'\n"),
            "mine.toml:6: policy[0]: ucb.alpha: missing: give alpha (> 0), or delta (in (0, 1)) "
            "with a horizon; auto picks a policy that needs neither");
  EXPECT_EQ(refused_policy("spec = 'ucb(delta=0.1)'\nalpha = [1]\n"),
            "mine.toml:6: policy[0]: ucb.delta = 0.1: give alpha or delta, not both");
}

}  // namespace
}  // namespace updraft
