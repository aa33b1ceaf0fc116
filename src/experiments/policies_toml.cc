#include "experiments/policies_toml.h"

#include <fmt/format.h>

#include <string>

#include "experiments/oracle.h"
#include "experiments/policy_grid_toml.h"
#include "experiments/workload.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

std::shared_ptr<const Instance> read_instance(const TomlField& field, const std::string& resolved) {
  try {
    return load_instance(resolved);
  } catch (const InvalidInput& refused) {
    if (refused.field() == "instance") throw field.refusal(refused.value(), refused.rule());
    throw field.refusal(refused.what());
  }
}

/// Puts what auto picks in its place.
void resolve_auto(PolicyGrid& grid, const Knowledge& knowledge, const TomlTable& table) {
  PolicySpec picked = grid.spec;
  try {
    picked = pick_policy(grid.spec, knowledge).spec;
  } catch (const InvalidInput& refused) {
    throw table.refusal(refused.what());
  }
  if (picked == grid.spec) return;
  if (!grid.parameter.empty()) {
    throw table.refusal(fmt::format(
        "auto picks the policy; to tune {}, name the policy that has it", grid.parameter));
  }
  grid.spec = picked;
  if (!table.find("label")) grid.label = fmt::format("auto: {}", grid.spec.text());
}

std::vector<PolicySpec> specs_of(const PolicyGrid& grid) {
  std::vector<PolicySpec> specs;
  for (const double value : grid.values) specs.push_back(grid.spec.with(grid.parameter, value));
  if (specs.empty()) specs.push_back(grid.spec);
  return specs;
}

/// Throws if the instance does not know what a policy needs, or a policy cannot be made.
void check_policies(const PolicyGrid& grid, const Instance& instance, Knowledge knowledge) {
  const std::vector<PolicySpec> specs = specs_of(grid);
  if (needs_of(grid.spec).contains(Need::kObservations)) {  // a simulation draws them
    const std::size_t variables = knowledge.variables();
    knowledge.set_observations(
        {std::vector<double>(variables, 1.0), std::vector<double>(variables, 0.0)});
  }
  for (const PolicySpec& spec : specs) {
    check_effect_gap(instance, spec);
    knowledge_for(spec, knowledge);
  }
  make_policy(specs.front(), knowledge);
}

/// Throws if a policy is of another kind, or cannot be made.
void check_policies(const PolicyGrid& grid, const Knowledge& knowledge) {
  const TrueUplifts none;
  for (const PolicySpec& spec : specs_of(grid)) make_simulated_policy(spec, knowledge, none);
}

void check_label(const std::vector<PolicyGrid>& earlier, const std::string& label,
                 const TomlTable& table) {
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    if (earlier[i].label != label) continue;
    const std::string rule = fmt::format("is also the label of policy[{}]; labels must differ", i);
    if (const auto field = table.find("label")) throw field->refusal(label, rule);
    throw table.refusal(fmt::format("{} {}", label, rule));
  }
}

/// What policies know of a population or of contexts. The number of features of a population is
/// known only with the data, and no policy depends on it.
Knowledge knowledge_of(const Experiment& experiment) {
  if (experiment.contexts) {
    return Knowledge(ContextualShape{.features = experiment.contexts->features(),
                                     .actions = experiment.contexts->actions});
  }
  return Knowledge(TargetingShape{.features = 1,
                                  .treatments = experiment.targeting->treatments,
                                  .budget = experiment.targeting->budget});
}

}  // namespace

std::vector<PolicyGrid> read_policies(const TomlTable& document, const Experiment& experiment) {
  const bool of_instance = !experiment.targeting && !experiment.contexts;
  const auto instance =
      of_instance ? read_instance(document.required("instance"), experiment.instance) : nullptr;
  const Knowledge knowledge = of_instance
                                  ? instance->knowledge(experiment.rounds, experiment.may_know)
                                  : knowledge_of(experiment);
  constexpr std::string_view kExpected = "a list of tables, each under [[policy]]";
  const auto field = document.find("policy");
  if (!field) throw document.refusal("has no policies; give at least one under [[policy]]");
  std::vector<PolicyGrid> grids;
  for (const TomlField& item : field->items(kExpected)) {
    const TomlTable table = item.table("a table, under [[policy]]");
    PolicyGrid grid = read_policy_grid(table);
    if (of_instance) resolve_auto(grid, knowledge, table);
    try {
      if (of_instance) {
        check_policies(grid, *instance, knowledge);
      } else {
        check_policies(grid, knowledge);
      }
    } catch (const InvalidInput& refused) {
      throw table.refusal(refused.what());
    }
    check_label(grids, grid.label, table);
    grids.push_back(std::move(grid));
  }
  if (grids.empty()) throw field->refusal("must have at least one, under [[policy]]");
  return grids;
}

}  // namespace updraft
