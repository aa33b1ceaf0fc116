// Experiments and simulations on bandits with contexts.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/made_result.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "support/rounds.h"
#include "updraft/context_environment.h"
#include "updraft/report.h"
#include "updraft/results.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

using testing::has;
using testing::refusal;
using testing::says;
using testing::TemporaryFolder;

const LinearContexts kSmall{
    .actions = 3, .variables = 8, .groups = 4, .group_features = 1, .max_affected = 4};

std::vector<PolicySpec> specs(const std::vector<std::string>& texts) {
  std::vector<PolicySpec> result;
  for (const std::string& text : texts) result.push_back(PolicySpec::parse(text));
  return result;
}

// Regret, pulls and the share of best actions, worked out from the environment and a policy alone.
TEST(SimulateContexts, MeasuresWhatThePolicyLost) {
  const std::string spec = "lin_up_ucb(beta=0.5)";
  const SimulationResult result =
      simulate(kSmall, specs({spec}), {.rounds = 40, .runs = 3, .seed = 5, .curve_points = 2});
  const ContextWorld world = make_context_world(kSmall);
  double best = 0.0;
  for (std::uint32_t run = 0; run < 3; ++run) {
    ContextEnvironment environment(world, 5, run);
    const auto policy = testing::make_contextual(spec, {.features = 4, .actions = 3});
    double regret = 0.0;
    for (std::uint32_t round = 0; round < 40; ++round) {
      environment.begin(round);
      const ActionId action =
          policy->decide(environment.context(), Stream(5, run, Purpose::kPolicy)).action;
      testing::teach(*policy, environment.context(), action, environment.payoffs(action));
      regret += environment.gap(action);
      best += environment.gap(action) == 0.0 ? 1.0 : 0.0;
    }
    EXPECT_DOUBLE_EQ(result.policies[0].final_regrets[run], regret);
  }
  const PolicyResult& policy = result.policies[0];
  EXPECT_DOUBLE_EQ(policy.best_share, best / 120.0);
  EXPECT_EQ(policy.curve_rounds, (std::vector<std::uint32_t>{20, 40}));
  EXPECT_DOUBLE_EQ(policy.pulls[0] + policy.pulls[1] + policy.pulls[2], 40.0);
}

TEST(SimulateContexts, IsTheSameForAnyNumberOfThreads) {
  const auto policies = specs({"lin_up_ucb_bl(beta=1)", "lin_ucb(beta=1)"});
  const auto regrets = [&](unsigned threads, std::uint64_t seed) {
    std::vector<std::vector<double>> all;
    for (const PolicyResult& policy :
         simulate(kSmall, policies, {.rounds = 30, .runs = 4, .seed = seed, .threads = threads})
             .policies) {
      all.push_back(policy.final_regrets);
    }
    return all;
  };
  EXPECT_EQ(regrets(1, 1), regrets(3, 1));
  EXPECT_NE(regrets(1, 1), regrets(1, 2));
}

TEST(SimulateContexts, TellsAsMuchAsItMay) {
  const auto refused = [](const std::string& spec, std::optional<Needs> told) {
    return refusal(
        [&] { simulate(kSmall, specs({spec}), {.rounds = 5, .runs = 1, .may_know = told}); });
  };
  EXPECT_EQ(refused("lin_up_ucb_bl(beta=1)", Needs() | Need::kBaseline),
            "context: affected: is missing, and lin_up_ucb_bl needs to know it unless max_affected "
            "is given");
  EXPECT_EQ(refused("lin_up_ucb_bl(beta=1)", Needs() | Need::kAffected),
            "context: baseline: is missing, and lin_up_ucb_bl needs to know it");
  EXPECT_EQ(refused("lin_up_ucb(beta=1, max_affected=4)", Needs()), "(accepted)");
  EXPECT_EQ(refused("lin_up_ucb_bl(beta=1)", std::nullopt), "(accepted)");
  EXPECT_TRUE(has(refused("ucb(alpha=1)", std::nullopt),
                  "policy = ucb: is for single actions (docs/choose-a-policy.md), not for actions "
                  "with contexts"));
}

// Twelve runs; all would agree by chance with probability 2^-12 for each policy.
TEST(SimulateContexts, WarnsIfTheNoiseIsWiderThanDeltaAllows) {
  const SimulationOptions options{.rounds = 10, .runs = 1};
  const std::vector<PolicySpec> policies = {PolicySpec::parse("lin_up_ucb(delta=0.1)"),
                                            PolicySpec::parse("lin_ucb(beta=1)")};
  LinearContexts contexts;
  EXPECT_TRUE(simulate(contexts, policies, options).warnings.empty());
  contexts.noise_sd = 1.5;
  EXPECT_EQ(simulate(contexts, policies, options).warnings,
            std::vector<std::string>{
                "lin_up_ucb(delta=0.1): the beta that delta gives is valid for payoffs whose "
                "noise is 1-sub-Gaussian; here their variance proxy (sigma^2) is 2.25. The "
                "confidence bounds do not hold; they would with a beta 1.5 times as large"});
}

TEST(SimulateContexts, KnownSetsHaveLessRegretThanAllVariables) {
  const SimulationResult result =
      simulate(LinearContexts(),
               specs({"lin_ucb(beta=0.5)", "lin_up_ucb_bl(beta=0.5)", "lin_up_ucb(beta=0.5)"}),
               {.rounds = 300, .runs = 12, .seed = 1});
  for (const std::size_t p : {1u, 2u}) {
    for (std::uint32_t run = 0; run < 12; ++run) {
      EXPECT_LT(result.policies[p].final_regrets[run], result.policies[0].final_regrets[run]);
    }
  }
}

/// An experiment whose table [contexts], from line 5 on, has these lines.
std::string document(std::string_view contexts,
                     std::string_view policy = "spec = 'lin_ucb(beta=1)'",
                     std::string_view more = "") {
  return fmt::format(
      "name = 'mine'\ntitle = 'My own'\nrounds = 30\nruns = 3\n[contexts]\n{}\n[[policy]]\n{}\n{}",
      contexts, policy, more);
}

std::string refused(std::string_view contexts, std::string_view policy = "spec = 'lin_ucb(beta=1)'",
                    std::string_view more = "") {
  return refusal([&] { parse_experiment(document(contexts, policy, more), "mine.toml"); });
}

TEST(ContextsToml, ReadsEveryKey) {
  const Experiment experiment = parse_experiment(
      document("actions = 3\nvariables = 8\ngroups = 4\ngroup_features = 1\nmax_affected = 4\n"
               "noise_sd = 0.25\nseed = 9",
               "spec = 'lin_up_ucb'\nbeta = [1, 2]"),
      "mine.toml");
  LinearContexts expected = kSmall;
  expected.noise_sd = 0.25;
  expected.seed = 9;
  EXPECT_EQ(experiment.contexts, expected);
  EXPECT_EQ(experiment.policies[0].values, (std::vector<double>{1, 2}));
  EXPECT_EQ(parse_experiment(document(""), "mine.toml").contexts, LinearContexts());
}

TEST(ContextsToml, RefusesWhatCannotBe) {
  EXPECT_TRUE(has(refused("topics = 3"), "mine.toml:6: contexts.topics: unknown"));
  EXPECT_EQ(refused("actions = 0"),
            "mine.toml:6: contexts.actions = 0: must be a whole number from 1 to 1000000");
  EXPECT_EQ(refused("noise_sd = 0"), "mine.toml:6: contexts.noise_sd = 0: must be > 0");
  EXPECT_EQ(refused("max_affected = 2"),
            "mine.toml:5: contexts: variables = 40: must be at most groups times max_affected, 16: "
            "each group has at most max_affected variables");
  EXPECT_TRUE(has(refused("", "spec = 'ucb(alpha=1)'"), "is for single actions"));
  EXPECT_EQ(refused("", "spec = 'lin_ucb(beta=1)'", "[figure]\nbounds = true\n"),
            "mine.toml:10: figure.bounds = true: is for experiments on an instance; no bound is "
            "known for contexts");
  EXPECT_EQ(
      refusal([] { parse_experiment("instance = 'gaussian'\n" + document(""), "mine.toml"); }),
      "mine.toml:1: instance: an experiment has an instance or [contexts], not both");
  EXPECT_EQ(refused("", "spec = 'lin_ucb(beta=1)'", "[targeting]\ndata = 'synthetic'\n"),
            "mine.toml:5: contexts: an experiment has [targeting] or [contexts], not both");
}

TEST(ContextExperiment, IsPlayedKeptAndReported) {
  const TemporaryFolder folder;
  Experiment experiment = parse_experiment(
      document("actions = 3\nvariables = 8\ngroups = 4\ngroup_features = 1\nmax_affected = 4",
               "spec = 'lin_up_ucb'\nbeta = [0.5, 1]"),
      "mine.toml");
  const ExperimentResult result = run_experiment(experiment, {.folder = folder.path() / "one"});
  ASSERT_EQ(result.points.size(), 2u);
  const SimulationResult simulated =
      simulate(kSmall, specs({"lin_up_ucb(beta=0.5)"}), {.rounds = 30, .runs = 3, .seed = 1});
  EXPECT_EQ(result.points[0].final_regrets, simulated.policies[0].final_regrets);
  EXPECT_EQ(read_results(folder.path() / "one").experiment, experiment);
  const std::string summary = summary_markdown(result);
  EXPECT_TRUE(says(summary, "K = 3 actions, m = 8 variables per round with d = 4 features"));
  EXPECT_TRUE(says(summary, "all policies meet the same contexts and noise"));
  experiment.contexts->noise_sd = 0.5;
  EXPECT_TRUE(has(refusal([&] { run_experiment(experiment, {.folder = folder.path() / "one"}); }),
                  "contexts.noise_sd is 1.0 there and 0.5 here"));
}

}  // namespace
}  // namespace updraft
