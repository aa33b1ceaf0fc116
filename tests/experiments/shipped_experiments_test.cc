#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "support/refusal.h"
#include "support/source_folder.h"
#include "updraft/suite.h"

namespace updraft {
namespace {

using testing::refusal;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::filesystem::path kSource = testing::source_folder();

// Shipped experiments: grids and choices of [hsieh22, Appendix D].

struct Shipped {
  std::string name;
  std::string instance;
  std::uint32_t rounds;
  std::vector<std::size_t> grid_sizes;
  std::vector<std::optional<double>> paper;
  std::vector<int> claims;
};

constexpr std::nullopt_t kNone = std::nullopt;

TEST(ShippedExperiments, OfThePaperHaveItsGridsAndChoices) {
  const std::vector<Shipped> expected = {
      {"gaussian", "gaussian", 20000, {10, 28, 10, 10, 10, 10}, {2, 0.08, 5, 3, 5, 3}, {1, 2, 3}},
      {"gaussian-weak",
       "gaussian-weak",
       20000,
       {14, 28, 14, 14, 14, 14},
       {kNone, kNone, kNone, kNone, kNone, kNone},
       {1, 2, 3}},
      {"criteo",
       "criteo",
       5000,
       {28, 28, 28, 28, 28, 28},
       {7e-7, 2e-7, 8e-5, 8e-5, 5e-7, 2e-6},
       {1, 2, 3}},
      {"baseline-bound", "gaussian", 20000, {10, 10}, {3, kNone}, {4}},
      {"misspecified-l", "gaussian", 20000, {10, 10, 10, 10}, {kNone, 6, 5, kNone}, {5}},
  };
  ASSERT_GE(shipped_experiments().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(expected[i].name);
    EXPECT_EQ(shipped_experiments()[i].name, expected[i].name);
    const Experiment experiment = load_experiment(expected[i].name);
    EXPECT_EQ(experiment.name, expected[i].name);
    EXPECT_EQ(experiment.instance, expected[i].instance);
    EXPECT_EQ(experiment.rounds, expected[i].rounds);
    EXPECT_EQ(experiment.runs, 100u);
    EXPECT_EQ(experiment.seed, 1u);
    EXPECT_EQ(experiment.claims, expected[i].claims);
    std::vector<std::size_t> sizes;
    std::vector<std::optional<double>> paper;
    for (const PolicyGrid& grid : experiment.policies) {
      sizes.push_back(grid.values.size());
      paper.push_back(grid.paper);
    }
    EXPECT_EQ(sizes, expected[i].grid_sizes);
    EXPECT_EQ(paper, expected[i].paper);
  }
}

TEST(ShippedExperiments, WithoutTuningHaveEveryAlphaBesideIt) {
  const auto suite = std::get<Suite>(load_experiment_or_suite("tuning-free"));
  std::vector<std::string> instances;
  for (const Experiment& experiment : suite.experiments) {
    SCOPED_TRACE(experiment.name);
    instances.push_back(experiment.instance);
    EXPECT_EQ(experiment.name, "tuning-free-" + experiment.instance);
    EXPECT_EQ(experiment.runs, 100u);
    EXPECT_EQ(experiment.figure.against, FigureStyle::Against::kParameter);
    std::vector<std::string> tuned;
    std::vector<std::string> labels;
    for (const PolicyGrid& grid : experiment.policies) {
      (grid.parameter == "alpha" ? tuned : labels).push_back(grid.label);
      EXPECT_FALSE(grid.paper || grid.quick);  // a quick run has all values, too
      EXPECT_EQ(grid.values,
                grid.parameter.empty() ? std::vector<double>() : experiment.policies[0].values);
    }
    EXPECT_EQ(tuned, (std::vector<std::string>{"UCB", "UpUCB(bl)", "UpUCB"}));
    std::vector<std::string> expected = {"UpTS(bl)", "UpTS", "UpUCB-CV(bl)", "UpUCB-CV"};
    if (experiment.instance == "gaussian-weak") {
      expected.insert(expected.end(), {"UpTS(bl), diagonal", "UpTS, diagonal"});
    }
    EXPECT_EQ(labels, expected);
  }
  EXPECT_EQ(instances, (std::vector<std::string>{"gaussian", "gaussian-weak", "criteo", "marketing",
                                                 "discounts", "movies"}));
}

TEST(ShippedExperiments, ToldNothingTellOnlyTheSetsOrAlsoTheSegments) {
  const auto suite = std::get<Suite>(load_experiment_or_suite("told-nothing"));
  EXPECT_EQ(suite.experiments.size(), 16u);
  for (const Experiment& experiment : suite.experiments) {
    SCOPED_TRACE(experiment.name);
    const bool segments = experiment.name.ends_with("-segments");
    EXPECT_EQ(experiment.may_know, segments ? Need::kAffected | Need::kSegments : Need::kAffected);
    EXPECT_EQ(experiment.name,
              "told-nothing-" + experiment.instance + (segments ? "-segments" : ""));
    if (segments) {
      EXPECT_TRUE(load_instance(experiment.instance)->segments());
    }
    EXPECT_EQ(experiment.runs, 100u);
    EXPECT_EQ(experiment.seed, 1u);
    ASSERT_EQ(experiment.limits.size(), 1u);
    EXPECT_EQ(experiment.limits[0].policy, "UpTS-sparse");
    EXPECT_EQ(experiment.limits[0].mean_of_median, 1.3);
    EXPECT_EQ(experiment.limits[0].largest_of_median, 5.0);
  }
}

TEST(ShippedExperiments, ChangingWorldComparesWhatForgetsWithWhatDoesNot) {
  const auto suite = std::get<Suite>(load_experiment_or_suite("changing-world"));
  std::vector<std::string> instances;
  for (const Experiment& experiment : suite.experiments) {
    SCOPED_TRACE(experiment.name);
    instances.push_back(experiment.instance);
    EXPECT_EQ(experiment.name, "changing-world-" + experiment.instance);
    EXPECT_EQ(load_instance(experiment.instance)->changes(), experiment.instance != "steady");
    EXPECT_EQ(experiment.rounds, 2000u);
    EXPECT_EQ(experiment.runs, 100u);
    EXPECT_EQ(experiment.seed, 1u);
    std::vector<std::string> specs;
    for (const PolicyGrid& policy : experiment.policies) specs.push_back(policy.spec.text());
    EXPECT_EQ(specs, (std::vector<std::string>{"up_ts", "up_ts(forgetting=auto)", "up_ts_bl",
                                               "up_ts_bl(forgetting=auto)", "ucb", "ts"}));
  }
  EXPECT_EQ(instances,
            (std::vector<std::string>{"steady", "seasonal", "trend", "flip", "wear-out", "walk"}));
}

TEST(ShippedExperiments, AreTheFilesOfTheSourceTree) {
  for (const auto& list : {shipped_experiments(), shipped_suites()}) {
    for (const ShippedExperiment& shipped : list) {
      EXPECT_EQ(shipped.toml,
                contents(kSource / "experiments" / (std::string(shipped.name) + ".toml")));
    }
  }
}

TEST(ShippedExperiments, NameThePoliciesAsThePaperDoes) {
  for (const char* name : {"gaussian", "gaussian-weak", "criteo"}) {
    std::vector<std::string> labels;
    std::vector<std::string> specs;
    for (const PolicyGrid& grid : load_experiment(name).policies) {
      labels.push_back(grid.label);
      specs.push_back(grid.spec.text() + "." + grid.parameter);
    }
    EXPECT_EQ(labels, (std::vector<std::string>{"UCB", "TS", "UpUCB(bl)", "UpUCB", "UpUCB-L(bl)",
                                                "UpUCB-L"}));
    EXPECT_EQ(specs,
              (std::vector<std::string>{"ucb.alpha", "ts.sigma2", "up_ucb_bl.alpha", "up_ucb.alpha",
                                        "up_ucb_l_bl.alpha", "up_ucb_l.alpha"}));
  }
}

TEST(ShippedExperiments, CoverTheDecadesOfTheGrids) {
  const auto decades = [](std::vector<double> units) {
    std::vector<double> values;
    for (const double unit : units) {
      for (int k = 1; k <= 9; ++k) values.push_back(k * unit);
    }
    values.push_back(10 * units.back());
    return values;
  };
  const auto expect_near = [](const std::vector<double>& values,
                              const std::vector<double>& wanted) {
    ASSERT_EQ(values.size(), wanted.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], wanted[i], 1e-12 * wanted[i]);
    }
  };
  expect_near(load_experiment("gaussian").policies[1].values, decades({0.01, 0.1, 1}));
  expect_near(load_experiment("gaussian-weak").policies[1].values, decades({0.01, 0.1, 1}));
  for (const PolicyGrid& grid : load_experiment("criteo").policies) {
    expect_near(grid.values, decades({1e-7, 1e-6, 1e-5}));
  }
  for (const char* name : {"gaussian", "baseline-bound", "misspecified-l"}) {
    for (const PolicyGrid& grid : load_experiment(name).policies) {
      if (grid.parameter == "alpha") expect_near(grid.values, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    }
  }
}

TEST(ShippedExperiments, AblationsSayWhatDiffers) {
  const Experiment bound = load_experiment("baseline-bound");
  EXPECT_EQ(bound.policies[0].label, "UpUCB-bUCB");
  EXPECT_EQ(bound.policies[0].spec.text(), "up_ucb(baseline_bound=ucb)");
  EXPECT_EQ(bound.policies[1].label, "UpUCB-bLCB");
  EXPECT_EQ(bound.policies[1].spec.text(), "up_ucb(baseline_bound=lcb)");
  EXPECT_TRUE(bound.figure.percentile);
  const Experiment wrong = load_experiment("misspecified-l");
  const std::vector<double> bounds = {5, 8, 10, 15};
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    EXPECT_EQ(wrong.policies[i].label, fmt::format("L = {}", bounds[i]));
    EXPECT_EQ(wrong.policies[i].spec.number("max_affected"), bounds[i]);
  }
  EXPECT_TRUE(wrong.figure.percentile);
}

// The documentation's example.

TEST(ExperimentExample, IsTheOneInTheDocumentation) {
  const std::string page = contents(kSource / "docs/experiments.md");
  const std::string example = contents(kSource / "examples/experiment/my-experiment.toml");
  EXPECT_NE(page.find("```toml\n" + example + "```\n"), std::string::npos);
}

TEST(ExperimentExample, Loads) {
  const Experiment experiment =
      load_experiment((kSource / "examples/experiment/my-experiment.toml").string());
  EXPECT_EQ(experiment.rounds, 2000u);
  EXPECT_EQ(experiment.runs, 20u);
  EXPECT_EQ(experiment.policies.size(), 3u);
  const auto instance = load_instance(experiment.instance);
  EXPECT_EQ(instance->actions(), 6u);
  EXPECT_EQ(instance->variables(), 40u);
  EXPECT_EQ(instance->max_affected(), 9u);
}

// Smaller versions.

TEST(QuickVersion, TakesOneValueWhereThereIsAChoice) {
  const Experiment full = load_experiment("misspecified-l");
  Experiment expected = full;
  expected.rounds = 5000;
  expected.runs = 20;
  expected.policies[1].values = {6};
  expected.policies[2].values = {5};
  EXPECT_EQ(expected.whole_rounds, 20000u);  // what it is a part of stays known
  EXPECT_EQ(expected.whole_runs, 100u);
  EXPECT_EQ(expected.policies[1].whole_values, 10u);
  EXPECT_EQ(quick_version(full), expected);
  EXPECT_EQ(quick_version(quick_version(full)), expected);

  for (const PolicyGrid& grid : quick_version(load_experiment("gaussian-weak")).policies) {
    EXPECT_EQ(grid.values, std::vector<double>{grid.parameter == "sigma2" ? 0.01 : 0.2});
  }
}

TEST(QuickVersion, PrefersItsOwnValueToThePapers) {
  const Experiment quick = quick_version(parse_experiment(
      "name = 'mine'\ntitle = 'My own'\ninstance = 'gaussian'\nrounds = 3000\nruns = 30\n"
      "[[policy]]\nspec = 'ucb'\nalpha = [2, 1, 0.5]\npaper = 1\nquick = 2\n",
      "mine.toml"));
  EXPECT_EQ(quick.policies[0].values, std::vector<double>{2});
  EXPECT_FALSE(quick.policies[0].paper.has_value());  // 1, which is no longer among the values
  EXPECT_EQ(quick.policies[0].quick, 2.0);
}

TEST(QuickVersion, IsSmallForEveryShippedExperiment) {
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    const Experiment full = load_experiment(std::string(shipped.name));
    const Experiment quick = quick_version(full);
    EXPECT_LT(quick.rounds, full.rounds) << shipped.name;
    EXPECT_LT(quick.runs, full.runs) << shipped.name;
  }
}

TEST(WithPolicies, KeepsThoseNamed) {
  const Experiment full = load_experiment("gaussian");
  const auto labels = [&](const std::vector<std::string>& names) {
    std::vector<std::string> kept;
    for (const PolicyGrid& grid : with_policies(full, names).policies) kept.push_back(grid.label);
    return kept;
  };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels({"UpUCB", "ucb"}), (Labels{"UCB", "UpUCB"}));  // in the experiment's order
  EXPECT_EQ(labels({"ucb", "UCB", "ucb"}), Labels{"UCB"});
  EXPECT_EQ(labels({"up_ucb_naff"}), Labels{"UpUCB-L"});  // an alias

  Experiment all =
      with_policies(full, {"ucb", "ts", "UpUCB(bl)", "UpUCB", "up_ucb_l_bl", "UpUCB-L"});
  EXPECT_EQ(all, full);
  all.policies.erase(all.policies.begin() + 1, all.policies.end());
  EXPECT_EQ(with_policies(full, {"UCB"}), all);

  const Experiment bounds = load_experiment("baseline-bound");
  EXPECT_EQ(with_policies(bounds, {"up_ucb"}).policies.size(), 2u);
  EXPECT_EQ(with_policies(bounds, {"up_ucb(baseline_bound=lcb)"}).policies[0].label, "UpUCB-bLCB");
}

TEST(WithPolicies, RefusesOneThatIsNotThere) {
  const Experiment experiment = load_experiment("baseline-bound");
  EXPECT_EQ(refusal([&] {
              with_policies(experiment, {"UpUCB-bUCB", "UpUCB-bLBC"});
            }),
            "policy of baseline-bound = UpUCB-bLBC: unknown; did you mean UpUCB-bLCB? Valid: "
            "UpUCB-bUCB, up_ucb(baseline_bound=ucb), up_ucb, UpUCB-bLCB, "
            "up_ucb(baseline_bound=lcb)");
  EXPECT_EQ(refusal([&] { with_policies(experiment, {}); }), "policies: give at least one");
}

TEST(ShippedExperiments, OnTargetingHaveThePapersSettingAndChoices) {
  for (const char* name : {"targeting-counterfactual", "targeting-model"}) {
    SCOPED_TRACE(name);
    const Experiment experiment = load_experiment(name);
    const bool recorded = experiment.name == "targeting-counterfactual";
    EXPECT_EQ(*experiment.targeting, (TargetingSetting{.data = "criteo",
                                                       .outcome_rate = 0.25,
                                                       .recorded = recorded,
                                                       .individuals = 100,
                                                       .budget = 10}));
    EXPECT_EQ(experiment.rounds, 2000u);
    EXPECT_EQ(experiment.runs, 100u);
    EXPECT_EQ(experiment.claims, (recorded ? std::vector<int>{7, 8} : std::vector<int>{6}));
    std::vector<std::string> specs;
    std::vector<std::optional<double>> paper;
    for (const PolicyGrid& grid : experiment.policies) {
      specs.push_back(grid.spec.name());
      paper.push_back(grid.paper);
      if (!grid.parameter.empty()) {
        EXPECT_EQ(grid.values, grid.parameter == "eps" ? (std::vector{0.05, 0.1, 0.2, 0.3})
                                                       : (std::vector{0.5, 1.0, 2.0, 3.0}));
      }
      if (grid.spec.name() == "random" || grid.spec.name() == "oracle") continue;
      EXPECT_EQ(grid.spec.word("model"), "logistic");
      EXPECT_EQ(grid.spec.word("fill"), "yes");
    }
    EXPECT_EQ(specs,
              (std::vector<std::string>{"greedy_bl", "eps_greedy_bl", "eps_greedy", "c2_up_ucb_bl",
                                        "c2_up_ucb", "c2_ucb", "random", "oracle"}));
    EXPECT_EQ(paper, (std::vector<std::optional<double>>{kNone, 0.2, recorded ? 0.1 : 0.2, 2, 2, 2,
                                                         kNone, kNone}));
  }
}

}  // namespace
}  // namespace updraft
