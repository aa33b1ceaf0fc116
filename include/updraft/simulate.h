#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "updraft/assumption_warning.h"
#include "updraft/instance.h"
#include "updraft/linear_contexts.h"
#include "updraft/policy_spec.h"

namespace updraft {

struct SimulationOptions {
  std::uint32_t rounds = 1000;
  std::uint32_t runs = 10;
  std::uint64_t seed = 1;
  unsigned threads = 0;              ///< 0: as many as the machine has
  std::uint32_t curve_points = 100;  ///< at most; evenly spaced, the last is the last round
  /// The most that policies may know; if absent, everything that the instance knows.
  std::optional<Needs> told = {};
  /// Policies are told what is true of this instance, which must have as many actions and
  /// variables; if absent, what is true of the one that is played.
  std::shared_ptr<const Instance> told_by = {};
  /// Whether each policy plays the first run once more, with a monitor, which tells what its
  /// payoffs speak against. Takes about as long as a run of a policy that looks at single payoffs.
  bool check_assumptions = false;

  /// Called now and then from the calling thread with the share of rounds done, in [0, 1].
  std::function<void(double)> progress = {};
  /// If a stop is requested, simulate throws Cancelled.
  std::stop_token stop = {};
};

class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

/// Statistics over runs. sd has n - 1 in the denominator (0 for one run); p95 interpolates
/// linearly between order statistics.
struct Summary {
  double mean = 0.0;
  double sd = 0.0;
  double stderr_ = 0.0;
  double p95 = 0.0;
};

Summary summarize(std::vector<double> values);

/// The rounds of a curve: at most `points`, evenly spaced; the last is `rounds`.
std::vector<std::uint32_t> spaced_rounds(std::uint32_t rounds, std::uint32_t points);

struct PolicyResult {
  std::string spec;
  std::vector<double> final_regrets;  ///< per run
  Summary final_regret;
  std::vector<double> pulls;  ///< mean over runs, per action
  double best_share = 0.0;    ///< share of all rounds in which no action was better
  std::vector<std::uint32_t> curve_rounds;
  std::vector<Summary> curve;  ///< regret after that many rounds
};

/// What a monitor says of a policy.
struct PolicyWarning {
  std::string spec;
  AssumptionWarning warning;
};

struct SimulationResult {
  std::vector<PolicyResult> policies;
  /// The warnings of noise_warning() and knowledge_warning() about the policies (theory.h).
  std::vector<std::string> warnings;
  /// With SimulationOptions::check_assumptions.
  std::vector<PolicyWarning> assumption_warnings;
};

/// Runs every policy on the instance, `runs` times. All policies of a run see the same noise. A
/// policy gets exactly the knowledge that it needs, taken from the instance as far as options.told
/// allows; its own parameters override that. The result is the same, bit for bit, for any number of
/// threads.
SimulationResult simulate(std::shared_ptr<const Instance> instance,
                          const std::vector<PolicySpec>& policies,
                          const SimulationOptions& options);

/// The same on a contextual bandit, with contextual policies. They get the baseline and the
/// affected sets of every round as far as options.told allows. Throws InvalidInput if
/// options.told_by or options.check_assumptions is given: they are for single actions.
SimulationResult simulate(const LinearContexts& contexts, const std::vector<PolicySpec>& policies,
                          const SimulationOptions& options);

}  // namespace updraft
