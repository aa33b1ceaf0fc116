#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "core/files.h"
#include "experiments/folder.h"
#include "experiments/journal.h"
#include "experiments/manifest.h"
#include "experiments/parallel.h"
#include "experiments/results_files.h"
#include "experiments/run_policies.h"
#include "updraft/error.h"
#include "updraft/results.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

constexpr std::uint32_t kCurvePoints = 100;
constexpr const char* kJournal = "runs.journal";
constexpr const char* kLock = ".lock";

/// Holds a results folder for this process; the system lets go of it however the process ends.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / kLock;
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail_on("write", path);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      ::close(descriptor_);
      throw std::runtime_error(fmt::format(
          "another process is working on {}: wait for it, or give another folder with --out",
          folder.string()));
    }
  }
  ~FolderLock() { ::close(descriptor_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// The manifest to go on with. The folder must be new, empty, or of the same run.
Manifest claim_folder(const Manifest& fresh, const std::filesystem::path& folder) {
  if (auto existing = read_manifest(folder)) {
    check_same(*existing, fresh, folder);
    existing->experiment = fresh.experiment;  // title, claims and figure may have changed
    write_manifest(*existing, folder);
    return *existing;
  }
  check_empty(folder, {kLock, "manifest.json.partial"});
  write_manifest(fresh, folder);
  return fresh;
}

ExperimentResult result_without_regrets(const Experiment& experiment,
                                        const std::optional<PopulationSummary>& population) {
  return {.experiment = experiment,
          .population = population,
          .curve_rounds = spaced_rounds(experiment.rounds, kCurvePoints),
          .points = grid_points(experiment),
          .chosen = {}};
}

/// The points of one policy in one run that are still to be run.
struct OpenTask {
  std::uint32_t run = 0;
  std::vector<std::size_t> points;
};

/// Runs are the outer order, so that the share done is a fair measure of the time spent.
std::vector<OpenTask> open_tasks(const ExperimentResult& result,
                                 const std::vector<std::vector<double>>& records) {
  const std::size_t points = result.points.size();
  std::vector<OpenTask> tasks;
  for (std::uint32_t run = 0; run < result.experiment.runs; ++run) {
    for (std::size_t p = 0; p < points; ++p) {
      if (!records[run * points + p].empty()) continue;
      const bool same = !tasks.empty() && tasks.back().run == run &&
                        result.points[tasks.back().points.back()].policy == result.points[p].policy;
      if (!same) tasks.push_back({run, {}});
      tasks.back().points.push_back(p);
    }
  }
  return tasks;
}

/// Runs what the journal does not hold yet; its record run * points + point has the workload's
/// numbers. All values of a policy's parameter share a task, and so the noise of its run.
void run_all(ExperimentResult& result, const Workload& workload, Journal& journal,
             const ExperimentOptions& options) {
  const std::size_t points = result.points.size();
  const std::uint32_t runs = result.experiment.runs;
  std::vector<std::vector<double>> records(points * runs);
  std::size_t done = 0;
  for (const auto& [record, numbers] : journal.recovered()) {
    if (record >= records.size()) continue;
    records[record] = numbers;
    ++done;
  }
  const std::vector<OpenTask> tasks = open_tasks(result, records);
  const double rounds = result.experiment.rounds;
  if (!tasks.empty()) {
    run_tasks({.count = tasks.size(),
               .total_rounds = static_cast<double>(records.size()) * rounds,
               .rounds_done_before = static_cast<double>(done) * rounds,
               .threads = options.threads,
               .progress = options.progress,
               .stop = options.stop},
              [&](std::size_t j, TaskControl& control) {
                const OpenTask& task = tasks[j];
                std::vector<PolicySpec> specs;
                for (const std::size_t p : task.points) specs.push_back(result.points[p].spec);
                const std::vector<Outcome> outcomes =
                    run_policies(workload, specs, task.run, control);
                for (std::size_t k = 0; k < specs.size(); ++k) {
                  const std::size_t record = task.run * points + task.points[k];
                  records[record] = workload.numbers_of(outcomes[k]);
                  journal.append(record, records[record]);
                }
              });
  }
  for (std::size_t p = 0; p < points; ++p) {
    GridPoint& point = result.points[p];
    std::vector<std::vector<double>> of_point;
    for (std::uint32_t run = 0; run < runs; ++run) of_point.push_back(records[run * points + p]);
    workload.add_measures(point, of_point);
    for (std::size_t j = 0; j < result.curve_rounds.size(); ++j) {
      std::vector<double> regrets;
      for (const std::vector<double>& numbers : of_point) regrets.push_back(numbers[j]);
      if (j + 1 == result.curve_rounds.size()) point.final_regrets = regrets;
      point.curve.push_back(summarize(std::move(regrets)));
    }
  }
}

}  // namespace

ExperimentResult run_experiment(const Experiment& experiment, const ExperimentOptions& options) {
  if (experiment.policies.empty()) throw InvalidInput("policies", "give at least one");
  if (experiment.runs < 1) throw InvalidInput("runs", "0", "must be at least 1");
  const std::unique_ptr<Workload> workload = make_workload(experiment,
                                                           {.rounds = experiment.rounds,
                                                            .seed = experiment.seed,
                                                            .curve_points = kCurvePoints,
                                                            .may_know = experiment.may_know},
                                                           options.data);
  ExperimentResult result = result_without_regrets(experiment, workload->population());
  for (const GridPoint& point : result.points) workload->check(point.spec);

  make_folder(options.folder);
  const FolderLock lock(options.folder);
  Manifest manifest = claim_folder(new_manifest(result, workload->checksum()), options.folder);
  if (!manifest.finished) {
    const auto begun = std::chrono::steady_clock::now();
    Journal journal(options.folder / kJournal, workload->numbers());
    const auto add_time = [&] {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
      manifest.seconds += spent.count();
    };
    try {
      run_all(result, *workload, journal, options);
    } catch (const Cancelled&) {
      add_time();
      write_manifest(manifest, options.folder);
      throw;
    }
    add_time();
    write_csvs(result, options.folder);
    manifest.finished = timestamp();
    write_manifest(manifest, options.folder);
  }
  std::filesystem::remove(options.folder / kJournal);
  return read_results(options.folder);
}

ExperimentResult read_results(const std::filesystem::path& folder) {
  const auto manifest = read_manifest(folder);
  if (!manifest) {
    throw InvalidInput(folder.string(), "is not a results folder: it has no manifest.json");
  }
  if (!manifest->finished) {
    throw InvalidInput(folder.string(), "is not finished: run the same command again to continue");
  }
  ExperimentResult result = result_without_regrets(manifest->experiment, manifest->population);
  read_csvs(result, folder);
  choose_best(result);
  return result;
}

}  // namespace updraft
