#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/load_population.h"
#include "experiments/population_rounds.h"
#include "updraft/environment.h"
#include "updraft/instance.h"
#include "updraft/policy.h"
#include "updraft/results.h"

namespace updraft {

class InstanceEnvironment;
struct OwnRounds;

/// What runs of a workload have in common.
struct RunOptions {
  std::uint32_t rounds = 0;
  std::uint64_t seed = 1;
  std::uint32_t curve_points = 100;    ///< as in SimulationOptions
  std::optional<Needs> may_know = {};  ///< as in SimulationOptions
  /// Instances only: whose knowledge policies get, as in SimulationOptions.
  std::shared_ptr<const Instance> knowledge_of = {};
  std::string warm_log = {};  ///< instances only: as in SimulationOptions
  std::uint32_t batch = 1;    ///< as in SimulationOptions
};

/// Throws InvalidInput if there are no rounds or no points of a curve.
void check_run(const RunOptions& options);

/// One policy in one run.
struct Outcome {
  std::vector<Measures> curve;                  ///< after each of Workload::curve_rounds()
  std::vector<double> pulls;                    ///< per action; empty for targeting policies
  std::vector<IndividualExplanation> held_out;  ///< the estimates for Environment::held_out()
};

/// A run that is about to begin.
struct StartedRun {
  std::unique_ptr<Environment> environment;
  InstanceEnvironment* of_instance = nullptr;     ///< the environment, if it is one of an instance
  std::vector<std::unique_ptr<Policy>> policies;  ///< must not outlive the environment
};

/// What an experiment is run on: an instance, a population or linear contexts. Immutable and shared
/// by all runs.
class Workload {
 public:
  virtual ~Workload() = default;

  /// What policies get; observations are drawn for each run.
  const Knowledge& knowledge() const { return knowledge_; }
  PolicyKind kind() const { return knowledge_.kind(); }
  std::uint64_t seed() const { return seed_; }
  std::uint32_t batch() const { return batch_; }
  /// Increasing; the last is the number of rounds.
  const std::vector<std::uint32_t>& curve_rounds() const { return curve_rounds_; }

  /// Identifies the workload. It must never change from version to version.
  virtual std::string checksum() const = 0;
  /// Of targeting workloads.
  virtual std::optional<PopulationSummary> population() const { return std::nullopt; }

  /// Throws InvalidInput if the policy cannot start, or would refuse what it gets in a run.
  virtual void check(const PolicySpec& spec) const = 0;

  virtual StartedRun start(std::span<const PolicySpec> specs, std::uint32_t run) const = 0;

  /// Whether runs must be played on the calling thread.
  virtual bool on_caller() const { return false; }

  /// Whether policies that take turns in a block of rounds save time.
  virtual bool shares_noise() const { return false; }

  /// What an experiment keeps of an outcome (experiments/run_records.h).
  virtual std::vector<double> numbers_of(const Outcome& outcome) const;

 protected:
  Workload(Knowledge knowledge, const RunOptions& options);

 private:
  Knowledge knowledge_;
  std::uint64_t seed_;
  std::uint32_t batch_;
  std::vector<std::uint32_t> curve_rounds_;
};

// All throw InvalidInput as check_run().

std::unique_ptr<Workload> make_workload(std::shared_ptr<const Instance> instance,
                                        const RunOptions& options);

/// Throws InvalidInput if the setting breaks a rule.
std::unique_ptr<Workload> make_workload(const LinearContexts& setting, const RunOptions& options);

std::unique_ptr<Workload> make_workload(LoadedPopulation population, const PoolOptions& pool,
                                        const RunOptions& options);

std::unique_ptr<Workload> make_workload(const OwnRounds& rounds, const RunOptions& options);

/// That of an experiment. `data`: the table of a published data set; empty if there is none. Throws
/// InvalidInput if a file cannot be read.
std::unique_ptr<Workload> make_workload(const Experiment& experiment, const RunOptions& options,
                                        const std::filesystem::path& data);

/// make_policy(), or what the spec's own maker makes.
std::unique_ptr<Policy> make_for_run(const PolicySpec& spec, const Knowledge& knowledge,
                                     std::uint32_t run);

/// Throws InvalidInput if the policy needs an effect gap that is not given and that the instance
/// does not have.
void check_effect_gap(const Instance& instance, const PolicySpec& spec);

}  // namespace updraft
