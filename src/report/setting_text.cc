#include "report/setting_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/numbers.h"
#include "updraft/error.h"

namespace updraft {
namespace {

std::string instance_text(const Experiment& experiment) {
  const auto instance = load_instance(experiment.instance);
  const std::string known = experiment.may_know ? fmt::format(" Policies may be told {}.",
                                                              needs_text(*experiment.may_know))
                                                : "";
  return fmt::format(
      "Instance {}: K = {} actions, m = {} variables, at most L = {} of them affected by an "
      "action.{}",
      instance->name(), grouped(static_cast<double>(instance->actions()), 0),
      grouped(static_cast<double>(instance->variables()), 0),
      grouped(static_cast<double>(instance->max_affected()), 0), known);
}

/// Who was treated, with which treatment, and how payoffs were drawn.
std::string targeting_text(const ExperimentResult& result) {
  const TargetingSetting& setting = *result.experiment.targeting;
  const PopulationSummary population = result.population.value_or(PopulationSummary());
  const auto count = [](std::size_t number) { return grouped(static_cast<double>(number), 0); };
  return fmt::format(
      "Targeting: {} individuals per round, of whom at most {} get {}. They are drawn, "
      "with "
      "replacement, from {} ({}); {} others are held out. {} features, {}. {}",
      count(setting.individuals), count(setting.budget),
      population.treatments == 1 ? "the treatment"
                                 : fmt::format("one of {} treatments", population.treatments),
      count(population.individuals - population.held_out), population.summary,
      count(population.held_out), count(population.features),
      setting.recorded ? "and individuals who get their recorded treatment pay their recorded "
                         "outcome; the models draw all other payoffs"
                       : "and the models draw all payoffs",
      "Regret is how much more predicted uplift one would have had by treating the individuals "
      "with the largest predicted uplifts, as far as these are above 0.");
}

/// How many of the tuned policies have fewer values than the experiment asks for.
std::size_t shortened_grids(const Experiment& experiment) {
  return static_cast<std::size_t>(
      std::count_if(experiment.policies.begin(), experiment.policies.end(),
                    [](const PolicyGrid& grid) { return grid.values.size() < grid.whole_values; }));
}

std::string contexts_text(const LinearContexts& contexts) {
  const auto count = [](std::size_t number) { return grouped(static_cast<double>(number), 0); };
  return fmt::format(
      "Contextual bandit with linear payoffs: K = {} actions, m = {} variables per round with d = "
      "{} "
      "features each; only the features of one of {} groups are not 0. An action changes the "
      "effect of one group of features, and so affects at most L = {} variables of a round. Noise "
      "is normal and independent, with sd {}. Regret is how much more expected payoff the best "
      "action of each round would have had.",
      count(contexts.actions), count(contexts.variables), count(contexts.features()),
      count(contexts.groups), count(contexts.max_affected), number_text(contexts.noise_sd));
}

std::string workload_text(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  if (experiment.targeting) return targeting_text(result);
  if (experiment.contexts) return contexts_text(*experiment.contexts);
  return instance_text(experiment);
}

std::string_view what_they_meet(const Experiment& experiment) {
  if (experiment.targeting) return "individuals and random numbers";
  return experiment.contexts ? "contexts and noise" : "noise";
}

}  // namespace

std::string short_run_text(const Experiment& experiment) {
  std::vector<std::string> parts;
  const auto add = [&](std::uint32_t played, std::uint32_t whole, std::string_view of) {
    if (played < whole) {
      parts.push_back(fmt::format("{} of {} {}", grouped(played, 0), grouped(whole, 0), of));
    }
  };
  add(experiment.rounds, experiment.whole_rounds, "rounds");
  add(experiment.runs, experiment.whole_runs, "runs");
  if (const std::size_t shortened = shortened_grids(experiment)) {
    const auto tuned =
        std::count_if(experiment.policies.begin(), experiment.policies.end(),
                      [](const PolicyGrid& grid) { return !grid.parameter.empty(); });
    parts.push_back(fmt::format("{} of {} parameters not tuned", shortened, tuned));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool can_settle_claims(const Experiment& experiment) {
  return experiment.rounds >= experiment.whole_rounds && shortened_grids(experiment) == 0;
}

std::string setting_text(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  const std::string shortened = short_run_text(experiment);
  return fmt::format(
      "{} {} of {} rounds each, seed {}; in each run, all policies meet the same {}. The parameter "
      "of "
      "a policy is the value with the least mean + one standard deviation of the regret after the "
      "last round.{}",
      workload_text(result), experiment.runs == 1 ? "1 run" : grouped(experiment.runs, 0) + " runs",
      grouped(experiment.rounds, 0), experiment.seed, what_they_meet(experiment),
      shortened.empty() ? "" : fmt::format(" This is a short run: {}.", shortened));
}

std::string tuning_note(const PolicyGrid& grid, const GridPoint& best) {
  if (grid.parameter.empty() || grid.values.empty()) return "nothing to tune";
  if (grid.values.size() == 1) return "not tuned: one value";
  const auto [least, most] = std::minmax_element(grid.values.begin(), grid.values.end());
  return best.value == *least || best.value == *most ? "at the edge of the grid" : "";
}

}  // namespace updraft
