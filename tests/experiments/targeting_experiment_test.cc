// Experiments on populations: what is measured, kept and read back.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/files.h"
#include "data/made_table.h"
#include "experiments/load_population.h"
#include "experiments/run_policies.h"
#include "report/made_result.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/results.h"
#include "updraft/simulate.h"
#include "updraft/uplift_metrics.h"

namespace updraft {
namespace {

using testing::has;
using testing::refusal;
using testing::TemporaryFolder;

Experiment small(const std::string& data = "synthetic") {
  Experiment experiment;
  experiment.name = "small";
  experiment.title = "A small shop";
  experiment.targeting = TargetingSetting{.data = data,
                                          .response = ResponseKind::kLinear,
                                          .treatments = 2,
                                          .individuals = 20,
                                          .budget = 3};
  experiment.rounds = 60;
  experiment.runs = 3;
  experiment.seed = 5;
  experiment.quick_rounds = 10;
  experiment.quick_runs = 2;
  PolicyGrid tuned;
  tuned.label = "C2UpUCB";
  tuned.spec = PolicySpec::parse("c2_up_ucb");
  tuned.parameter = "beta";
  tuned.values = {0.5, 2.0};
  experiment.policies = {tuned};
  for (const char* spec : {"eps_greedy_bl(eps=0.1)", "random", "oracle"}) {
    PolicyGrid grid;
    grid.label = spec;
    grid.spec = PolicySpec::parse(spec);
    experiment.policies.push_back(grid);
  }
  return experiment;
}

TEST(TargetingExperiment, IsWhatRunPoliciesSays) {
  const TemporaryFolder folder;
  const ExperimentResult result = run_experiment(small(), {.folder = folder.path()});
  ASSERT_EQ(result.points.size(), 5u);
  const auto workload =
      make_workload({.population = load_population(*small().targeting, {}).population},
                    {.individuals = 20, .budget = 3}, {.rounds = 60, .seed = 5});
  TaskControl control;
  const auto mean_uplift = [](const Measures& sums) {
    return sums.treated > 0.0 ? sums.uplift / sums.treated : 0.0;
  };
  for (const GridPoint& point : result.points) {
    ASSERT_TRUE(point.targeting);
    const auto curve = [&](std::uint32_t run) {
      return run_policies(*workload, {&point.spec, 1}, run, control).front().curve;
    };
    const Measures last = curve(2).back();
    EXPECT_EQ(point.final_regrets[2], last.regret);
    EXPECT_EQ(point.targeting->final_realised[2], last.realised);
    EXPECT_EQ(point.targeting->final_uplift[2], mean_uplift(last));
    double mean = 0.0;
    for (std::uint32_t run = 0; run < 3; ++run) mean += mean_uplift(curve(run)[29]) / 3.0;
    EXPECT_NEAR(point.targeting->uplift[29].mean, mean, 1e-12);
    EXPECT_EQ(point.targeting->realised.size(), 60u);
  }
}

TEST(TargetingExperiment, RanksThoseHeldOut) {
  const TemporaryFolder folder;
  Experiment experiment = small();
  experiment.targeting->treatments = 1;
  const ExperimentResult result = run_experiment(experiment, {.folder = folder.path()});
  const TargetingMeasures& oracle = *result.best(3).targeting;
  const TargetingMeasures& chance = *result.best(2).targeting;
  const TargetingMeasures& learner = *result.best(0).targeting;
  // 5,000 held-out individuals and noise of sd 1: the truth ranks better than chance, clearly.
  EXPECT_GT(oracle.qini.interval.low, 0.0);
  EXPECT_EQ(chance.qini.mean, 0.0);
  EXPECT_EQ(chance.qini.interval.high, 0.0);
  for (const TargetingMeasures* measures : {&oracle, &learner}) {
    EXPECT_LT(measures->qini.interval.low, measures->qini.mean);
    EXPECT_GT(measures->qini.interval.high, measures->qini.mean);
    EXPECT_LT(measures->auuc.interval.low, measures->auuc.mean);
    EXPECT_GT(measures->auuc.interval.high, measures->auuc.mean);
  }
  EXPECT_EQ(oracle.final_qini[0], oracle.final_qini[1]) << "the same ranking in every run";
  EXPECT_NE(learner.final_qini[0], learner.final_qini[1]);
  EXPECT_NEAR(learner.qini.mean,
              (learner.final_qini[0] + learner.final_qini[1] + learner.final_qini[2]) / 3.0, 1e-12);
}

TEST(TargetingExperiment, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  run_experiment(small(), {.folder = folder.path()});
  const ExperimentResult again = read_results(folder.path());
  EXPECT_EQ(again.experiment, small());
  ASSERT_TRUE(again.population);
  EXPECT_TRUE(again.population->generated);
  EXPECT_EQ(again.population->held_out, 5000u);
  EXPECT_EQ(again.population->treatments, 2u);
  // The three files agree: runs, curves at their end, and means of the ranking.
  for (const GridPoint& point : again.points) {
    const TargetingMeasures& measures = *point.targeting;
    const auto expect_same = [](const Summary& curve_end, const std::vector<double>& runs) {
      const Summary expected = summarize(runs);
      EXPECT_EQ(curve_end.mean, expected.mean);
      EXPECT_EQ(curve_end.stderr_, expected.stderr_);
    };
    expect_same(point.curve.back(), point.final_regrets);
    expect_same(measures.realised.back(), measures.final_realised);
    expect_same(measures.uplift.back(), measures.final_uplift);
    EXPECT_EQ(measures.qini.mean, summarize(measures.final_qini).mean);
    EXPECT_EQ(measures.auuc.mean, summarize(measures.final_auuc).mean);
  }
  std::filesystem::remove(folder.path() / "ranking.csv");
  EXPECT_THROW(read_results(folder.path()), std::exception);
}

/// True if the run was stopped when more than 0.3 of it was done; false if it ended before progress
/// was looked at in that part.
bool stops_in_between(const Experiment& experiment, const std::filesystem::path& folder) {
  std::stop_source stop;
  ExperimentOptions options{.folder = folder, .threads = 1};
  options.progress = [&](double share) {
    if (share > 0.3) stop.request_stop();
  };
  options.stop = stop.get_token();
  try {
    run_experiment(experiment, options);
    return false;
  } catch (const Cancelled&) {
    return true;
  }
}

TEST(TargetingExperiment, DoesNotDependOnThreadsOrInterruptions) {
  Experiment experiment = small();
  experiment.runs = 4;
  const TemporaryFolder pieces;
  std::filesystem::path stopped;  // long enough to be stopped, however fast the machine is
  for (experiment.rounds = 1500; stopped.empty();) {
    const std::filesystem::path folder = pieces.path() / std::to_string(experiment.rounds);
    if (stops_in_between(experiment, folder)) {
      stopped = folder;
    } else {
      experiment.rounds *= 2;
    }
  }
  EXPECT_GT(std::filesystem::file_size(stopped / "runs.journal"), 0u);
  run_experiment(experiment, {.folder = stopped});
  const TemporaryFolder whole;
  run_experiment(experiment, {.folder = whole.path(), .threads = 3});
  for (const char* name : {"final.csv", "curves.csv", "ranking.csv"}) {
    EXPECT_EQ(read_file(whole.path() / name), read_file(stopped / name)) << name;
  }
}

TEST(TargetingExperiment, WithoutItsDataIsPlayedOnGeneratedIndividuals) {
  Experiment experiment = small("hillstrom");
  experiment.targeting->response = ResponseKind::kLogistic;
  const TemporaryFolder folder;
  const ExperimentResult result = run_experiment(experiment, {.folder = folder.path()});
  EXPECT_TRUE(result.population->generated);
  EXPECT_TRUE(has(result.population->summary, "in place of hillstrom"));
  EXPECT_TRUE(has(read_file(folder.path() / "manifest.json"), "\"generated\": true"));
}

TEST(TargetingExperiment, TakesAResponseModelFileAndTellsDataApart) {
  const TemporaryFolder folder;
  const auto save = [&](std::uint64_t seed) {
    std::ofstream(folder.path() / "made.csv") << testing::made_table(600, seed);
    CustomerTableOptions options;
    options.treatment = "arm";
    options.control = "none";
    options.outcome = "bought";
    save_response_models(
        fit_response_models(
            read_customer_table((folder.path() / "made.csv").string(), options).table,
            {.name = "made", .keep_rows = true}),
        (folder.path() / "made.json").string());
  };
  save(1);
  Experiment experiment = small((folder.path() / "made.json").string());
  experiment.targeting->constant = true;
  const ExperimentResult result = run_experiment(experiment, {.folder = folder.path() / "out"});
  EXPECT_FALSE(result.population->generated);
  EXPECT_EQ(result.population->individuals, 600u);
  EXPECT_EQ(result.population->features, 6u);  // x, y, three colours, and the constant
  EXPECT_LT(result.best(3).final_regret.mean, result.best(2).final_regret.mean);

  save(2);
  const std::string refused =
      refusal([&] { run_experiment(experiment, {.folder = folder.path() / "out"}); });
  EXPECT_TRUE(has(refused, "contains results of another run")) << refused;
}

TEST(TargetingExperiment, ReplaysRecordsWhereAsked) {
  Experiment experiment = small();
  const Population drawn = load_population(*experiment.targeting, {}).population;
  EXPECT_FALSE(drawn.replay);
  experiment.targeting->recorded = true;
  const Population replayed = load_population(*experiment.targeting, {}).population;
  EXPECT_TRUE(replayed.replay);
  EXPECT_EQ(replayed.table.outcomes, drawn.table.outcomes);
  // The record is of treatments at random, each as likely: 25,000 rows, a third each within five
  // standard deviations.
  std::vector<double> had(3, 0.0);
  for (const Treatment z : drawn.table.treatment) had[z] += 1.0;
  for (const double count : had) {
    EXPECT_NEAR(count, 25000.0 / 3.0, 5.0 * std::sqrt(25000.0 * 2.0 / 9.0));
  }
}

/// The rule by hand: held-out rows count who had nothing, or what the truth says is best for them.
TEST(TargetingExperiment, OfSeveralTreatmentsRanksThoseWhoHadTheBestOrNone) {
  const TemporaryFolder folder;
  const ExperimentResult result = run_experiment(small(), {.folder = folder.path()});
  const Population p = load_population(*small().targeting, {}).population;
  std::vector<double> scores;
  std::vector<std::uint8_t> treated;
  std::vector<double> payoffs;
  for (std::size_t i = p.drawn(); i < p.size(); ++i) {
    const Treatment best = p.mean(i, 2) > p.mean(i, 1) ? 2 : 1;
    if (p.table.treatment[i] != 0 && p.table.treatment[i] != best) continue;
    scores.push_back(p.mean(i, best) - p.mean(i, 0));
    treated.push_back(p.table.treatment[i] != 0);
    payoffs.push_back(p.table.outcomes[i]);
  }
  const UpliftMetrics expected = UpliftRanking(scores, treated, payoffs).metrics();
  const TargetingMeasures& oracle = *result.best(3).targeting;
  EXPECT_NEAR(oracle.final_qini[1], expected.qini, 1e-12);
  EXPECT_NEAR(oracle.final_auuc[1], expected.auuc, 1e-12);
  EXPECT_LT(scores.size(), p.held_out) << "some had the other treatment";
}

/// Response models of a table of these rows, `x,arm,bought`.
std::string model_file(const TemporaryFolder& folder, const std::string& rows, double ridge) {
  std::ofstream(folder.path() / "rows.csv") << "x,arm,bought\n" << rows;
  CustomerTableOptions options;
  options.treatment = "arm";
  options.control = "none";
  options.outcome = "bought";
  options.treatments = {"mail", "call"};
  const std::string path = (folder.path() / "rows.json").string();
  save_response_models(
      fit_response_models(read_customer_table((folder.path() / "rows.csv").string(), options).table,
                          {.name = "rows", .ridge = ridge, .keep_rows = true}),
      path);
  return path;
}

/// `rare` says which rows are calls; mails and nothing take turns elsewhere.
template <typename Rare>
std::string rows_with(Rare rare) {
  std::string rows;
  for (int row = 0; row < 300; ++row) {
    const char* arm = rare(row) ? "call" : row % 3 == 0 ? "mail" : "none";
    rows += std::to_string(row % 17) + "," + arm + "," + (row % 7 < 3 ? "1" : "0") + "\n";
  }
  return rows;
}

TEST(TargetingExperiment, GoesOnWhereARankingCannotBeJudged) {
  const TemporaryFolder folder;
  // Nobody who is held out had anything.
  std::string rows;
  for (int row = 0; row < 300; ++row) {
    const char* arm = row % 5 == 4 ? "none" : row % 5 == 3 ? "call" : row % 2 ? "mail" : "none";
    rows += std::to_string(row % 17) + "," + arm + "," + (row % 7 < 3 ? "1" : "0") + "\n";
  }
  const ExperimentResult result =
      run_experiment(small(model_file(folder, rows, 1.0)), {.folder = folder.path() / "out"});
  for (const GridPoint& point : result.points) {
    EXPECT_EQ(point.final_regrets.size(), 3u);
    ASSERT_EQ(point.targeting->final_qini.size(), 3u);
    EXPECT_TRUE(std::isnan(point.targeting->final_qini[0]));
    EXPECT_TRUE(std::isnan(point.targeting->auuc.mean));
    EXPECT_TRUE(std::isnan(point.targeting->auuc.interval.low));
  }
}

TEST(TargetingExperiment, TellsOtherModelsOfTheSameRowsApart) {
  const TemporaryFolder folder;
  const std::string rows = rows_with([](int row) { return row % 5 == 1; });
  const Experiment experiment = small(model_file(folder, rows, 1.0));
  run_experiment(experiment, {.folder = folder.path() / "out"});
  model_file(folder, rows, 1000.0);
  const std::string refused =
      refusal([&] { run_experiment(experiment, {.folder = folder.path() / "out"}); });
  EXPECT_TRUE(has(refused, "checksum of the individuals is ")) << refused;
  model_file(folder, rows, 1.0);
  EXPECT_EQ(refusal([&] { run_experiment(experiment, {.folder = folder.path() / "out"}); }),
            "(accepted)");
  Experiment other = experiment;
  other.targeting->budget = 4;
  EXPECT_TRUE(has(refusal([&] { run_experiment(other, {.folder = folder.path() / "out"}); }),
                  "targeting.budget is 3 there and 4 here"));
}

// Manifests used to call the setting a campaign.
TEST(TargetingExperiment, GoesOnInAFolderWhoseManifestHasTheOlderName) {
  const TemporaryFolder folder;
  Experiment experiment = small("synthetic");
  experiment.name = "targeting-synthetic";
  const std::filesystem::path out = folder.path() / "out";
  run_experiment(experiment, {.folder = out});
  std::string manifest = read_file(out / "manifest.json");
  for (const std::string older : {"\"campaign\"", "\"campaign-synthetic\""}) {
    const std::string present = "\"targeting" + older.substr(9);
    const auto at = manifest.find(present);
    ASSERT_NE(at, std::string::npos) << present;
    manifest.replace(at, present.size(), older);
  }
  std::ofstream(out / "manifest.json") << manifest;
  EXPECT_EQ(read_results(out).experiment.targeting->budget, 3u);
  EXPECT_EQ(read_results(out).experiment.name, "targeting-synthetic");
  Experiment other = experiment;
  other.targeting->budget = 4;
  EXPECT_TRUE(has(refusal([&] { run_experiment(other, {.folder = out}); }), "budget is 3 there"));
  EXPECT_EQ(refusal([&] { run_experiment(experiment, {.folder = out}); }), "(accepted)");
}

TEST(TargetingExperiment, RefusesPoliciesBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const auto refused = [&](const char* spec, const std::string& data) {
    Experiment experiment = small(data);
    experiment.policies.resize(1);
    experiment.policies[0] = PolicyGrid();
    experiment.policies[0].spec = PolicySpec::parse(spec);
    return refusal([&] { run_experiment(experiment, {.folder = folder.path() / "out"}); });
  };
  EXPECT_TRUE(has(refused("c2_up_ucb(beta=1, model=logistic)", "synthetic"),
                  "must be in [0, 1] for a logistic model"));
  const std::string rows = rows_with([](int row) { return row % 5 == 1; });
  Experiment long_rows = small(model_file(folder, rows, 1.0));
  long_rows.targeting->constant = true;  // with x in [0, 1]: longer than 1
  long_rows.policies.resize(1);
  long_rows.policies[0] = PolicyGrid();
  long_rows.policies[0].spec = PolicySpec::parse("c2_up_ucb(delta=0.1)");
  EXPECT_TRUE(has(refusal([&] { run_experiment(long_rows, {.folder = folder.path() / "out"}); }),
                  "must be at most 1 for the theorem's beta"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

}  // namespace
}  // namespace updraft
