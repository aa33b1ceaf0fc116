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
          .told = options.told,
          .told_by = options.told_by};
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
  // Runs are the outer order, so that the slow policies are not all left to the end.
  std::vector<std::vector<Outcome>> outcomes(policies.size(), std::vector<Outcome>(options.runs));
  const std::size_t count = policies.size() * options.runs;
  run_tasks({.count = count,
             .total_rounds = static_cast<double>(count) * options.rounds,
             .threads = options.threads,
             .progress = options.progress,
             .stop = options.stop},
            [&](std::size_t task, TaskControl& control) {
              const std::size_t p = task % policies.size();
              const auto run = static_cast<std::uint32_t>(task / policies.size());
              outcomes[p][run] = run_policies(workload, {&policies[p], 1}, run, control).front();
            });

  SimulationResult result;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    result.policies.push_back(gather(policies[p], workload.curve_rounds(), outcomes[p]));
  }
  return result;
}

void check(const std::vector<PolicySpec>& policies, const SimulationOptions& options) {
  if (policies.empty()) throw InvalidInput("policies", "give at least one");
  if (options.runs < 1) throw InvalidInput("runs", "0", "must be at least 1");
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
  if (options.told_by || options.check_assumptions) {
    throw InvalidInput(options.told_by ? "told_by" : "check_assumptions",
                       "is for instances of single actions");
  }
  SimulationResult result =
      simulate_on(*make_workload(contexts, run_options(options)), policies, options);
  for (const PolicySpec& spec : policies) {
    if (auto warning = noise_warning(spec, contexts)) result.warnings.push_back(*warning);
  }
  return result;
}

}  // namespace updraft
