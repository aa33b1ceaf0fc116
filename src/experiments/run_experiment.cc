#include <fmt/format.h>

#include <chrono>

#include "experiments/claim_folder.h"
#include "experiments/folder.h"
#include "experiments/folder_lock.h"
#include "experiments/journal.h"
#include "experiments/parallel.h"
#include "experiments/results_files.h"
#include "experiments/run_policies.h"
#include "experiments/run_records.h"
#include "updraft/error.h"
#include "updraft/results.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

/// An experiment, or a shard of it, that is about to be run.
class ExperimentRun {
 public:
  /// Throws InvalidInput if a policy cannot run.
  ExperimentRun(const Experiment& experiment, const Shard& shard, const ExperimentOptions& options)
      : options_(options), shard_(shard) {
    if (experiment.policies.empty()) throw InvalidInput("policies", "give at least one");
    if (experiment.runs < 1) throw InvalidInput("runs", "0", "must be at least 1");
    workload_ = make_workload(experiment,
                              {.rounds = experiment.rounds,
                               .seed = experiment.seed,
                               .curve_points = kCurvePoints,
                               .may_know = experiment.may_know},
                              options.data);
    result_ = result_without_regrets(experiment, workload_->population());
    records_ = empty_records(result_);
    for (const GridPoint& point : result_.points) workload_->check(point.spec);
  }

  ExperimentResult& result() { return result_; }
  const RunRecords& records() const { return records_; }
  std::size_t record_size() const { return updraft::record_size(result_); }

  Manifest manifest() const { return new_manifest(result_, workload_->checksum()); }

  /// Runs what the folder's journal does not hold yet, and adds the time to the manifest.
  void run_into(Journal& journal, Manifest& manifest) {
    const auto begun = std::chrono::steady_clock::now();
    const auto add_time = [&] {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
      manifest.seconds += spent.count();
    };
    try {
      run_all(journal);
    } catch (const Cancelled&) {
      add_time();
      write_manifest(manifest, options_.folder);
      throw;
    }
    add_time();
  }

  /// Calls visit(run, first point, end of points) for each run of a policy that the shard has. All
  /// values of a policy's parameter share a run, and so its noise. Runs are the outer order, so
  /// that the share done is a fair measure of the time spent.
  template <typename Visit>
  void for_each_run(const Visit& visit) const {
    const std::vector<GridPoint>& points = result_.points;
    for (std::uint32_t run = 0; run < result_.experiment.runs; ++run) {
      for (std::size_t p = 0; p < points.size();) {
        const std::size_t policy = points[p].policy;
        std::size_t end = p;
        while (end < points.size() && points[end].policy == policy) ++end;
        if (has_run(shard_, run, policy, result_.experiment.policies.size())) visit(run, p, end);
        p = end;
      }
    }
  }

 private:
  /// The points of one policy in one run that are still to be run.
  struct OpenTask {
    std::uint32_t run = 0;
    std::vector<std::size_t> points = {};
  };

  void run_all(Journal& journal) {
    const std::size_t points = result_.points.size();
    for (const auto& [record, numbers] : journal.recovered()) {
      if (record < records_.size()) records_[record] = numbers;
    }
    std::vector<OpenTask> tasks;
    std::size_t wanted = 0, open = 0;
    for_each_run([&](std::uint32_t run, std::size_t first, std::size_t end) {
      OpenTask task{.run = run};
      for (std::size_t p = first; p < end; ++p) {
        if (records_[run * points + p].empty()) task.points.push_back(p);
      }
      wanted += end - first;
      open += task.points.size();
      if (!task.points.empty()) tasks.push_back(std::move(task));
    });
    if (tasks.empty()) return;
    const double rounds = result_.experiment.rounds;
    run_tasks({.count = tasks.size(),
               .total_rounds = static_cast<double>(wanted) * rounds,
               .rounds_done_before = static_cast<double>(wanted - open) * rounds,
               .threads = options_.threads,
               .progress = options_.progress,
               .stop = options_.stop},
              [&](std::size_t j, TaskControl& control) { run_task(tasks[j], journal, control); });
  }

  void run_task(const OpenTask& task, Journal& journal, TaskControl& control) {
    std::vector<PolicySpec> specs;
    for (const std::size_t p : task.points) specs.push_back(result_.points[p].spec);
    const std::vector<Outcome> outcomes = run_policies(*workload_, specs, task.run, control);
    for (std::size_t k = 0; k < specs.size(); ++k) {
      const std::size_t record = task.run * result_.points.size() + task.points[k];
      records_[record] = workload_->numbers_of(outcomes[k]);
      journal.append(record, records_[record]);
    }
  }

  const ExperimentOptions& options_;
  Shard shard_;
  std::unique_ptr<Workload> workload_;
  ExperimentResult result_;
  RunRecords records_;
};

}  // namespace

ExperimentResult run_experiment(const Experiment& experiment, const ExperimentOptions& options) {
  ExperimentRun run(experiment, Shard(), options);
  make_folder(options.folder);
  const FolderLock lock(options.folder);
  Manifest manifest = claim_folder(run.manifest(), options.folder);
  if (!manifest.finished) {
    Journal journal(options.folder / kJournalFile, run.record_size());
    run.run_into(journal, manifest);
    add_records(run.result(), run.records());
    write_csvs(run.result(), options.folder);
    manifest.finished = timestamp();
    write_manifest(manifest, options.folder);
  }
  std::filesystem::remove(options.folder / kJournalFile);
  return read_results(options.folder);
}

ShardSize run_shard(const Experiment& experiment, const Shard& shard,
                    const ExperimentOptions& options) {
  check_shard(shard);
  ExperimentRun run(experiment, shard, options);
  make_folder(options.folder);
  const FolderLock lock(options.folder);
  Manifest fresh = run.manifest();
  fresh.shard = shard;
  Manifest manifest = claim_folder(fresh, options.folder);
  // Even if it was finished: the journal may have lost its end since.
  Journal journal(options.folder / kJournalFile, run.record_size());
  run.run_into(journal, manifest);
  journal.sync();
  if (!manifest.finished) manifest.finished = timestamp();
  write_manifest(manifest, options.folder);

  ShardSize size{.runs = 0, .of = experiment.policies.size() * experiment.runs};
  run.for_each_run([&](std::uint32_t, std::size_t, std::size_t) { ++size.runs; });
  return size;
}

ExperimentResult read_results(const std::filesystem::path& folder) {
  const auto manifest = read_manifest(folder);
  if (!manifest) {
    throw InvalidInput(folder.string(), "is not a results folder: it has no manifest.json");
  }
  if (manifest->shard) {
    throw InvalidInput(folder.string(),
                       fmt::format("is shard {} of {}: join all shards with updraft merge",
                                   manifest->shard->index, manifest->shard->of));
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
