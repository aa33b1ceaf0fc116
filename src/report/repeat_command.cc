#include "report/repeat_command.h"

#include <fmt/format.h>

#include <algorithm>

namespace updraft {
namespace {

/// Whether the grids are those of a quick version, which takes one value wherever the experiment
/// says which. Rounds and runs are said in any case.
bool is_quick(const Experiment& experiment) {
  const auto has_choice = [](const PolicyGrid& grid) { return grid.quick || grid.paper; };
  return std::any_of(experiment.policies.begin(), experiment.policies.end(), has_choice) &&
         std::all_of(
             experiment.policies.begin(), experiment.policies.end(),
             [&](const PolicyGrid& grid) { return !has_choice(grid) || grid.values.size() == 1; });
}

}  // namespace

std::string repeat_command(const Experiment& experiment) {
  std::string command = "updraft run FILE";
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    if (shipped.name != experiment.name) continue;
    command = fmt::format("updraft run {}", experiment.name);
    if (load_experiment(experiment.name).policies.size() == experiment.policies.size()) break;
    command += " --policies";
    for (const PolicyGrid& grid : experiment.policies) command += fmt::format(" '{}'", grid.label);
  }
  return fmt::format("{}{} --rounds {} --runs {} --seed {}", command,
                     is_quick(experiment) ? " --quick" : "", experiment.rounds, experiment.runs,
                     experiment.seed);
}

}  // namespace updraft
