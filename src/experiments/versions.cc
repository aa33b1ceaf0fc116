#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/suite.h"

namespace updraft {
namespace {

bool is_called(const PolicyGrid& grid, const std::string& name) {
  if (name == grid.label || name == grid.spec.text() || name == grid.spec.name()) return true;
  const auto& aliases = policy_info(grid.spec.name()).aliases;
  return std::find(aliases.begin(), aliases.end(), name) != aliases.end();
}

bool has_policy(const Experiment& experiment, const std::string& name) {
  return std::any_of(experiment.policies.begin(), experiment.policies.end(),
                     [&](const PolicyGrid& grid) { return is_called(grid, name); });
}

/// Throws InvalidInput for a name that none of the experiments has; `whole` is what they make up.
void check_names(const std::vector<Experiment>& experiments, const std::string& whole,
                 const std::vector<std::string>& names) {
  if (names.empty()) throw InvalidInput("policies", "give at least one");
  std::vector<std::string> valid;
  for (const Experiment& experiment : experiments) {
    for (const PolicyGrid& grid : experiment.policies) {
      for (const std::string& text : {grid.label, grid.spec.text(), grid.spec.name()}) {
        if (std::find(valid.begin(), valid.end(), text) == valid.end()) valid.push_back(text);
      }
    }
  }
  for (const std::string& name : names) {
    if (std::none_of(experiments.begin(), experiments.end(),
                     [&](const Experiment& one) { return has_policy(one, name); })) {
      throw unknown_name(fmt::format("policy of {}", whole), name, valid);
    }
  }
}

void keep_policies(Experiment& experiment, const std::vector<std::string>& names) {
  std::erase_if(experiment.policies, [&](const PolicyGrid& grid) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return is_called(grid, name); });
  });
}

}  // namespace

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
  check_names({experiment}, experiment.name, names);
  keep_policies(experiment, names);
  return experiment;
}

Suite with_policies(Suite suite, const std::vector<std::string>& names) {
  check_names(suite.experiments, suite.name, names);
  for (Experiment& experiment : suite.experiments) keep_policies(experiment, names);
  std::erase_if(suite.experiments, [](const Experiment& one) { return one.policies.empty(); });
  return suite;
}

}  // namespace updraft
