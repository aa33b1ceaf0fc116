#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/record_run.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "support/statistics.h"
#include "updraft/decision_log.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

TEST(LogWriter, EveryFormIsReadBackAsItWasWritten) {
  const testing::TemporaryFolder folder;
  const std::vector<double> shares = {1.0 / 3.0, 0.0, 2.0 / 3.0};
  const std::vector<double> paid = {0.1, -3e-17, 1e99};
  for (const char* name : {"a.csv", "a.csv.gz", "a.ndjson", "a.jsonl.gz"}) {
    for (const bool long_form : {false, true}) {
      const std::string path = folder.path(name);
      LogWriter writer(path,
                       {.actions = {"a,b", "\"", "c"}, .variables = 3, .long_form = long_form});
      writer.add({.number = 4, .action = 2, .probability = shares[2]}, shares,
                 Payoffs::dense(paid));
      writer.add({.number = 5, .action = 0, .probability = shares[0]}, shares,
                 Payoffs::dense(paid));
      EXPECT_FALSE(std::filesystem::exists(path));
      writer.finish();
      const LogSummary summary =
          survey_log(path, {.actions = {"a,b", "\"", "c"}, .variables = {"0", "1", "2"}});
      EXPECT_EQ(summary.pulls, (std::vector<std::uint64_t>{1, 0, 1})) << name;
      EXPECT_TRUE(summary.has_distributions);
      LogReader reader(path, summary.format);
      LoggedRound round;
      ASSERT_TRUE(reader.next(round));
      EXPECT_EQ(round.action, 2u);
      EXPECT_EQ(round.distribution, shares);
      EXPECT_EQ(round.probability, shares[2]);
      EXPECT_EQ(round.values, paid) << name;
      std::filesystem::remove(path);
    }
  }
}

TEST(LogWriter, NamesTimesAndUnknownProbabilitiesAreReadBack) {
  const testing::TemporaryFolder folder;
  const std::vector<double> paid = {0.5, 0.0, 2.0};
  const std::vector<std::string> variables = {"tea", "\"a, b\"", "cake"};
  for (const char* name : {"a.csv", "a.ndjson"}) {
    for (const bool long_form : {false, true}) {
      const std::string path = folder.path(name);
      LogWriter writer(path, {.actions = {"news", "none"},
                              .variables = 3,
                              .long_form = long_form,
                              .variable_names = variables,
                              .times = true,
                              .distributions = false});
      writer.add({.decision = "mon", .time = "2024-05-01", .action = 1, .probability = 1.0 / 3.0},
                 Payoffs::dense(paid));
      writer.add({.decision = "tue", .time = "2024-05-02", .action = 0}, Payoffs::dense(paid));
      writer.finish();
      const LogSummary summary =
          survey_log(path, {.actions = {"news", "none"}, .variables = variables});
      EXPECT_EQ(summary.rounds, 2u) << name;
      EXPECT_FALSE(summary.has_probabilities);
      LogReader reader(path, summary.format);
      LoggedRound round;
      ASSERT_TRUE(reader.next(round));
      EXPECT_EQ(round.action, 1u);
      EXPECT_EQ(round.probability, 1.0 / 3.0);
      EXPECT_EQ(round.values, paid) << name;
      ASSERT_TRUE(reader.next(round));
      EXPECT_FALSE(round.probability);
    }
  }
}

TEST(LogWriter, RefusesVariablesThatCsvTakesForOtherColumns) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"action", "time", "payoff", "probability.news"}) {
    const LogWriter::Shape wide = {
        .actions = {"news"}, .variables = 2, .variable_names = {"tea", name}};
    EXPECT_NE(testing::refusal([&] {
                LogWriter(folder.path("a.csv"), wide);
              }).find(std::string("a variable is named ") + name),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder.path("a.csv.partial")));
    LogWriter(folder.path("a.ndjson"), wide);
  }
}

TEST(LogWriter, SparsePayoffsLeaveZerosOut) {
  const testing::TemporaryFolder folder;
  const std::vector<VariableId> ids = {5};
  const std::vector<double> ones = {1.0};
  for (const bool long_form : {false, true}) {
    const std::string path = folder.path("sparse.ndjson");
    LogWriter writer(path, {.actions = {"a"}, .variables = 9, .long_form = long_form});
    writer.add({.number = 0}, std::vector{1.0}, Payoffs::sparse(ids, ones));
    writer.add({.number = 1}, std::vector{1.0}, Payoffs::sparse({}, {}));  // is not lost
    writer.finish();
    LogFormat format{.absent_is_zero = true, .variables = {}};
    for (int i = 0; i < 9; ++i) format.variables.push_back(std::to_string(i));
    const LogSummary summary = survey_log(path, format);
    EXPECT_EQ(summary.rounds, 2u);
    LogReader reader(path, summary.format);
    LoggedRound round;
    ASSERT_TRUE(reader.next(round));
    EXPECT_EQ(round.ids, ids);
  }
}

TEST(LogWriter, LeavesNothingIfItIsNotFinished) {
  const testing::TemporaryFolder folder;
  { LogWriter writer(folder.path("x.csv"), {.actions = {"a"}, .variables = 1}); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_NE(testing::refusal([&] {
              LogWriter writer(folder.path("x.csv"), {.actions = {"a"}, .variables = 100'000});
            }),
            "(accepted)");
  EXPECT_THROW(LogWriter("/no/such/folder/x.csv", {.actions = {"a"}, .variables = 1}),
               std::runtime_error);
}

/// Every action of an exploring run has at least its share, and is taken as often as it says.
TEST(RecordRun, TakesActionsWithTheProbabilitiesItRecords) {
  const auto instance = load_instance("discounts");
  constexpr std::uint32_t kRounds = 4000;
  const auto workload = make_workload(instance, {.rounds = kRounds, .seed = 5});
  const auto actions = instance->actions();
  std::vector<double> martingale(actions, 0.0);
  std::vector<double> variance(actions, 0.0);
  record_run(*workload, PolicySpec::parse("up_ts"),
             {.explore = 0.5, .resolution = Resolution::variables()},
             [&](const Decision& decision, std::span<const double> shares, const Payoffs&) {
               EXPECT_EQ(decision.probability, shares[decision.action]);
               for (ActionId a = 0; a < actions; ++a) {
                 EXPECT_GE(shares[a], 0.5 / static_cast<double>(actions));
                 martingale[a] += (decision.action == a ? 1.0 : 0.0) - shares[a];
                 variance[a] += shares[a] * (1.0 - shares[a]);
               }
             });
  for (ActionId a = 0; a < actions; ++a) {
    EXPECT_LE(std::abs(martingale[a]), testing::normal_threshold(actions) * std::sqrt(variance[a]));
  }
}

TEST(WriteLog, HasTheDecisionsOfTheFirstRun) {
  const testing::TemporaryFolder folder;
  const auto instance = load_instance("marketing");
  const PolicySpec spec = PolicySpec::parse("up_ts");
  const SimulationOptions options{.rounds = 60, .runs = 1, .seed = 3};
  write_log(instance, spec, options, {.path = folder.path("log.csv")});
  const LogSummary summary = survey_log(folder.path("log.csv"));
  EXPECT_EQ(summary.rounds, 60u);
  const SimulationResult played = simulate(instance, {spec}, options);
  for (std::size_t a = 0; a < instance->actions(); ++a) {
    const auto& names = summary.format.actions;
    const auto& name = instance->definition().action_names[a];
    const auto found = std::find(names.begin(), names.end(), name);
    const double logged =
        found == names.end()
            ? 0.0
            : static_cast<double>(summary.pulls[static_cast<std::size_t>(found - names.begin())]);
    EXPECT_EQ(played.policies[0].pulls[a], logged) << name;
  }
  EXPECT_NE(testing::refusal([&] {
              write_log(instance, spec, options, {.path = folder.path("no.csv"), .explore = 1.5});
            }),
            "(accepted)");
  EXPECT_FALSE(std::filesystem::exists(folder.path("no.csv")));
}

}  // namespace
}  // namespace updraft
