#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "report/made_result.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/experiment.h"

namespace updraft {
namespace {

using testing::has;
using testing::refusal;

/// An experiment whose table [targeting], from line 5 on, has these lines.
std::string document(std::string_view targeting,
                     std::string_view policy = "spec = 'c2_up_ucb(beta=1)'") {
  return fmt::format(
      "name = 'mine'\ntitle = 'My own'\nrounds = 30\nruns = 3\n[targeting]\n{}\n[[policy]]\n{}\n",
      targeting, policy);
}

std::string refused(std::string_view targeting,
                    std::string_view policy = "spec = 'c2_up_ucb(beta=1)'") {
  return refusal([&] { parse_experiment(document(targeting, policy), "mine.toml"); });
}

TEST(TargetingSetting, ReadsEveryKey) {
  const Experiment experiment = parse_experiment(
      document("data = 'hillstrom'\noutcome = 'spend'\nresponse = 'linear'\noutcome_rate = 0.3\n"
               "treatments = 2\nconstant = true\npayoffs = 'recorded'\nindividuals = 50\n"
               "budget = 5"),
      "mine.toml");
  EXPECT_EQ(experiment.instance, "");
  ASSERT_TRUE(experiment.targeting);
  EXPECT_EQ(*experiment.targeting, (TargetingSetting{.data = "hillstrom",
                                                     .outcome = "spend",
                                                     .response = ResponseKind::kLinear,
                                                     .outcome_rate = 0.3,
                                                     .treatments = 2,
                                                     .constant = true,
                                                     .recorded = true,
                                                     .individuals = 50,
                                                     .budget = 5}));
}

TEST(TargetingSetting, HasDefaults) {
  const Experiment experiment = parse_experiment(document("data = 'synthetic'"), "mine.toml");
  EXPECT_EQ(*experiment.targeting, TargetingSetting{.data = "synthetic"});
  EXPECT_EQ(experiment.targeting->individuals, 100u);
  EXPECT_EQ(experiment.targeting->budget, 10u);
}

TEST(TargetingSetting, RefusesWhatCannotBe) {
  EXPECT_EQ(refused(""), "mine.toml:5: targeting.data: is missing");
  EXPECT_TRUE(has(refused("data = 'critea'"),
                  "mine.toml:6: targeting.data = critea: unknown; did "
                  "you mean criteo?"))
      << refused("data = 'critea'");
  EXPECT_TRUE(has(refused("data = 'synthetic'\nbudgets = 3"), "mine.toml:7: targeting.budgets"));
  EXPECT_EQ(refused("data = 'synthetic'\nbudget = 101"),
            "mine.toml:7: targeting.budget = 101: must be at most the individuals of a round, 100");
  EXPECT_EQ(refused("data = 'synthetic'\nindividuals = 9"),
            "mine.toml:5: targeting: budget = 10: must be at most the individuals of a round, 9");
  EXPECT_TRUE(has(refused("data = 'synthetic'\nindividuals = 0"),
                  "mine.toml:7: targeting.individuals = 0: must be a whole number from 1"));
  EXPECT_EQ(refused("data = 'criteo'\npayoffs = 'real'"),
            "mine.toml:7: targeting.payoffs = \"real\": must be \"model\" or \"recorded\"");
  EXPECT_EQ(refused("data = 'criteo'\noutcome_rate = 1"),
            "mine.toml:7: targeting.outcome_rate = 1: must be in (0, 1)");
  EXPECT_TRUE(has(refused("data = 'criteo'\nresponse = 'probit'"),
                  "mine.toml:7: targeting.response = probit: "));
  EXPECT_EQ(refused("data = 'synthetic'\noutcome = 'visit'"),
            "mine.toml:7: targeting.outcome: is for data files; synthetic has no columns, and "
            "always has a constant feature");
  EXPECT_TRUE(
      has(refused("data = 'synthetic'\nconstant = true"), "targeting.constant: is for data"));
  EXPECT_TRUE(has(refused("data = 'synthetic'\noutcome_rate = 0.2"),
                  "targeting.outcome_rate: is for data"));
}

TEST(TargetingSetting, IsReadUnderItsOlderName) {
  const std::string now = document("data = 'synthetic'\nbudget = 7");
  const auto at = now.find("[targeting]");
  const std::string older = std::string(now).replace(at, 11, "[campaign]");
  const Experiment experiment = parse_experiment(older, "mine.toml");
  ASSERT_TRUE(experiment.targeting.has_value());
  EXPECT_EQ(experiment.targeting->budget, 7u);
  const std::string both = std::string(now).insert(at, "[campaign]\ndata = 'synthetic'\n");
  EXPECT_TRUE(has(refusal([&] { parse_experiment(both, "mine.toml"); }),
                  "mine.toml:5: campaign: unknown; "));
}

TEST(TargetingSetting, RefusesPoliciesThatAreNotForTargeting) {
  EXPECT_TRUE(has(refused("data = 'synthetic'", "spec = 'ucb(alpha=1)'"), "not for targeting"));
  EXPECT_TRUE(
      has(refused("data = 'synthetic'", "spec = 'c2_up_ucb'\nalpha = [1, 2]"), "policy[0].alpha"));
  EXPECT_TRUE(has(refused("data = 'synthetic'", "spec = 'c2_up_ucb'"), "give beta"));
}

TEST(TargetingSetting, IsInPlaceOfAnInstance) {
  const std::string both = "instance = 'gaussian'\n" + document("data = 'synthetic'");
  EXPECT_TRUE(has(refusal([&] { parse_experiment(both, "mine.toml"); }),
                  "mine.toml:1: instance: an experiment has an instance or [targeting], not both"));
  EXPECT_TRUE(has(refused("data = 'synthetic'\n[figure]\npercentile = true"),
                  "figure.percentile = true: is for experiments on an instance"));
}

TEST(TargetingSetting, OfAFileTakesWhatTheFileSays) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "bad.json") << "{}";
  const auto refused_here = [&](std::string_view targeting) {
    return refusal(
        [&] { parse_experiment(document(targeting), (folder.path() / "mine.toml").string()); });
  };
  EXPECT_TRUE(has(refused_here("data = 'bad.json'"), "mine.toml:6: targeting.data: "))
      << refused_here("data = 'bad.json'");
  EXPECT_TRUE(has(refused_here("data = 'bad.json'\ntreatments = 2"),
                  "targeting.treatments: is given by the response model file; leave it out"));
}

}  // namespace
}  // namespace updraft
