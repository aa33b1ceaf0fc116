#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "updraft/experiment.h"
#include "updraft/policy.h"
#include "updraft/simulate.h"

namespace updraft {

/// A mean over the runs, with its interval from resampling the held-out customers.
struct RankingScore {
  double mean = 0.0;
  Interval interval;  ///< 90 %
};

/// What is measured of targeting policies in addition to the regret.
struct TargetingMeasures {
  std::vector<double> final_realised = {};  ///< per run: regret by the observed payoffs
  std::vector<double> final_uplift = {};    ///< per run: mean uplift of the treated
  std::vector<Summary> realised = {};       ///< after ExperimentResult::curve_rounds
  std::vector<Summary> uplift = {};
  /// How well the policy ranks held-out customers after the last round, per run and over all runs:
  /// updraft/uplift_metrics.h.
  std::vector<double> final_qini = {};
  std::vector<double> final_auuc = {};
  RankingScore qini = {};
  RankingScore auuc = {};
};

/// One policy with one value of its parameter, over all runs.
struct GridPoint {
  std::size_t policy = 0;                  ///< index into Experiment::policies
  std::optional<double> value;             ///< of the tuned parameter
  PolicySpec spec;                         ///< complete
  std::vector<double> final_regrets = {};  ///< per run
  Summary final_regret = {};
  std::vector<Summary> curve = {};  ///< regret after ExperimentResult::curve_rounds
  std::optional<TargetingMeasures> targeting = {};
};

/// The population on which targeting policies were run.
struct PopulationSummary {
  std::string summary;
  std::size_t individuals = 0;
  std::size_t held_out = 0;
  std::size_t features = 0;
  std::size_t treatments = 0;
  bool generated = false;  ///< also if a data set was requested and is not there

  bool operator==(const PopulationSummary&) const = default;
};

struct ExperimentResult {
  Experiment experiment;
  std::optional<PopulationSummary> population = {};  ///< of targeting policies
  std::vector<std::uint32_t> curve_rounds;
  std::vector<GridPoint> points;    ///< policy by policy, values increasing
  std::vector<std::size_t> chosen;  ///< per policy, index into points: the least mean + sd of the
                                    ///< final regret, the smallest value among equals

  const GridPoint& best(std::size_t policy) const { return points[chosen[policy]]; }
};

/// A part of an experiment that one machine runs: `index` counts from 1 to `of`. Each run of each
/// policy belongs to one shard, whatever machine asks.
struct Shard {
  std::uint32_t index = 1;
  std::uint32_t of = 1;

  bool operator==(const Shard&) const = default;
};

struct ExperimentOptions {
  std::filesystem::path folder;               ///< of the results; created if it does not exist
  std::filesystem::path data = {};            ///< the table that TargetingSetting::data names
  unsigned threads = 0;                       ///< 0: as many as the machine has
  std::function<void(double)> progress = {};  ///< as in SimulationOptions
  std::stop_token stop = {};
};

/// Runs an experiment and writes manifest.json, final.csv and curves.csv, and for targeting
/// policies also ranking.csv, into the folder. If the table of a data set is not given, the
/// experiment runs on generated individuals, and its results say so. Finished runs are saved at
/// once, so that the same call continues after it was stopped or killed. A finished folder is read
/// and nothing is run again. All files except the manifest are the same, byte for byte, for any
/// number of threads and interruptions. Throws InvalidInput if the folder belongs to another
/// experiment, seed or version, or to something else; std::runtime_error if another process works
/// on it or it cannot be written.
ExperimentResult run_experiment(const Experiment& experiment, const ExperimentOptions& options);

/// Throws InvalidInput unless the index is from 1 to `of`.
void check_shard(const Shard& shard);

/// How many runs of policies a shard has, of how many in all.
struct ShardSize {
  std::size_t runs = 0;
  std::size_t of = 0;
};

/// Runs one shard into a folder of its own, which then has manifest.json and runs.journal.
/// Continues like run_experiment(), with the same errors, and refuses the folder of another shard.
ShardSize run_shard(const Experiment& experiment, const Shard& shard,
                    const ExperimentOptions& options);

/// Joins the shards in `folders` into the results folder `out`, as if run_experiment() had run them
/// all: all files but the manifest are the same, byte for byte. Needs no instance and no data.
/// Shards may be given twice, and be cut in different numbers of parts, if what they have in common
/// is equal. Throws InvalidInput, before it writes anything, if a folder is not a shard, belongs to
/// another experiment, version, instance or seed, contradicts another, or if a run is missing: the
/// message says what is missing.
ExperimentResult merge_shards(const std::vector<std::filesystem::path>& folders,
                              const std::filesystem::path& out);

/// The results in a finished folder. Throws InvalidInput if the folder is not one.
ExperimentResult read_results(const std::filesystem::path& folder);

}  // namespace updraft
