#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/input_file.h"
#include "updraft/error.h"
#include "updraft/experiment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr InputKind kExperimentFile = {
    .field = "experiment",
    .file = "a TOML file",
    .most_bytes = std::size_t{1} << 20,
    .too_large = "",  // parse_experiment refuses what is far shorter
};

bool is_called(const PolicyGrid& grid, const std::string& name) {
  if (name == grid.label || name == grid.spec.text() || name == grid.spec.name()) return true;
  const auto& aliases = policy_info(grid.spec.name()).aliases;
  return std::find(aliases.begin(), aliases.end(), name) != aliases.end();
}

}  // namespace

Experiment load_experiment(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    if (shipped.name == name_or_path) {
      return parse_experiment(shipped.toml, fmt::format("{}.toml", shipped.name));
    }
    names.emplace_back(shipped.name);
  }
  return parse_experiment(read_input_file(name_or_path, kExperimentFile, names), name_or_path);
}

Experiment quick_version(Experiment experiment) {
  experiment.rounds = experiment.quick_rounds;
  experiment.runs = experiment.quick_runs;
  for (PolicyGrid& grid : experiment.policies) {
    const std::optional<double> taken = grid.quick ? grid.quick : grid.paper;
    if (!taken) continue;
    grid.values = {*taken};
    if (grid.paper != taken) grid.paper.reset();
  }
  return experiment;
}

Experiment with_policies(Experiment experiment, const std::vector<std::string>& names) {
  if (names.empty()) throw InvalidInput("policies", "give at least one");
  for (const std::string& name : names) {
    const auto called = [&](const PolicyGrid& grid) { return is_called(grid, name); };
    if (std::any_of(experiment.policies.begin(), experiment.policies.end(), called)) continue;
    std::vector<std::string> valid;
    for (const PolicyGrid& grid : experiment.policies) {
      for (const std::string& text : {grid.label, grid.spec.text(), grid.spec.name()}) {
        if (std::find(valid.begin(), valid.end(), text) == valid.end()) valid.push_back(text);
      }
    }
    throw unknown_name(fmt::format("policy of {}", experiment.name), name, valid);
  }
  std::erase_if(experiment.policies, [&](const PolicyGrid& grid) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return is_called(grid, name); });
  });
  return experiment;
}

}  // namespace updraft
