#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/json_document.h"
#include "core/json_fields.h"
#include "environments/change_checks.h"
#include "environments/changes_format.h"
#include "environments/instance_checks.h"
#include "updraft/error.h"
#include "updraft/instance.h"

namespace updraft {
namespace {

using nlohmann::json;
using Covariance = GaussianNoise::Covariance;

constexpr std::string_view kFormat = "updraft-instance/1";

/// The format nests five levels; a little more still gets a message about its key.
constexpr std::size_t kMostDepth = 16;

constexpr std::size_t kMostTailDegrees = 1'000'000;

/// A message lists the action names up to this many.
constexpr std::size_t kMostListed = 100;

// Reading.

void check_format(const json& document) {
  if (!document.is_object()) check_keys(document, "", {});
  const std::string format = text_field(required(document, "", "format"), "format");
  if (format != kFormat) {
    throw InvalidInput("format", fmt::format("\"{}\"", clipped(format)),
                       fmt::format("must be \"{}\"", kFormat));
  }
}

std::string optional_text(const json& document, const char* key) {
  return document.contains(key) ? text_field(document[key], key) : std::string();
}

std::vector<std::string> read_actions(const json& document) {
  std::vector<std::string> names;
  for (const json& name : required_list(document, "", "actions")) {
    names.push_back(text_field(name, fmt::format("actions[{}]", names.size())));
  }
  check_action_names(names);
  return names;
}

std::vector<VariableRun> read_variables(const json& document) {
  std::vector<VariableRun> runs;
  for (const json& run : required_list(document, "", "variables")) {
    const std::string path = fmt::format("variables[{}]", runs.size());
    check_keys(run, path, {"count", "baseline"});
    const std::size_t count =
        whole_field(required(run, path, "count"), path + ".count", 1, kMostVariables);
    runs.push_back({count, number_field(required(run, path, "baseline"), path + ".baseline")});
  }
  return runs;
}

VariableSet read_ranges(const json& list, const std::string& at) {
  std::vector<VariableRange> ranges;
  for (const json& range : list) {
    const auto place = [&] { return fmt::format("{}[{}]", at, ranges.size()); };
    if (!range.is_array() || range.size() != 2) {
      throw InvalidInput(place(), "must be a range [begin, end], the end not included");
    }
    const auto bound = [&](std::size_t side) {
      return static_cast<VariableId>(
          whole_field(range[side], fmt::format("{}[{}]", place(), side), 0, kMostVariables));
    };
    ranges.push_back({bound(0), bound(1)});
  }
  return VariableSet::from_ranges(ranges, at);
}

Effect read_effect(const json& effect, const std::string& path) {
  Effect result;
  result.variables = read_ranges(required_list(effect, path, "variables"), path + ".variables");
  if (effect.contains("mean") == effect.contains("means")) {
    throw InvalidInput(path, "must have either mean or means");
  }
  if (effect.contains("mean")) {
    result.means = {number_field(effect["mean"], path + ".mean")};
    return result;
  }
  result.means = numbers_field(effect["means"], path + ".means");
  if (result.means.size() != result.variables.size()) {
    throw InvalidInput(path + ".means",
                       fmt::format("has {} numbers; must have one for each of its {} variables",
                                   result.means.size(), result.variables.size()));
  }
  return result;
}

/// Fills in the effects per action and checks them under the names they have in the file.
void read_effects(const json& document, InstanceDefinition& definition) {
  const std::vector<std::string>& names = definition.action_names;
  std::unordered_map<std::string_view, std::size_t> action_of;
  for (std::size_t a = 0; a < names.size(); ++a) action_of.emplace(names[a], a);

  definition.effects.resize(names.size());
  std::vector<std::vector<std::size_t>> places(names.size());
  std::size_t place = 0;
  for (const json& effect : required_list(document, "", "effects")) {
    const std::string path = fmt::format("effects[{}]", place);
    check_keys(effect, path, {"action", "variables", "mean", "means"});
    const std::string name = text_field(required(effect, path, "action"), path + ".action");
    const auto action = action_of.find(name);
    if (action == action_of.end()) {
      if (names.size() <= kMostListed) throw unknown_name(path + ".action", clipped(name), names);
      throw InvalidInput(path + ".action", clipped(name), "must be one of the names in actions");
    }
    definition.effects[action->second].push_back(read_effect(effect, path));
    places[action->second].push_back(place++);
  }
  const std::size_t variables = check_variables(definition.variables, definition.noise);
  check_effects(definition, variables, [&](std::size_t action, std::size_t effect) {
    return fmt::format("effects[{}]", places[action][effect]);
  });
}

std::vector<VariableSet> read_segments(const json& document, std::size_t variables) {
  std::vector<VariableSet> segments;
  if (!document.contains("segments")) return segments;
  for (const json& ranges : required_list(document, "", "segments")) {
    const std::string path = fmt::format("segments[{}]", segments.size());
    if (!ranges.is_array()) throw InvalidInput(path, "must be a list of ranges [begin, end]");
    segments.push_back(read_ranges(ranges, path));
  }
  if (segments.empty()) throw InvalidInput("segments", "must have at least one segment");
  Partition::of_sets(segments, variables, "segments");
  return segments;
}

std::vector<double> read_matrix(const json& rows) {
  std::vector<double> matrix;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string path = fmt::format("noise.covariance[{}]", i);
    const std::vector<double> row = numbers_field(rows[i], path);
    if (row.size() != rows.size()) {
      throw InvalidInput(
          path, fmt::format("has {} numbers; must have {}, because there are {} rows", row.size(),
                            rows.size(), rows.size()));
    }
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  return matrix;
}

GaussianNoise read_gaussian(const json& noise) {
  GaussianNoise result;
  if (noise.contains("variance")) {
    result.variance = number_field(noise["variance"], "noise.variance");
  }
  if (noise.contains("tail_degrees")) {
    result.tail_degrees = static_cast<std::uint32_t>(
        whole_field(noise["tail_degrees"], "noise.tail_degrees", 3, kMostTailDegrees));
  }
  const json& covariance = required(noise, "noise", "covariance");
  if (covariance.is_array()) {
    result.covariance = Covariance::kMatrix;
    result.matrix = read_matrix(covariance);
  } else if (covariance.is_object()) {
    result.covariance = Covariance::kFactor;
    check_keys(covariance, "noise.covariance", {"factor"});
    result.factor =
        number_field(required(covariance, "noise.covariance", "factor"), "noise.covariance.factor");
  } else if (!covariance.is_string()) {
    throw InvalidInput("noise.covariance", "must be a name, {\"factor\": ...} or a matrix");
  } else if (covariance == "shared-by-affected") {
    result.covariance = Covariance::kSharedByAffected;
  } else if (covariance != "identity") {
    throw unknown_name("noise.covariance", clipped(covariance.get<std::string>()),
                       {"identity", "shared-by-affected"});
  }
  return result;
}

Noise read_noise(const json& document) {
  const json& noise = required(document, "", "noise");
  check_keys(noise, "noise", {"kind", "variance", "covariance", "tail_degrees"});
  const std::string kind = text_field(required(noise, "noise", "kind"), "noise.kind");
  if (kind == "gaussian") return read_gaussian(noise);
  if (kind != "bernoulli") {
    throw unknown_name("noise.kind", clipped(kind), {"bernoulli", "gaussian"});
  }
  check_keys(noise, "noise of kind bernoulli", {"kind"});
  return BernoulliNoise{};
}

// Writing.

std::string quoted(const std::string& text, std::string_view field) {
  try {
    return json(text).dump();
  } catch (const json::type_error&) {
    throw InvalidInput(field, "must be UTF-8 text");
  }
}

/// "[a, b]"
std::string list_text(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// The same with one item per line.
std::string lines_text(const std::vector<std::string>& items) {
  return items.empty() ? "[]" : fmt::format("[\n    {}\n  ]", fmt::join(items, ",\n    "));
}

std::string numbers_text(std::span<const double> numbers) {
  std::vector<std::string> items;
  for (const double number : numbers) items.push_back(number_text(number));
  return list_text(items);
}

std::string ranges_text(const VariableSet& set) {
  std::vector<std::string> ranges;
  for (const VariableRange range : set.ranges()) {
    ranges.push_back(fmt::format("[{}, {}]", range.begin, range.end));
  }
  return list_text(ranges);
}

std::string effect_text(const std::string& quoted_action, const Effect& effect) {
  const bool one = effect.means.size() == 1;
  return fmt::format(R"({{"action": {}, "variables": {}, "{}": {}}})", quoted_action,
                     ranges_text(effect.variables), one ? "mean" : "means",
                     one ? number_text(effect.means[0]) : numbers_text(effect.means));
}

std::string covariance_text(const GaussianNoise& noise, std::size_t variables) {
  switch (noise.covariance) {
    case Covariance::kIdentity:
      return R"("identity")";
    case Covariance::kFactor:
      return fmt::format(R"({{"factor": {}}})", number_text(noise.factor));
    case Covariance::kSharedByAffected:
      return R"("shared-by-affected")";
    case Covariance::kMatrix:
      break;
  }
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < variables; ++i) {
    rows.push_back(numbers_text(std::span(noise.matrix).subspan(i * variables, variables)));
  }
  return lines_text(rows);
}

std::string noise_text(const Noise& noise, std::size_t variables) {
  const auto* gaussian = std::get_if<GaussianNoise>(&noise);
  if (gaussian == nullptr) return R"({"kind": "bernoulli"})";
  const std::string tails = gaussian->tail_degrees > 0
                                ? fmt::format(R"(, "tail_degrees": {})", gaussian->tail_degrees)
                                : "";
  return fmt::format(R"({{"kind": "gaussian", "variance": {}, "covariance": {}{}}})",
                     number_text(gaussian->variance), covariance_text(*gaussian, variables), tails);
}

}  // namespace

InstanceDefinition parse_instance(std::string_view text) {
  const json document = parse_json_document(text, kMostDepth);
  check_format(document);
  check_keys(document, "",
             {"format", "name", "summary", "actions", "variables", "effects", "segments", "noise",
              "changes"});
  InstanceDefinition definition;
  definition.name = optional_text(document, "name");
  definition.summary = optional_text(document, "summary");
  definition.action_names = read_actions(document);
  definition.variables = read_variables(document);
  definition.noise = read_noise(document);
  read_effects(document, definition);
  definition.segments =
      read_segments(document, check_variables(definition.variables, definition.noise));
  if (document.contains("changes")) {
    definition.changes =
        read_changes(required_list(document, "", "changes"), definition.action_names, read_ranges);
    check_changes(definition, check_variables(definition.variables, definition.noise));
  }
  return definition;
}

std::string format_instance(const InstanceDefinition& definition) {
  check_action_names(definition.action_names);
  const std::size_t variables = check_variables(definition.variables, definition.noise);
  check_effects(definition, variables, [](std::size_t action, std::size_t effect) {
    return fmt::format("effects[{}][{}]", action, effect);
  });
  check_noise(definition.noise, variables);
  if (!definition.segments.empty()) {
    Partition::of_sets(definition.segments, variables, "segments");
  }
  check_changes(definition, variables);

  std::vector<std::string> actions;
  std::vector<std::string> effects;
  for (std::size_t a = 0; a < definition.action_names.size(); ++a) {
    actions.push_back(quoted(definition.action_names[a], fmt::format("actions[{}]", a)));
    for (const Effect& effect : definition.effects[a]) {
      effects.push_back(effect_text(actions.back(), effect));
    }
  }
  std::vector<std::string> runs;
  for (const VariableRun& run : definition.variables) {
    runs.push_back(
        fmt::format(R"({{"count": {}, "baseline": {}}})", run.count, number_text(run.baseline)));
  }

  std::string text = fmt::format("{{\n  \"format\": \"{}\",\n", kFormat);
  const auto member = [&](std::string_view key, const std::string& value) {
    text += fmt::format("  \"{}\": {},\n", key, value);
  };
  if (!definition.name.empty()) member("name", quoted(definition.name, "name"));
  if (!definition.summary.empty()) member("summary", quoted(definition.summary, "summary"));
  member("actions", list_text(actions));
  member("variables", lines_text(runs));
  member("effects", lines_text(effects));
  if (!definition.segments.empty()) {
    std::vector<std::string> segments;
    for (const VariableSet& set : definition.segments) segments.push_back(ranges_text(set));
    member("segments", lines_text(segments));
  }
  if (!definition.changes.empty()) {
    member("changes", lines_text(changes_text(definition.changes, actions, ranges_text)));
  }
  text += fmt::format("  \"noise\": {}\n}}\n", noise_text(definition.noise, variables));
  return text;
}

}  // namespace updraft
