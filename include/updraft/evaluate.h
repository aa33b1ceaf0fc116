#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/decision_log.h"
#include "updraft/interval.h"
#include "updraft/knowledge.h"
#include "updraft/policy_spec.h"

namespace updraft {

/// How the value of a policy is estimated from the decisions of another one. docs/evaluation.md has
/// the formulas.
enum class Estimator {
  kIps,       ///< inverse propensity weights
  kSnips,     ///< the same, self-normalised
  kDr,        ///< doubly robust: corrects the mean reward of each action
  kUpliftDr,  ///< doubly robust per variable: needs affected sets
  kReplay,    ///< policies that learn: rounds of the log in which both agree
};
inline constexpr std::size_t kEstimators = 5;

/// "ips", "snips", "dr", "uplift_dr", "replay".
std::string_view estimator_name(Estimator estimator);

/// The reward per round that a policy would have had, with a 95 % confidence interval.
struct ValueEstimate {
  double value = 0.0;
  double standard_error = 0.0;
  Interval interval = {};
  /// Over the policy of the log.
  double gain = 0.0;
  Interval gain_interval = {};
};

/// A policy that takes each action with a fixed probability.
struct FixedPolicy {
  std::string name;
  std::vector<double> probabilities;  ///< per action; they add up to 1
};

struct PolicyValue {
  std::string policy;
  std::string picked_because = {};  ///< as Pick::reason; empty if the policy was named
  /// Rounds in which the policy of the log could have taken every action of this policy; the others
  /// are left out. Of a replay, the rounds in which both agreed.
  std::uint64_t rounds = 0;
  /// Kish's effective sample size of the weights: as good as so many rounds of this policy.
  double effective_rounds = 0.0;
  std::array<std::optional<ValueEstimate>, kEstimators> estimates = {};  ///< by Estimator
  std::string refusal = {};  ///< why there are no estimates; empty if there are

  const std::optional<ValueEstimate>& operator[](Estimator estimator) const {
    return estimates[static_cast<std::size_t>(estimator)];
  }
};

struct Evaluation {
  std::uint64_t rounds = 0;
  ValueEstimate logged;               ///< the mean reward of the log, gain 0
  std::vector<PolicyValue> policies;  ///< `always NAME` for every action, then those asked for
};

struct EvaluationOptions {
  LogFormat format = {};
  /// Of the log's actions and variables. With affected sets there is an uplift-DR; learning
  /// policies get what they need. If absent, nothing is known.
  std::optional<Knowledge> knowledge = {};
  std::vector<FixedPolicy> fixed = {};
  std::vector<PolicySpec> learning = {};
  std::uint64_t seed = 1;  ///< of the draws of learning policies
};

/// What the log at `path` says about policies. Payoffs must depend on the action alone, not on time
/// or on earlier rounds. Reads the log a few times, in constant memory. Throws InvalidInput as
/// LogReader, and if the log has no probabilities, or knowledge or policies do not fit it.
Evaluation evaluate(const std::string& path, const EvaluationOptions& options);

/// Shows all rounds of a log, in order, each time it is called.
using LoggedRounds = std::function<void(const std::function<void(const LoggedRound&)>&)>;

/// Those of the log at `path`, which is read anew each time.
LoggedRounds rounds_of_log(std::string path, LogFormat format);

/// The same of rounds that are not in a file. options.format must name all actions and variables.
Evaluation evaluate(const LoggedRounds& rounds, const EvaluationOptions& options);

}  // namespace updraft
