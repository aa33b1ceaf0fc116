#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include "experiments/campaign_setting_toml.h"
#include "experiments/contexts_toml.h"
#include "experiments/play.h"
#include "experiments/toml_fields.h"
#include "experiments/toml_texts.h"
#include "updraft/campaign_policy.h"
#include "updraft/context_policy.h"
#include "updraft/error.h"
#include "updraft/experiment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::uint64_t kMostRounds = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostRuns = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostSeed = std::numeric_limits<std::int64_t>::max();  // TOML's largest

/// Of a quick run, where the file does not say; less where the full run has less.
constexpr std::uint32_t kQuickRounds = 1000;
constexpr std::uint32_t kQuickRuns = 10;

constexpr int kClaims = 9;

const std::vector<std::string>& policy_keys() {
  static const std::vector<std::string> keys = {"spec", "label", "paper", "quick"};
  return keys;
}

std::vector<int> read_claims(const TomlField& field) {
  std::vector<int> claims;
  for (const TomlField& item : field.items("a list of whole numbers")) {
    const int claim = static_cast<int>(item.whole(1, kClaims));
    if (std::find(claims.begin(), claims.end(), claim) != claims.end()) {
      throw item.refusal(fmt::format("{}", claim), "is given twice");
    }
    claims.push_back(claim);
  }
  std::sort(claims.begin(), claims.end());
  return claims;
}

void read_quick(const TomlTable& document, Experiment& experiment) {
  experiment.quick_rounds = std::min(experiment.rounds, kQuickRounds);
  experiment.quick_runs = std::min(experiment.runs, kQuickRuns);
  const auto field = document.find("quick");
  if (!field) return;
  const TomlTable quick = field->table("a table, [quick]");
  quick.check_keys({"rounds", "runs"});
  if (const auto rounds = quick.find("rounds")) {
    experiment.quick_rounds = static_cast<std::uint32_t>(rounds->whole(1, kMostRounds));
  }
  if (const auto runs = quick.find("runs")) {
    experiment.quick_runs = static_cast<std::uint32_t>(runs->whole(1, kMostRuns));
  }
}

FigureStyle::Against read_against(const TomlField& field) {
  const std::string given = field.text();
  if (given == "rounds") return FigureStyle::Against::kRounds;
  if (given == "parameter") return FigureStyle::Against::kParameter;
  throw field.refusal(fmt::format("\"{}\"", given), "must be \"rounds\" or \"parameter\"");
}

FigureStyle read_figure(const TomlTable& document) {
  FigureStyle style;
  const auto field = document.find("figure");
  if (!field) return style;
  const TomlTable figure = field->table("a table, [figure]");
  figure.check_keys({"against", "log_rounds", "log_regret", "percentile", "bounds"});
  if (const auto against = figure.find("against")) style.against = read_against(*against);
  const auto read = [&](std::string_view key, bool& flag) {
    const auto given = figure.find(key);
    if (given) flag = given->flag();
    if (flag && style.against == FigureStyle::Against::kParameter) {
      throw given->refusal("true", "is for figures against rounds; against is \"parameter\"");
    }
  };
  read("log_rounds", style.log_rounds);
  read("log_regret", style.log_regret);
  read("percentile", style.percentile);
  read("bounds", style.bounds);
  return style;
}

/// A shipped name stays as it is; a relative path is taken from the folder of `origin`.
std::string resolve_instance(const TomlField& field, const std::string& origin) {
  const std::string given = field.text();
  std::vector<std::string> shipped;
  for (const ShippedInstance& instance : shipped_instances()) {
    if (instance.name == given) return given;
    shipped.emplace_back(instance.name);
  }
  const std::filesystem::path path = std::filesystem::path(origin).parent_path() / given;
  std::error_code error;
  if (given.empty() || (!std::filesystem::exists(path, error) && !error)) {
    const InvalidInput unknown = unknown_name("instance", given, shipped);
    throw field.refusal(unknown.value(), unknown.rule() + "; nor is there a file of that name");
  }
  return path.string();
}

std::shared_ptr<const Instance> read_instance(const TomlField& field, const std::string& resolved) {
  try {
    return load_instance(resolved);
  } catch (const InvalidInput& refused) {
    if (refused.field() == "instance") throw field.refusal(refused.value(), refused.rule());
    throw field.refusal(refused.what());
  }
}

// Policies.

/// The parameters that a policy's table may tune: those of its spec, else of any policy.
std::vector<std::string> tunable(const std::optional<PolicySpec>& spec) {
  std::vector<std::string> names;
  for (const auto& table : {policies(), campaign_policies(), context_policies()}) {
    for (const PolicyInfo& info : table) {
      if (spec && info.name != spec->name()) continue;
      for (const ParameterInfo& parameter : info.parameters) {
        const std::string name(parameter.name);
        if (parameter.kind == ParameterInfo::Kind::kChoice) continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  return names;
}

PolicySpec read_spec(const TomlField& field) {
  const std::string text = field.text();
  try {
    return PolicySpec::parse(text);
  } catch (const InvalidInput& refused) {
    throw field.refusal(refused.what());
  }
}

void refuse_words(const TomlTable& table, const PolicySpec& spec) {
  for (const ParameterInfo& parameter : policy_info(spec.name()).parameters) {
    if (parameter.kind != ParameterInfo::Kind::kChoice) continue;
    if (const auto field = table.find(parameter.name)) {
      throw field->refusal(fmt::format("belongs into spec, as in {}({}={})", spec.name(),
                                       parameter.name, parameter.choices.front()));
    }
  }
}

/// The one parameter that a policy's table gives values for.
std::optional<TomlTable::Member> tuned_member(const TomlTable& table) {
  std::optional<TomlTable::Member> tuned;
  for (const TomlTable::Member& member : table.members()) {
    const auto& fixed = policy_keys();
    if (std::find(fixed.begin(), fixed.end(), member.key) != fixed.end()) continue;
    if (tuned) {
      throw member.field.refusal(
          fmt::format("one parameter at most can be tuned, and {} is; what is fixed goes into spec",
                      tuned->key));
    }
    tuned = member;
  }
  return tuned;
}

std::vector<double> read_values(const TomlTable::Member& tuned, const PolicySpec& spec) {
  if (spec.number(tuned.key)) throw tuned.field.refusal("is given in spec already");
  std::vector<double> values;
  for (const TomlField& item :
       tuned.field.items("a list of values to try (a fixed value goes into spec)")) {
    const double value = item.number();
    try {
      spec.with(tuned.key, value);
    } catch (const InvalidInput& refused) {
      throw item.refusal(refused.value(), refused.rule());
    }
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      throw item.refusal(number_text(value), "is given twice");
    }
    values.push_back(value);
  }
  if (values.empty()) throw tuned.field.refusal("must have at least one value");
  std::sort(values.begin(), values.end());
  return values;
}

std::optional<double> read_choice(const TomlTable& table, std::string_view key,
                                  const std::vector<double>& values) {
  const auto field = table.find(key);
  if (!field) return std::nullopt;
  const double value = field->number();
  if (values.empty()) {
    throw field->refusal(number_text(value), "there is no parameter with values to take it from");
  }
  if (std::find(values.begin(), values.end(), value) == values.end()) {
    std::vector<std::string> texts;
    for (const double one : values) texts.push_back(number_text(one));
    throw field->refusal(number_text(value),
                         fmt::format("must be one of the values: {}", fmt::join(texts, ", ")));
  }
  return value;
}

PolicyGrid read_policy(const TomlTable& table) {
  const auto spec_field = table.find("spec");
  std::optional<PolicySpec> spec;
  if (spec_field) spec = read_spec(*spec_field);
  if (spec) refuse_words(table, *spec);
  std::vector<std::string> keys = policy_keys();
  for (std::string& name : tunable(spec)) keys.push_back(std::move(name));
  table.check_keys(keys);

  PolicyGrid grid;
  if (!spec) table.required("spec");
  grid.spec = *spec;
  const auto label = table.find("label");
  grid.label = label ? read_line(*label) : grid.spec.text();
  if (const auto tuned = tuned_member(table)) {
    grid.parameter = tuned->key;
    grid.values = read_values(*tuned, grid.spec);
  }
  grid.paper = read_choice(table, "paper", grid.values);
  grid.quick = read_choice(table, "quick", grid.values);
  return grid;
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
      make_campaign_policy(
          spec, {.features = 1, .treatments = campaign.treatments, .budget = campaign.budget});
    }
  } catch (const InvalidInput& refused) {
    throw table.refusal(refused.what());
  }
}

/// The same for policies of contexts.
void check_playable(const PolicyGrid& grid, const LinearContexts& contexts,
                    const TomlTable& table) {
  try {
    for (const PolicySpec& spec : specs_of(grid)) {
      make_context_policy(spec, {.features = contexts.features(), .actions = contexts.actions});
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
    PolicyGrid grid = read_policy(table);
    finish(grid, table);
    check_label(grids, grid.label, table);
    grids.push_back(std::move(grid));
  }
  if (grids.empty()) throw field->refusal("must have at least one, under [[policy]]");
  return grids;
}

void read_players(const TomlTable& document, Experiment& experiment) {
  if (experiment.campaign) {
    experiment.policies = read_policies(document, [&](PolicyGrid& grid, const TomlTable& table) {
      check_playable(grid, *experiment.campaign, table);
    });
    return;
  }
  if (experiment.contexts) {
    experiment.policies = read_policies(document, [&](PolicyGrid& grid, const TomlTable& table) {
      check_playable(grid, *experiment.contexts, table);
    });
    return;
  }
  const auto instance = read_instance(document.required("instance"), experiment.instance);
  const Knowledge knowledge = instance->knowledge(experiment.rounds);
  experiment.policies = read_policies(document, [&](PolicyGrid& grid, const TomlTable& table) {
    if (grid.spec.name() == "auto") resolve_auto(grid, knowledge, table);
    check_playable(grid, *instance, knowledge, table);
  });
}

/// A figure against the parameter needs values, and its logarithmic axis positive ones.
void check_figure(const TomlTable& document, const Experiment& experiment) {
  if (experiment.contexts && experiment.figure.bounds) {
    throw document.required("figure").table("a table").required("bounds").refusal(
        "true", "is for experiments on an instance; no bound is known for contexts");
  }
  if (experiment.campaign && (experiment.figure.percentile || experiment.figure.bounds)) {
    const TomlTable figure = document.required("figure").table("a table");
    throw figure.required(experiment.figure.percentile ? "percentile" : "bounds")
        .refusal("true",
                 "is for experiments on an instance; a campaign's figure has panels of "
                 "its own");
  }
  if (experiment.figure.against != FigureStyle::Against::kParameter) return;
  const TomlField against = document.required("figure").table("a table").required("against");
  bool tuned = false;
  for (std::size_t i = 0; i < experiment.policies.size(); ++i) {
    const PolicyGrid& grid = experiment.policies[i];
    tuned = tuned || !grid.values.empty();
    if (grid.values.empty() || grid.values.front() > 0.0) continue;
    throw against.refusal("\"parameter\"",
                          fmt::format("its axis is logarithmic, and policy[{}].{} has {}", i,
                                      grid.parameter, number_text(grid.values.front())));
  }
  if (!tuned) throw against.refusal("\"parameter\"", "needs a policy with a list of values");
}

/// An instance, a [campaign] or [contexts].
void read_stage(const TomlTable& document, const std::string& origin, Experiment& experiment) {
  const auto campaign = document.find("campaign");
  const auto contexts = document.find("contexts");
  if (campaign || contexts) {
    if (const auto instance = document.find("instance")) {
      throw instance->refusal(fmt::format("an experiment has an instance or a [{}], not both",
                                          campaign ? "campaign" : "contexts"));
    }
    if (campaign && contexts) {
      throw contexts->refusal("an experiment has a [campaign] or [contexts], not both");
    }
  }
  if (campaign) {
    experiment.campaign = read_campaign_setting(*campaign, origin);
  } else if (contexts) {
    experiment.contexts = read_contexts(*contexts);
  } else {
    experiment.instance = resolve_instance(document.required("instance"), origin);
  }
}

}  // namespace

Experiment parse_experiment(std::string_view text, const std::string& origin) {
  const toml::table parsed = parse_toml_document(text, origin);
  const TomlTable document(parsed, 1, "", origin);
  document.check_keys({"name", "title", "instance", "campaign", "contexts", "rounds", "runs",
                       "seed", "claims", "quick", "figure", "policy"});
  Experiment experiment;
  experiment.name = read_name(document.required("name"));
  experiment.title = read_line(document.required("title"));
  read_stage(document, origin, experiment);
  experiment.rounds = static_cast<std::uint32_t>(document.required("rounds").whole(1, kMostRounds));
  experiment.runs = static_cast<std::uint32_t>(document.required("runs").whole(1, kMostRuns));
  if (const auto seed = document.find("seed")) experiment.seed = seed->whole(0, kMostSeed);
  if (const auto claims = document.find("claims")) experiment.claims = read_claims(*claims);
  read_quick(document, experiment);
  experiment.figure = read_figure(document);
  read_players(document, experiment);
  check_figure(document, experiment);
  experiment.whole_rounds = experiment.rounds;
  experiment.whole_runs = experiment.runs;
  for (PolicyGrid& grid : experiment.policies) grid.whole_values = grid.values.size();
  return experiment;
}

}  // namespace updraft
