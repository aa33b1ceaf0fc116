#include "experiments/players_toml.h"

#include <fmt/format.h>

#include <functional>
#include <string>

#include "experiments/oracle.h"
#include "experiments/play.h"
#include "experiments/policy_grid_toml.h"
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
  if (!grid.parameter.empty()) {
    throw table.refusal(fmt::format(
        "auto picks the policy; to tune {}, name the policy that has it", grid.parameter));
  }
  const bool labelled = table.find("label").has_value();
  try {
    grid.spec = pick_policy(grid.spec, knowledge).spec;
  } catch (const InvalidInput& refused) {
    throw table.refusal(refused.what());
  }
  if (!labelled) grid.label = fmt::format("auto: {}", grid.spec.text());
}

std::vector<PolicySpec> specs_of(const PolicyGrid& grid) {
  std::vector<PolicySpec> specs;
  for (const double value : grid.values) specs.push_back(grid.spec.with(grid.parameter, value));
  if (specs.empty()) specs.push_back(grid.spec);
  return specs;
}

/// Throws where the instance cannot tell a policy what it needs, or a policy cannot be made.
void check_playable(const PolicyGrid& grid, const Instance& instance, Knowledge told,
                    const TomlTable& table) {
  const std::vector<PolicySpec> specs = specs_of(grid);
  if (needs_of(grid.spec).contains(Need::kObservations)) {  // a simulation draws them
    const std::size_t variables = told.variables();
    told.set_observations(
        {std::vector<double>(variables, 1.0), std::vector<double>(variables, 0.0)});
  }
  try {
    for (const PolicySpec& spec : specs) {
      check_effect_gap(instance, spec);
      knowledge_for(spec, told);
    }
    make_policy(specs.front(), told);
  } catch (const InvalidInput& refused) {
    throw table.refusal(refused.what());
  }
}

void check_label(const std::vector<PolicyGrid>& earlier, const std::string& label,
                 const TomlTable& table) {
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    if (earlier[i].label != label) continue;
    const std::string rule = fmt::format("is the label of policy[{}], too; labels must differ", i);
    if (const auto field = table.find("label")) throw field->refusal(label, rule);
    throw table.refusal(fmt::format("{} {}", label, rule));
  }
}

/// Throws where a policy is not for campaigns, or cannot be made. How many features there are is
/// known with the data only, and no policy minds.
void check_playable(const PolicyGrid& grid, const CampaignSetting& campaign,
                    const TomlTable& table) {
  try {
    for (const PolicySpec& spec : specs_of(grid)) {
      const TrueUplifts none;
      make_simulated_policy(
          spec,
          Knowledge(TargetingShape{
              .features = 1, .treatments = campaign.treatments, .budget = campaign.budget}),
          none);
    }
  } catch (const InvalidInput& refused) {
    throw table.refusal(refused.what());
  }
}

/// The same for contextual policies.
void check_playable(const PolicyGrid& grid, const LinearContexts& contexts,
                    const TomlTable& table) {
  try {
    for (const PolicySpec& spec : specs_of(grid)) {
      make_policy(spec, Knowledge(ContextualShape{.features = contexts.features(),
                                                  .actions = contexts.actions}));
    }
  } catch (const InvalidInput& refused) {
    throw table.refusal(refused.what());
  }
}

/// `finish` completes a policy and throws where it cannot be played.
std::vector<PolicyGrid> read_policies(
    const TomlTable& document, const std::function<void(PolicyGrid&, const TomlTable&)>& finish) {
  constexpr std::string_view kExpected = "a list of tables, each under [[policy]]";
  const auto field = document.find("policy");
  if (!field) throw document.refusal("has no policies; give at least one under [[policy]]");
  std::vector<PolicyGrid> grids;
  for (const TomlField& item : field->items(kExpected)) {
    const TomlTable table = item.table("a table, under [[policy]]");
    PolicyGrid grid = read_policy_grid(table);
    finish(grid, table);
    check_label(grids, grid.label, table);
    grids.push_back(std::move(grid));
  }
  if (grids.empty()) throw field->refusal("must have at least one, under [[policy]]");
  return grids;
}

}  // namespace

std::vector<PolicyGrid> read_players(const TomlTable& document, const Experiment& experiment) {
  if (experiment.campaign) {
    return read_policies(document, [&](PolicyGrid& grid, const TomlTable& table) {
      check_playable(grid, *experiment.campaign, table);
    });
  }
  if (experiment.contexts) {
    return read_policies(document, [&](PolicyGrid& grid, const TomlTable& table) {
      check_playable(grid, *experiment.contexts, table);
    });
  }
  const auto instance = read_instance(document.required("instance"), experiment.instance);
  const Knowledge knowledge = instance->knowledge(experiment.rounds);
  return read_policies(document, [&](PolicyGrid& grid, const TomlTable& table) {
    if (grid.spec.name() == "auto") resolve_auto(grid, knowledge, table);
    check_playable(grid, *instance, knowledge, table);
  });
}

}  // namespace updraft
