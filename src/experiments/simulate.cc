#include "updraft/simulate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/check_assumptions.h"
#include "experiments/parallel.h"
#include "experiments/run_policies.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

PolicyResult gather(const PolicySpec& spec, const std::vector<std::uint32_t>& rounds,
                    std::span<const Outcome> outcomes) {
  PolicyResult result;
  result.spec = spec.text();
  result.curve_rounds = rounds;
  for (std::size_t point = 0; point < rounds.size(); ++point) {
    std::vector<double> regrets;
    for (const Outcome& outcome : outcomes) regrets.push_back(outcome.curve[point].regret);
    if (point + 1 == rounds.size()) result.final_regrets = regrets;
    result.curve.push_back(summarize(std::move(regrets)));
  }
  result.final_regret = result.curve.back();
  result.pulls.assign(outcomes.front().pulls.size(), 0.0);
  for (std::size_t action = 0; action < result.pulls.size(); ++action) {
    for (const Outcome& outcome : outcomes) result.pulls[action] += outcome.pulls[action];
    result.pulls[action] /= static_cast<double>(outcomes.size());
  }
  for (const Outcome& outcome : outcomes) result.best_share += outcome.curve.back().best;
  result.best_share /= static_cast<double>(outcomes.size()) * rounds.back();
  return result;
}

RunOptions run_options(const SimulationOptions& options) {
  return {.rounds = options.rounds,
          .seed = options.seed,
          .curve_points = options.curve_points,
          .may_know = options.may_know,
          .knowledge_of = options.knowledge_of,
          .warm_log = options.warm_log,
          .batch = options.batch};
}

/// About a policy, or about what auto picks.
void add_warnings(const PolicySpec& spec, const Workload& workload, const Instance& instance,
                  std::vector<std::string>& out) {
  const PolicySpec played = pick_policy(spec, workload.knowledge()).spec;
  if (auto warning = noise_warning(played, instance)) out.push_back(*warning);
  if (auto warning = knowledge_warning(played, instance)) out.push_back(*warning);
}

/// Runs every policy in every run.
SimulationResult simulate_on(const Workload& workload, const std::vector<PolicySpec>& policies,
                             const SimulationOptions& options) {
  for (const PolicySpec& spec : policies) workload.check(spec);
  std::vector<std::size_t> library;  // policies that run on threads
  std::vector<std::size_t> own;      // and those with code of the caller's
  for (std::size_t p = 0; p < policies.size(); ++p) {
    (workload.on_caller() || policies[p].maker() != nullptr ? own : library).push_back(p);
  }
  std::vector<std::vector<Outcome>> outcomes(policies.size(), std::vector<Outcome>(options.runs));
  const double rounds_of_policy = static_cast<double>(options.runs) * options.rounds;
  // Runs are the outer order, so that the slow policies are not all left to the end.
  const auto run_all = [&](const std::vector<std::size_t>& chosen, bool on_caller) {
    if (chosen.empty()) return;
    run_tasks({.count = chosen.size() * options.runs,
               .total_rounds = static_cast<double>(policies.size()) * rounds_of_policy,
               .rounds_done_before =
                   on_caller ? static_cast<double>(library.size()) * rounds_of_policy : 0.0,
               .threads = options.threads,
               .on_caller = on_caller,
               .progress = options.progress,
               .stop = options.stop},
              [&](std::size_t task, TaskControl& control) {
                const std::size_t p = chosen[task % chosen.size()];
                const auto run = static_cast<std::uint32_t>(task / chosen.size());
                outcomes[p][run] = run_policies(workload, {&policies[p], 1}, run, control).front();
              });
  };
  run_all(library, false);
  run_all(own, true);

  SimulationResult result;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    result.policies.push_back(gather(policies[p], workload.curve_rounds(), outcomes[p]));
  }
  return result;
}

void check(const std::vector<PolicySpec>& policies, const SimulationOptions& options) {
  if (policies.empty()) throw InvalidInput("policies", "give at least one");
  if (options.runs < 1) throw InvalidInput("runs", "0", "must be at least 1");
  if (options.batch > 1 && options.check_assumptions) {
    throw InvalidInput("batch", std::to_string(options.batch),
                       "cannot be combined with check_assumptions, which decides one by one");
  }
}

void check_without_instance(const SimulationOptions& options) {
  if (!options.knowledge_of && !options.check_assumptions && options.warm_log.empty()) return;
  throw InvalidInput(options.knowledge_of        ? "knowledge_of"
                     : options.check_assumptions ? "check_assumptions"
                                                 : "warm_log",
                     "is for instances of single actions");
}

}  // namespace

std::vector<std::uint32_t> spaced_rounds(std::uint32_t rounds, std::uint32_t points) {
  const std::uint64_t count = std::min(rounds, points);
  std::vector<std::uint32_t> result;
  for (std::uint64_t j = 1; j <= count; ++j) {
    result.push_back(static_cast<std::uint32_t>(j * rounds / count));
  }
  return result;
}

Summary summarize(std::vector<double> values) {
  if (values.empty()) throw InvalidInput("values", "must not be empty");
  const auto n = static_cast<double>(values.size());
  Summary summary;
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() > 1) {
    double squares = 0.0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.sd = std::sqrt(squares / (n - 1.0));
    summary.stderr_ = summary.sd / std::sqrt(n);
  }
  std::sort(values.begin(), values.end());
  const double place = 0.95 * (n - 1.0);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  summary.p95 = values[below] + (place - std::floor(place)) * (values[above] - values[below]);
  return summary;
}

SimulationResult simulate(std::shared_ptr<const Instance> instance,
                          const std::vector<PolicySpec>& policies,
                          const SimulationOptions& options) {
  check(policies, options);
  const std::unique_ptr<Workload> workload = make_workload(instance, run_options(options));
  SimulationResult result = simulate_on(*workload, policies, options);
  for (const PolicySpec& spec : policies) {
    if (spec.maker() != nullptr) continue;
    add_warnings(spec, *workload, *instance, result.warnings);
    if (!options.check_assumptions) continue;
    for (AssumptionWarning& warning : check_assumptions(*workload, instance, spec, options.stop)) {
      result.assumption_warnings.push_back({spec.text(), std::move(warning)});
    }
  }
  return result;
}

SimulationResult simulate(const LinearContexts& contexts, const std::vector<PolicySpec>& policies,
                          const SimulationOptions& options) {
  check(policies, options);
  check_without_instance(options);
  if (options.batch > 1) {
    throw InvalidInput("batch", std::to_string(options.batch),
                       "is for plain policies: contextual ones decide by the features of a round");
  }
  SimulationResult result =
      simulate_on(*make_workload(contexts, run_options(options)), policies, options);
  for (const PolicySpec& spec : policies) {
    if (auto warning = noise_warning(spec, contexts)) result.warnings.push_back(*warning);
  }
  return result;
}

SimulationResult simulate(const OwnRounds& rounds, const std::vector<PolicySpec>& policies,
                          const SimulationOptions& options) {
  check(policies, options);
  check_without_instance(options);
  return simulate_on(*make_workload(rounds, run_options(options)), policies, options);
}

}  // namespace updraft
