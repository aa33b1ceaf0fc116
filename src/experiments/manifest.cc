#include "experiments/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/files.h"
#include "experiments/present_name.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"
#include "updraft/version.h"

namespace updraft {

using Json = nlohmann::json;

// How the library of JSON reads and writes these, field by field.

static void to_json(Json& json, ResponseKind kind) { json = response_name(kind); }
static void from_json(const Json& json, ResponseKind& kind) {
  kind = response_kind("targeting.response", json.get<std::string>());
}

static void to_json(Json& json, FigureStyle::Against against) {
  json = against == FigureStyle::Against::kParameter ? "parameter" : "rounds";
}
static void from_json(const Json& json, FigureStyle::Against& against) {
  const auto name = json.get<std::string>();
  if (name != "parameter" && name != "rounds") {
    throw InvalidInput("figure.against", name, "must be rounds or parameter");
  }
  against = name == "parameter" ? FigureStyle::Against::kParameter : FigureStyle::Against::kRounds;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TargetingSetting, data, outcome, response, outcome_rate,
                                   treatments, constant, recorded, individuals, budget)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LinearContexts, actions, variables, groups, group_features,
                                   max_affected, noise_sd, seed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PopulationSummary, summary, individuals, held_out, features,
                                   treatments, generated)
// `against` is not in older manifests.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FigureStyle, against, log_rounds, log_regret,
                                                percentile, bounds)

namespace {

constexpr std::string_view kFormat = "updraft-results/1";
constexpr const char* kFile = "manifest.json";

Json to_json(const PolicyGrid& policy) {
  Json json = {{"label", policy.label}, {"spec", policy.spec.text()}};
  if (!policy.parameter.empty()) {
    json["parameter"] = policy.parameter;
    json["values"] = policy.values;
    json["whole_values"] = policy.whole_values;
  }
  if (policy.paper) json["paper"] = *policy.paper;
  if (policy.quick) json["quick"] = *policy.quick;
  return json;
}

PolicyGrid grid_from(const Json& json) {
  PolicyGrid policy{.label = json.at("label"),
                    .spec = PolicySpec::parse(json.at("spec").get<std::string>()),
                    .parameter = json.value("parameter", ""),
                    .values = json.value("values", std::vector<double>()),
                    .paper = {},
                    .quick = {},
                    .whole_values = json.value("whole_values", std::size_t{0})};
  if (json.contains("paper")) policy.paper = json["paper"].get<double>();
  if (json.contains("quick")) policy.quick = json["quick"].get<double>();
  return policy;
}

Json to_json(const RegretLimit& limit) {
  Json json = {{"policy", limit.policy}};
  if (!limit.of.empty()) json["of"] = limit.of;
  if (limit.times) json["times"] = *limit.times;
  if (limit.regret) json["regret"] = *limit.regret;
  if (limit.mean_of_median) json["mean_of_median"] = *limit.mean_of_median;
  if (limit.largest_of_median) json["largest_of_median"] = *limit.largest_of_median;
  return json;
}

RegretLimit limit_from(const Json& json) {
  const auto number = [&json](const char* key) {
    return json.contains(key) ? std::optional(json[key].get<double>()) : std::nullopt;
  };
  return {.policy = json.at("policy"),
          .of = json.value("of", ""),
          .times = number("times"),
          .regret = number("regret"),
          .mean_of_median = number("mean_of_median"),
          .largest_of_median = number("largest_of_median")};
}

/// The workload, under a key of its own kind.
Json workload_json(const Experiment& experiment) {
  if (experiment.targeting) return {{"targeting", *experiment.targeting}};
  if (experiment.contexts) return {{"contexts", *experiment.contexts}};
  return {{"instance", experiment.instance}};
}

Json to_json(const Experiment& experiment) {
  Json policies = Json::array();
  for (const PolicyGrid& policy : experiment.policies) policies.push_back(to_json(policy));
  Json json = {{"name", experiment.name}, {"title", experiment.title}};
  json.update(workload_json(experiment));
  json.update(Json{{"rounds", experiment.rounds},
                   {"runs", experiment.runs},
                   {"seed", experiment.seed},
                   {"whole_rounds", experiment.whole_rounds},
                   {"whole_runs", experiment.whole_runs},
                   {"quick_rounds", experiment.quick_rounds},
                   {"quick_runs", experiment.quick_runs},
                   {"policies", policies},
                   {"claims", experiment.claims},
                   {"figure", experiment.figure}});
  if (experiment.may_know) json["tell"] = need_names(*experiment.may_know);
  for (const RegretLimit& limit : experiment.limits) json["limits"].push_back(to_json(limit));
  return json;
}

Experiment experiment_from(const Json& json) {
  Experiment experiment{.name = present_name(json.at("name").get<std::string>()),
                        .title = json.at("title"),
                        .instance = json.value("instance", ""),
                        .rounds = json.at("rounds"),
                        .runs = json.at("runs"),
                        .seed = json.at("seed"),
                        .whole_rounds = json.value("whole_rounds", std::uint32_t{0}),
                        .whole_runs = json.value("whole_runs", std::uint32_t{0}),
                        .quick_rounds = json.at("quick_rounds"),
                        .quick_runs = json.at("quick_runs"),
                        .policies = {},
                        .claims = json.at("claims"),
                        .figure = json.at("figure")};
  for (const char* key : {"targeting", "campaign"}) {  // the latter in older manifests
    if (json.contains(key)) experiment.targeting = json[key].get<TargetingSetting>();
  }
  if (json.contains("contexts")) experiment.contexts = json["contexts"].get<LinearContexts>();
  for (const Json& policy : json.at("policies")) experiment.policies.push_back(grid_from(policy));
  if (json.contains("tell")) {
    auto names = json["tell"].get<std::vector<std::string>>();
    if (names.empty()) names.emplace_back("nothing");
    experiment.may_know = needs_named("tell", names);
  }
  if (json.contains("limits")) {
    for (const Json& limit : json["limits"]) experiment.limits.push_back(limit_from(limit));
  }
  return experiment;
}

/// The parts of an experiment that decide its numbers and their rows.
Json what_decides(const Experiment& experiment) {
  Json json = to_json(experiment);
  for (const char* key : {"title", "whole_rounds", "whole_runs", "quick_rounds", "quick_runs",
                          "claims", "limits", "figure"}) {
    json.erase(key);
  }
  for (Json& policy : json["policies"]) {
    policy.erase("whole_values");
    policy.erase("paper");
    policy.erase("quick");
  }
  return json;
}

std::string machine_text() {
  utsname system{};
  ::uname(&system);
  return fmt::format("{} {}, {} cores", system.sysname, system.machine,
                     std::thread::hardware_concurrency());
}

}  // namespace

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Manifest new_manifest(const ExperimentResult& result, const std::string& instance_checksum) {
  return {.experiment = result.experiment,
          .population = result.population,
          .instance_checksum = instance_checksum,
          .version = UPDRAFT_VERSION,
          .machine = machine_text(),
          .started = timestamp(),
          .finished = {}};
}

void write_manifest(const Manifest& manifest, const std::filesystem::path& folder) {
  Json json = {{"format", kFormat},
               {"version", manifest.version},
               {"experiment", to_json(manifest.experiment)},
               {"instance_checksum", manifest.instance_checksum},
               {"machine", manifest.machine},
               {"started", manifest.started},
               {"finished", nullptr},
               {"seconds", manifest.seconds}};
  if (manifest.finished) json["finished"] = *manifest.finished;
  if (manifest.population) json["population"] = *manifest.population;
  if (manifest.shard) {
    json["shard"] = {{"index", manifest.shard->index}, {"of", manifest.shard->of}};
  }
  replace_file(folder / kFile, json.dump(2) + "\n");
}

std::optional<Manifest> read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kFile;
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const Json json = Json::parse(read_file(path));
    if (json.at("format") != kFormat) {
      throw InvalidInput(path.string(), fmt::format("format must be {}", kFormat));
    }
    Manifest manifest{.experiment = experiment_from(json.at("experiment")),
                      .population = {},
                      .instance_checksum = json.at("instance_checksum"),
                      .version = json.at("version"),
                      .machine = json.at("machine"),
                      .started = json.at("started"),
                      .finished = {},
                      .seconds = json.at("seconds")};
    if (json.contains("population"))
      manifest.population = json["population"].get<PopulationSummary>();
    if (json.contains("shard")) {
      manifest.shard = Shard{.index = json["shard"].at("index"), .of = json["shard"].at("of")};
      check_shard(*manifest.shard);
    }
    if (!json.at("finished").is_null()) manifest.finished = json["finished"].get<std::string>();
    return manifest;
  } catch (const Json::exception& error) {
    throw InvalidInput(path.string(), fmt::format("is not a manifest: {}", error.what()));
  }
}

std::optional<ManifestDifference> first_difference(const Manifest& there, const Manifest& here) {
  if (there.version != here.version) {
    return ManifestDifference{"version", there.version, here.version};
  }
  const Json was = what_decides(there.experiment);
  const Json is = what_decides(here.experiment);
  for (const auto& [key, value] : is.items()) {
    const Json old = was.value(key, Json());
    if (old == value) continue;
    if (value.is_object() && old.is_object()) {
      for (const auto& [part, given] : value.items()) {
        const Json before = old.value(part, Json());
        if (before != given) {
          return ManifestDifference{key + "." + part, before.dump(), given.dump()};
        }
      }
    }
    const bool brief = value.is_primitive();
    return ManifestDifference{key, brief ? old.dump() : "different",
                              brief ? value.dump() : "not the same"};
  }
  if (there.population != here.population) {
    const auto text = [](const Manifest& one) {
      return one.population ? one.population->summary : std::string("none");
    };
    return ManifestDifference{"population", text(there), text(here)};
  }
  if (there.instance_checksum != here.instance_checksum) {
    return ManifestDifference{
        here.population ? "checksum of the individuals" : "checksum of the instance",
        there.instance_checksum, here.instance_checksum};
  }
  return std::nullopt;
}

}  // namespace updraft
