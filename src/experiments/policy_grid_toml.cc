#include "experiments/policy_grid_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "experiments/toml_texts.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

const std::vector<std::string>& policy_keys() {
  static const std::vector<std::string> keys = {"spec", "label", "paper", "quick"};
  return keys;
}

/// The parameters that a policy's table may tune: those of its spec, else of any policy.
std::vector<std::string> tunable(const std::optional<PolicySpec>& spec) {
  std::vector<std::string> names;
  for (const PolicyInfo& info : policies()) {
    if (spec && info.name != spec->name()) continue;
    for (const ParameterInfo& parameter : info.parameters) {
      const std::string name(parameter.name);
      if (parameter.kind == ParameterInfo::Kind::kChoice) continue;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
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

}  // namespace

PolicyGrid read_policy_grid(const TomlTable& table) {
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

}  // namespace updraft
