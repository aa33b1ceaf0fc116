#include "updraft/simulate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/check_run.h"
#include "experiments/parallel.h"
#include "experiments/play.h"
#include "experiments/play_contexts.h"
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
    for (const Outcome& outcome : outcomes) regrets.push_back(outcome.curve[point]);
    if (point + 1 == rounds.size()) result.final_regrets = regrets;
    result.curve.push_back(summarize(std::move(regrets)));
  }
  result.final_regret = result.curve.back();
  result.pulls.assign(outcomes.front().pulls.size(), 0.0);
  for (std::size_t action = 0; action < result.pulls.size(); ++action) {
    for (const Outcome& outcome : outcomes) result.pulls[action] += outcome.pulls[action];
    result.pulls[action] /= static_cast<double>(outcomes.size());
  }
  for (const Outcome& outcome : outcomes) result.best_share += outcome.best;
  result.best_share /= static_cast<double>(outcomes.size()) * rounds.back();
  return result;
}

/// About a policy, or about what auto picks.
void add_warnings(const PolicySpec& spec, const Arena& arena, std::vector<std::string>& out) {
  const PolicySpec played = pick_policy(spec, arena.knowledge).spec;
  if (auto warning = noise_warning(played, *arena.instance)) out.push_back(*warning);
  if (auto warning = knowledge_warning(played, *arena.instance)) out.push_back(*warning);
}

/// Plays every policy in every run by play(spec, run, control).
template <typename Play>
SimulationResult play_all(const std::vector<PolicySpec>& policies, const SimulationOptions& options,
                          const std::vector<std::uint32_t>& curve_rounds, Play play_one) {
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
              outcomes[p][run] = play_one(policies[p], run, control);
            });

  SimulationResult result;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    result.policies.push_back(gather(policies[p], curve_rounds, outcomes[p]));
  }
  return result;
}

void check(const std::vector<PolicySpec>& policies, const SimulationOptions& options) {
  if (policies.empty()) throw InvalidInput("policies", "give at least one");
  if (options.runs < 1) throw InvalidInput("runs", "0", "must be at least 1");
}

Knowledge told_by(const Instance& other, const Arena& arena) {
  if (other.actions() != arena.instance->actions() ||
      other.variables() != arena.instance->variables()) {
    throw InvalidInput("told_by", other.name(),
                       "must have as many actions and variables as the instance");
  }
  return other.knowledge(arena.rounds);
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
  Arena arena = make_arena(std::move(instance), options.rounds, options.seed, options.curve_points);
  if (options.told_by) arena.knowledge = told_by(*options.told_by, arena);
  if (options.told) arena.knowledge = arena.knowledge.only(*options.told);
  for (const PolicySpec& spec : policies) check_playable(arena, spec);
  SimulationResult result =
      play_all(policies, options, arena.curve_rounds,
               [&](const PolicySpec& spec, std::uint32_t run, TaskControl& control) {
                 return play(arena, {&spec, 1}, run, control).front();
               });
  for (const PolicySpec& spec : policies) {
    add_warnings(spec, arena, result.warnings);
    if (!options.check_assumptions) continue;
    for (AssumptionWarning& warning : check_run(arena, spec, options.stop)) {
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
  ContextArena arena =
      make_context_arena(contexts, options.rounds, options.seed, options.curve_points);
  if (options.told) {
    arena.tell_baseline = options.told->contains(Need::kBaseline);
    arena.tell_affected = options.told->contains(Need::kAffected);
  }
  for (const PolicySpec& spec : policies) check_playable(arena, spec);
  SimulationResult result =
      play_all(policies, options, arena.curve_rounds,
               [&](const PolicySpec& spec, std::uint32_t run, TaskControl& control) {
                 return play_contexts(arena, spec, run, control);
               });
  for (const PolicySpec& spec : policies) {
    if (auto warning = noise_warning(spec, contexts)) result.warnings.push_back(*warning);
  }
  return result;
}

}  // namespace updraft
