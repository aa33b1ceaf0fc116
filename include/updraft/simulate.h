#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/assumption_warning.h"
#include "updraft/environment.h"
#include "updraft/instance.h"
#include "updraft/knowledge.h"
#include "updraft/linear_contexts.h"
#include "updraft/policy_spec.h"

namespace updraft {

struct SimulationOptions {
  std::uint32_t rounds = 1000;
  std::uint32_t runs = 10;
  std::uint64_t seed = 1;
  unsigned threads = 0;              ///< 0: as many as the machine has
  std::uint32_t curve_points = 100;  ///< at most; evenly spaced, the last is the last round
  /// The most that policies may know; if absent, everything that the instance knows but segments.
  std::optional<Needs> may_know = {};
  /// Policies know what is true of this instance, which must have as many actions and variables;
  /// if absent, what is true of the one that is played.
  std::shared_ptr<const Instance> knowledge_of = {};
  /// A decision log from which every policy learns before each run (updraft/warm_start.h); empty
  /// for none. Its actions have the instance's names. Absent payoffs are 0 if payoffs are 0 or 1.
  std::string warm_log = {};
  /// How many decisions policies make at once: payoffs come after the last of them
  /// (Policy::decide_batch). Plain policies only; not with check_assumptions, nor for write_log().
  std::uint32_t batch = 1;
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
/// policy gets exactly the knowledge that it needs, taken from the instance as far as
/// options.may_know allows; its own parameters override that. The result is the same, bit for bit,
/// for any number of threads. Code of the caller's, which is that of PolicySpec::own() and
/// OwnRounds, runs on the calling thread, after the rest and one run after the other.
SimulationResult simulate(std::shared_ptr<const Instance> instance,
                          const std::vector<PolicySpec>& policies,
                          const SimulationOptions& options);

/// The same on a contextual bandit, with contextual policies. They get the baseline and the
/// affected sets of every round as far as options.may_know allows. Throws InvalidInput if
/// options.knowledge_of or options.check_assumptions is given: they are for single actions.
SimulationResult simulate(const LinearContexts& contexts, const std::vector<PolicySpec>& policies,
                          const SimulationOptions& options);

/// A decision log of a simulation.
struct SimulatedLog {
  std::string path;        ///< as LogWriter (updraft/decision_log.h)
  bool long_form = false;  ///< a row per payoff in place of a row per decision
  /// With this probability, each decision is taken uniformly at random in place of the policy's, so
  /// that every action has a probability of at least explore / K in every round. In [0, 1].
  double explore = 0.0;
  /// With this probability, each decision takes the control action, which must be given then: a
  /// holdout (docs/stopping.md). In [0, 1 - explore].
  double holdout = 0.0;
  std::optional<ActionId> control = {};
};

/// Plays the first run of a policy on the instance once more, and writes its decisions with the
/// probability of every action, and all payoffs. Throws InvalidInput as simulate(), and
/// std::runtime_error if the file cannot be written; then there is no file.
void write_log(std::shared_ptr<const Instance> instance, const PolicySpec& policy,
               const SimulationOptions& options, const SimulatedLog& log);

/// Plain rounds of the caller's own.
struct OwnRounds {
  Knowledge knowledge;  ///< what policies may know; options.may_know does not limit observations
  /// A run: payoffs and what they are measured by. Measures::regret may be any sum.
  std::function<std::unique_ptr<Environment>(std::uint32_t run)> start;
};

/// The same on these. Throws InvalidInput as on a contextual bandit.
SimulationResult simulate(const OwnRounds& rounds, const std::vector<PolicySpec>& policies,
                          const SimulationOptions& options);

}  // namespace updraft
