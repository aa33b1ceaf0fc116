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

std::vector<Experiment> experiments_of(const SuiteResult& suite) {
  std::vector<Experiment> experiments;
  for (const ExperimentResult& part : suite.parts) experiments.push_back(part.experiment);
  return experiments;
}

/// Of an experiment that was run on a published data set.
std::string data_option(const ExperimentResult& result) {
  const bool published = result.population && !result.population->generated &&
                         is_table_preset(result.experiment.targeting->data);
  return published ? " --data PATH" : "";
}

}  // namespace

std::string repeat_command(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  std::string command = "updraft run FILE";
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    if (shipped.name != experiment.name) continue;
    command = fmt::format("updraft run {}", experiment.name);
    if (load_experiment(experiment.name).policies.size() == experiment.policies.size()) break;
    command += " --policies";
    for (const PolicyGrid& grid : experiment.policies) command += fmt::format(" '{}'", grid.label);
  }
  return fmt::format("{}{} --rounds {} --runs {} --seed {}{}", command,
                     is_quick(experiment) ? " --quick" : "", experiment.rounds, experiment.runs,
                     experiment.seed, data_option(result));
}

std::string repeat_commands(const SuiteResult& suite) {
  const std::vector<Experiment> played = experiments_of(suite);
  std::string data;
  for (const ExperimentResult& part : suite.parts) data = std::max(data, data_option(part));
  for (const ShippedExperiment& shipped : shipped_suites()) {
    if (shipped.name != suite.name) continue;
    std::vector<Experiment> whole = parse_suite(shipped.toml, suite.name).experiments;
    if (played == whole) return fmt::format("updraft run {}{}\n", suite.name, data);
    for (Experiment& experiment : whole) experiment = quick_version(std::move(experiment));
    if (played == whole) return fmt::format("updraft run {} --quick{}\n", suite.name, data);
  }
  std::string commands;
  for (const ExperimentResult& part : suite.parts) commands += repeat_command(part) + "\n";
  return commands;
}

}  // namespace updraft
