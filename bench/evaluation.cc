// What estimates of `always A` from simulated logs are worth: bias, coverage of their 95 %
// intervals, and root mean squared error, over many logs of each policy of logs:
//   uniform     every action with the same probability
//   up_ts       its own draws, nothing added; it gives actions up
//   up_ts_20    the same, 20 % random
//   eps_greedy  the action with the largest estimated uplift (known baseline), 20 % random
// Actions that are refused in a log are left out of its shares and counted.
//
//   evaluation [INSTANCE [LOGS [ROUNDS [POLICY ...]]]]
//   evaluation learned INSTANCE LOGS ROUNDS [POLICY ...]
//     uplift_dr with the sets that up_ts_sparse, which is told nothing, identified in another log
//     of the same policy and size, beside uplift_dr with the true sets and dr.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "experiments/record_run.h"
#include "updraft/evaluate.h"
#include "updraft/instance.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

struct LogPolicy {
  std::string name;
  const char* spec;
  double explore;
};

const std::vector<LogPolicy> kLogPolicies = {{"uniform", "up_ts", 1.0},
                                             {"up_ts", "up_ts", 0.0},
                                             {"up_ts_20", "up_ts", 0.2},
                                             {"eps_greedy", "up_ucb_bl(alpha=1e-9)", 0.2}};

double holds(const Interval& interval, double x) {
  return interval.low <= x && x <= interval.high ? 1.0 : 0.0;
}

/// Of one estimator and action, over the logs.
struct Tally {
  double logs = 0.0;
  double error = 0.0;
  double squares = 0.0;
  double covered = 0.0;
  double gain_covered = 0.0;

  void add(const ValueEstimate& estimate, double truth) {
    const double off = estimate.value - truth;
    logs += 1.0;
    error += off;
    squares += off * off;
    covered += holds(estimate.interval, truth);
  }

  /// In standard deviations of one estimate; 0 if too few logs tell.
  double bias() const {
    if (logs < 30.0) return 0.0;
    const double mean = error / logs;
    return mean / std::sqrt(std::max(squares / logs - mean * mean, 1e-300));
  }
  /// In standard errors of its mean over the logs.
  double bias_in_errors() const { return bias() * std::sqrt(logs); }
};

/// With its atoms as variables: they suffice, and logs of criteo stay small.
EvaluationOptions options_for(const Instance& instance) {
  EvaluationOptions options;
  options.format.actions = instance.definition().action_names;
  const AffectedSets& sets = *instance.affected();
  const std::size_t atoms = sets.atoms()->groups();
  for (std::size_t g = 0; g < atoms; ++g) options.format.variables.push_back(std::to_string(g));
  std::vector<VariableSet> affected;
  for (ActionId a = 0; a < instance.actions(); ++a) {
    affected.push_back(VariableSet::from_ids(
        std::vector<VariableId>(sets.atoms_of(a).begin(), sets.atoms_of(a).end())));
  }
  options.knowledge.emplace(instance.actions(), atoms);
  options.knowledge->set_affected(std::move(affected));
  return options;
}

std::vector<LoggedRound> log_of(const Workload& workload, const Instance& instance,
                                const LogPolicy& policy, std::uint32_t run) {
  std::vector<LoggedRound> log;
  record_run(workload, PolicySpec::parse(policy.spec),
             {.run = run,
              .explore = policy.explore,
              .resolution = Resolution::groups(instance.affected()->atoms())},
             [&](const Decision& decision, std::span<const double> shares, const Payoffs& payoffs) {
               LoggedRound round;
               round.action = decision.action;
               round.probability = decision.probability;
               round.distribution.assign(shares.begin(), shares.end());
               round.values.assign(payoffs.values().begin(), payoffs.values().end());
               log.push_back(std::move(round));
             });
  return log;
}

void measure(const std::shared_ptr<const Instance>& instance, const LogPolicy& policy,
             std::uint32_t logs, std::uint32_t rounds) {
  const auto workload = make_workload(instance, {.rounds = rounds, .seed = 1});
  const EvaluationOptions options = options_for(*instance);
  const std::size_t actions = instance->actions();
  std::vector<std::array<Tally, 4>> tallies(actions);
  double refused = 0.0;
  for (std::uint32_t run = 0; run < logs; ++run) {
    const std::vector<LoggedRound> log = log_of(*workload, *instance, policy, run);
    double logged = 0.0;
    for (const LoggedRound& round : log) logged += instance->rewards()[round.action] / rounds;
    const Evaluation evaluation = evaluate(
        [&](const auto& visit) {
          for (const LoggedRound& round : log) visit(round);
        },
        options);
    for (std::size_t a = 0; a < actions; ++a) {
      const PolicyValue& value = evaluation.policies[a];
      if (!value.refusal.empty()) refused += 1.0;
      for (std::size_t e = 0; e < 4; ++e) {
        if (!value.estimates[e]) continue;
        Tally& tally = tallies[a][e];
        const double truth = instance->rewards()[a];
        tally.add(*value.estimates[e], truth);
        tally.gain_covered += holds(value.estimates[e]->gain_interval, truth - logged);
      }
    }
  }
  fmt::print("{}, logs of {}: {} logs of {} rounds, {:.1f} % of the actions refused\n",
             instance->name(), policy.name, logs, rounds,
             100.0 * refused / (static_cast<double>(actions) * logs));
  fmt::print("  {:<10} {:>10} {:>8} {:>9} {:>8} {:>16} {:>14}\n", "estimator", "worst bias",
             "in sd", "coverage", "of gain", "least..most", "RMSE");
  double rmse[4] = {};
  for (std::size_t e = 0; e < 4; ++e) {
    double all = 0.0, covered = 0.0, gain = 0.0, squares = 0.0, worst = 0.0, worst_sd = 0.0;
    double least = 1.0, most = 0.0;
    for (const auto& row : tallies) {
      const Tally& tally = row[e];
      if (tally.logs == 0.0) continue;
      all += tally.logs;
      covered += tally.covered;
      gain += tally.gain_covered;
      squares += tally.squares;
      if (std::abs(tally.bias_in_errors()) > std::abs(worst)) {
        worst = tally.bias_in_errors();
        worst_sd = tally.bias();
      }
      least = std::min(least, tally.covered / tally.logs);
      most = std::max(most, tally.covered / tally.logs);
    }
    rmse[e] = std::sqrt(squares / all);
    fmt::print("  {:<10} {:>7.1f} se {:>8.2f} {:>7.1f} % {:>6.1f} % {:>7.1f}..{:.1f} % {:>12.4g}\n",
               estimator_name(static_cast<Estimator>(e)), worst, worst_sd, 100.0 * covered / all,
               100.0 * gain / all, 100.0 * least, 100.0 * most, rmse[e]);
  }
  fmt::print("  RMSE of uplift_dr: {:.3f} of ips, {:.3f} of dr\n", rmse[3] / rmse[0],
             rmse[3] / rmse[2]);
}

/// What up_ts_sparse finds in a log, of whatever the true knowledge is about.
Knowledge learned_from(const std::vector<LoggedRound>& log, const Knowledge& truth) {
  Knowledge learned(truth.actions(), truth.variables());
  const auto policy = make_policy("up_ts_sparse", learned);
  for (const LoggedRound& round : log) {
    policy->take(round.action);
    policy->observe(round.action, Payoffs::dense(round.values));
  }
  const Explanation explanation = policy->explain();
  std::vector<VariableSet> sets;
  for (const ActionExplanation& action : explanation.actions) {
    sets.push_back(action.identified.value());
  }
  learned.set_affected(std::move(sets));
  return learned;
}

void measure_learned(const std::shared_ptr<const Instance>& instance, const LogPolicy& policy,
                     std::uint32_t logs, std::uint32_t rounds) {
  const auto workload = make_workload(instance, {.rounds = rounds, .seed = 1});
  const EvaluationOptions known = options_for(*instance);
  const char* names[3] = {"learned", "known", "dr"};
  Tally tallies[3];
  for (std::uint32_t run = 0; run < logs; ++run) {
    EvaluationOptions learned = known;
    learned.knowledge =
        learned_from(log_of(*workload, *instance, policy, logs + run), *known.knowledge);
    const std::vector<LoggedRound> log = log_of(*workload, *instance, policy, run);
    const LoggedRounds shown = [&](const auto& visit) {
      for (const LoggedRound& round : log) visit(round);
    };
    const Evaluation with[2] = {evaluate(shown, learned), evaluate(shown, known)};
    for (std::size_t a = 0; a < instance->actions(); ++a) {
      if (!with[1].policies[a].refusal.empty()) continue;
      const ValueEstimate found[3] = {*with[0].policies[a][Estimator::kUpliftDr],
                                      *with[1].policies[a][Estimator::kUpliftDr],
                                      *with[1].policies[a][Estimator::kDr]};
      for (std::size_t e = 0; e < 3; ++e) tallies[e].add(found[e], instance->rewards()[a]);
    }
  }
  fmt::print("{}, logs of {}: {} logs of {} rounds, all actions together\n", instance->name(),
             policy.name, logs, rounds);
  for (std::size_t e = 0; e < 3; ++e) {
    fmt::print("  {:<8} coverage {:>5.1f} %, RMSE {:>8.4g}\n", names[e],
               100.0 * tallies[e].covered / tallies[e].logs,
               std::sqrt(tallies[e].squares / tallies[e].logs));
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace updraft

int main(int count, char** arguments) {
  const bool learned = count > 1 && std::string(arguments[1]) == "learned";
  if (learned) {
    --count;
    ++arguments;
  }
  const std::string name = count > 1 ? arguments[1] : "gaussian";
  const int logs = count > 2 ? std::atoi(arguments[2]) : 1000;
  const int rounds = count > 3 ? std::atoi(arguments[3]) : 1000;
  const std::vector<std::string> asked(arguments + std::min(count, 4), arguments + count);
  if (logs < 1 || rounds < 2) {
    fmt::print(stderr, "evaluation: LOGS must be at least 1, ROUNDS at least 2\n");
    return 2;
  }
  try {
    const auto instance = updraft::load_instance(name);
    for (const updraft::LogPolicy& policy : updraft::kLogPolicies) {
      if (!asked.empty() && std::find(asked.begin(), asked.end(), policy.name) == asked.end()) {
        continue;
      }
      (learned ? updraft::measure_learned : updraft::measure)(
          instance, policy, static_cast<std::uint32_t>(logs), static_cast<std::uint32_t>(rounds));
    }
  } catch (const std::exception& refused) {
    fmt::print(stderr, "evaluation: {}\n", refused.what());
    return 2;
  }
}
