#include "updraft/results.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fcntl.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "experiments/results_files.h"
#include "support/folder.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;
using testing::TemporaryFolder;

Experiment small() {
  return {.name = "small",
          .title = "A small one",
          .instance = "gaussian",
          .rounds = 200,
          .runs = 3,
          .seed = 4,
          .quick_rounds = 50,
          .quick_runs = 2,
          .policies = {{.label = "UCB, plain",
                        .spec = PolicySpec::parse("ucb"),
                        .parameter = "alpha",
                        .values = {0.5, 2.0},
                        .paper = 2.0,
                        .quick = {}},
                       {.label = "fixed",
                        .spec = PolicySpec::parse("up_ucb(alpha=1)"),
                        .parameter = "",
                        .values = {},
                        .paper = {},
                        .quick = {}}},
          .claims = {},
          .figure = {}};
}

TEST(RunExperiment, AgreesWithSimulate) {
  const TemporaryFolder folder;
  const ExperimentResult result = run_experiment(small(), {.folder = folder.path() / "a"});
  ASSERT_EQ(result.points.size(), 3u);
  std::vector<PolicySpec> specs;
  for (const GridPoint& point : result.points) specs.push_back(point.spec);
  EXPECT_EQ(specs[1].text(), "ucb(alpha=2)");
  const SimulationResult simulated =
      simulate(load_instance("gaussian"), specs, {.rounds = 200, .runs = 3, .seed = 4});
  for (std::size_t j = 0; j < specs.size(); ++j) {
    EXPECT_EQ(result.points[j].final_regrets, simulated.policies[j].final_regrets);
    EXPECT_EQ(result.points[j].curve.size(), 100u);
    EXPECT_EQ(result.points[j].curve.back().mean, simulated.policies[j].final_regret.mean);
    EXPECT_EQ(result.points[j].curve[49].p95, simulated.policies[j].curve[49].p95);
  }
}

TEST(ChooseBest, TakesTheLeastMeanPlusSd) {
  ExperimentResult result{.experiment = small(), .curve_rounds = {}, .points = {}, .chosen = {}};
  const auto add = [&](std::size_t policy, double mean, double sd) {
    GridPoint point{.policy = policy, .value = {}, .spec = PolicySpec::parse("ucb")};
    point.final_regret.mean = mean;
    point.final_regret.sd = sd;
    result.points.push_back(point);
  };
  add(0, 10.0, 5.0);  // the least mean
  add(0, 13.0, 1.0);  // the least sum, first of two
  add(0, 12.0, 2.0);
  add(1, 99.0, 0.0);
  choose_best(result);
  EXPECT_EQ(result.chosen, (std::vector<std::size_t>{1, 3}));
}

TEST(RunExperiment, FilesDoNotDependOnThreads) {
  const TemporaryFolder one;
  const TemporaryFolder many;
  run_experiment(small(), {.folder = one.path(), .threads = 1});
  run_experiment(small(), {.folder = many.path(), .threads = 5});
  for (const char* name : {"final.csv", "curves.csv"}) {
    EXPECT_EQ(read_file(one.path() / name), read_file(many.path() / name));
  }
  EXPECT_FALSE(std::filesystem::exists(one.path() / "runs.journal"));
}

TEST(RunExperiment, ContinuesWhereItWasStopped) {
  const TemporaryFolder whole;
  const TemporaryFolder pieces;
  Experiment experiment = small();
  experiment.rounds = 1000000;
  run_experiment(experiment, {.folder = whole.path()});
  int stopped = 0;
  for (const double until : {0.25, 0.5, 0.75}) {
    std::stop_source stop;
    ExperimentOptions options{.folder = pieces.path(), .threads = 1};
    options.progress = [&](double share) {
      if (share >= until && share < 1.0) stop.request_stop();
    };
    options.stop = stop.get_token();
    try {
      run_experiment(experiment, options);
    } catch (const Cancelled&) {
      ++stopped;
      EXPECT_NE(refusal([&] { read_results(pieces.path()); }).find("is not finished"),
                std::string::npos);
      EXPECT_GT(std::filesystem::file_size(pieces.path() / "runs.journal"), 0u);
    }
  }
  EXPECT_GT(stopped, 0);
  run_experiment(experiment, {.folder = pieces.path()});
  for (const char* name : {"final.csv", "curves.csv"}) {
    EXPECT_EQ(read_file(whole.path() / name), read_file(pieces.path() / name));
  }
}

TEST(RunExperiment, StopsAtOnceWhenAsked) {
  const TemporaryFolder folder;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(run_experiment(
                   [] {
                     Experiment endless = small();
                     endless.rounds = 4000000000u;
                     return endless;
                   }(),
                   {.folder = folder.path() / "endless", .stop = stop.get_token()}),
               Cancelled);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "endless" / "runs.journal"));
}

TEST(RunExperiment, AFinishedFolderIsReadNotPlayed) {
  const TemporaryFolder folder;
  run_experiment(small(), {.folder = folder.path()});
  bool played = false;
  Experiment restyled = small();
  restyled.title = "Another title";
  const ExperimentResult result = run_experiment(
      restyled, {.folder = folder.path(), .progress = [&](double) { played = true; }});
  EXPECT_FALSE(played);
  EXPECT_EQ(result.experiment.title, "Another title");
  EXPECT_EQ(read_results(folder.path()).experiment, restyled);
}

TEST(RunExperiment, ManifestKeepsWhatTheFigureIsAgainst) {
  const TemporaryFolder folder;
  Experiment experiment = small();
  experiment.figure.against = FigureStyle::Against::kParameter;
  run_experiment(experiment, {.folder = folder.path()});
  EXPECT_EQ(read_results(folder.path()).experiment, experiment);

  const std::filesystem::path path = folder.path() / "manifest.json";
  const std::string manifest = read_file(path);
  const auto with = [&](const std::string& line) {
    const std::string from = "\"against\": \"parameter\",";
    std::string changed = manifest;
    changed.replace(changed.find(from), from.size(), line);
    std::ofstream(path) << changed;
  };
  with("");  // written before there was a choice
  EXPECT_EQ(read_results(folder.path()).experiment.figure.against, FigureStyle::Against::kRounds);
  with("\"against\": \"time\",");
  EXPECT_EQ(refusal([&] { read_results(folder.path()); }),
            "figure.against = time: must be rounds or parameter");
}

TEST(RunExperiment, ManifestsSayWhatTheRunIsAPartOf) {
  const TemporaryFolder folder;
  Experiment experiment = small();
  experiment.whole_rounds = 5000;
  experiment.whole_runs = 100;
  experiment.policies[0].whole_values = 10;
  run_experiment(experiment, {.folder = folder.path()});
  EXPECT_EQ(read_results(folder.path()).experiment, experiment);
  // The experiment may come to ask for more: what was played is the same.
  experiment.whole_rounds = 6000;
  run_experiment(experiment, {.folder = folder.path()});
  EXPECT_EQ(read_results(folder.path()).experiment.whole_rounds, 6000u);
  // Older manifests do not say it.
  auto manifest = nlohmann::json::parse(read_file(folder.path() / "manifest.json"));
  for (const char* key : {"whole_rounds", "whole_runs"}) {
    ASSERT_EQ(manifest["experiment"].erase(key), 1u) << key;
  }
  std::ofstream(folder.path() / "manifest.json") << manifest;
  EXPECT_EQ(read_results(folder.path()).experiment.whole_rounds, 0u);
  EXPECT_EQ(read_results(folder.path()).experiment.whole_runs, 0u);
}

TEST(RunExperiment, RefusesAFolderOfAnotherRun) {
  const TemporaryFolder folder;
  run_experiment(small(), {.folder = folder.path()});
  const std::string before = read_file(folder.path() / "manifest.json");
  Experiment other = small();
  other.rounds = 300;
  EXPECT_EQ(refusal([&] { run_experiment(other, {.folder = folder.path()}); }),
            folder.path().string() +
                ": contains results of another run: rounds is 200 there and 300 here; give another "
                "folder with --out, or remove this one");
  other = small();
  other.policies[0].values = {0.5};
  other.policies[0].paper = {};
  EXPECT_NE(refusal([&] { run_experiment(other, {.folder = folder.path()}); }).find("policies is"),
            std::string::npos);
  EXPECT_EQ(read_file(folder.path() / "manifest.json"), before);
  std::string newer = before;
  newer.replace(newer.find("\"version\": \""), 12, "\"version\": \"9");
  std::ofstream(folder.path() / "manifest.json") << newer;
  EXPECT_NE(
      refusal([&] { run_experiment(small(), {.folder = folder.path()}); }).find("version is 9"),
      std::string::npos);
}

TEST(RunExperiment, RefusesAnotherSeedOrAChangedInstance) {
  const TemporaryFolder folder;
  Experiment experiment = small();
  experiment.instance = folder.write(
      "mine.json",
      format_instance(hard_reward({.variables = 3, .affected = {1, 2}, .gaps = {0, 1}})));
  const ExperimentOptions options{.folder = folder.path() / "results"};
  run_experiment(experiment, options);
  const auto said = [&] { return refusal([&] { run_experiment(experiment, options); }); };
  EXPECT_EQ(said(), "(accepted)");
  experiment.seed = 5;
  EXPECT_NE(said().find("seed is 4 there and 5 here"), std::string::npos);
  experiment.seed = 4;
  folder.write("mine.json",
               format_instance(hard_reward({.variables = 3, .affected = {1, 2}, .gaps = {0, 2}})));
  EXPECT_NE(said().find("checksum of the instance is"), std::string::npos);
}

TEST(RunExperiment, RefusesAFolderOfSomethingElse) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "thesis.tex") << "precious";
  EXPECT_EQ(refusal([&] { run_experiment(small(), {.folder = folder.path()}); }),
            folder.path().string() +
                ": is neither a results folder nor empty (it contains thesis.tex); give another "
                "folder with --out");
  EXPECT_EQ(read_file(folder.path() / "thesis.tex"), "precious");
}

TEST(RunExperiment, RefusesAFolderThatAnotherProcessHolds) {
  const TemporaryFolder folder;
  const int held = ::open((folder.path() / ".lock").c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  try {
    run_experiment(small(), {.folder = folder.path()});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("another process is working on"), std::string::npos);
  }
  ::close(held);
  run_experiment(small(), {.folder = folder.path()});
}

TEST(RunExperiment, ReportsAFolderThatCannotBeWritten) {
  EXPECT_THROW(run_experiment(small(), {.folder = "/proc/no-such-folder"}), std::runtime_error);
  EXPECT_THROW(run_experiment(small(), {.folder = "/dev/null"}), std::runtime_error);
}

TEST(ReadResults, RefusesWhatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal([&] { read_results(folder.path()); }),
            folder.path().string() + ": is not a results folder: it has no manifest.json");
  std::ofstream(folder.path() / "manifest.json") << "{\"format\": 3";
  EXPECT_NE(refusal([&] { read_results(folder.path()); }).find("is not a manifest"),
            std::string::npos);
}

TEST(ReadResults, RefusesChangedFiles) {
  const TemporaryFolder folder;
  run_experiment(small(), {.folder = folder.path()});
  const std::filesystem::path path = folder.path() / "final.csv";
  const std::string bytes = read_file(path);
  const auto with = [&](const std::string& changed) {
    std::ofstream(path, std::ios::binary) << changed;
    return refusal([&] { read_results(folder.path()); });
  };
  EXPECT_EQ(with(bytes), "(accepted)");
  EXPECT_NE(with(bytes.substr(0, bytes.size() - 30)), "(accepted)");
  EXPECT_NE(with(bytes + "x\n"), "(accepted)");
  std::string swapped = bytes;
  swapped.replace(swapped.find(",1,"), 3, ",7,");
  EXPECT_NE(with(swapped).find("final.csv:3: must begin with"), std::string::npos);
}

}  // namespace
}  // namespace updraft
