#include "experiments/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/files.h"
#include "updraft/error.h"
#include "updraft/version.h"

namespace updraft {
namespace {

using Json = nlohmann::ordered_json;

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

/// Manifests that do not say it are older than the choice: rounds.
constexpr const char* kRounds = "rounds";
constexpr const char* kParameter = "parameter";

const char* against_name(FigureStyle::Against against) {
  return against == FigureStyle::Against::kParameter ? kParameter : kRounds;
}

FigureStyle::Against against_from(const std::string& name) {
  if (name == kParameter) return FigureStyle::Against::kParameter;
  if (name == kRounds) return FigureStyle::Against::kRounds;
  throw InvalidInput("figure.against", name, "must be rounds or parameter");
}

Json to_json(const TargetingSetting& setting) {
  return {{"data", setting.data},
          {"outcome", setting.outcome},
          {"response", response_name(setting.response)},
          {"outcome_rate", setting.outcome_rate},
          {"treatments", setting.treatments},
          {"constant", setting.constant},
          {"recorded", setting.recorded},
          {"individuals", setting.individuals},
          {"budget", setting.budget}};
}

TargetingSetting targeting_from(const Json& json) {
  return {.data = json.at("data"),
          .outcome = json.at("outcome"),
          .response = response_kind("campaign.response", json.at("response").get<std::string>()),
          .outcome_rate = json.at("outcome_rate"),
          .treatments = json.at("treatments"),
          .constant = json.at("constant"),
          .recorded = json.at("recorded"),
          .individuals = json.at("individuals"),
          .budget = json.at("budget")};
}

Json to_json(const LinearContexts& contexts) {
  return {{"actions", contexts.actions},
          {"variables", contexts.variables},
          {"groups", contexts.groups},
          {"group_features", contexts.group_features},
          {"max_affected", contexts.max_affected},
          {"noise_sd", contexts.noise_sd},
          {"seed", contexts.seed}};
}

LinearContexts contexts_from(const Json& json) {
  return {.actions = json.at("actions"),
          .variables = json.at("variables"),
          .groups = json.at("groups"),
          .group_features = json.at("group_features"),
          .max_affected = json.at("max_affected"),
          .noise_sd = json.at("noise_sd"),
          .seed = json.at("seed")};
}

Json to_json(const PopulationSummary& population) {
  return {{"summary", population.summary},       {"individuals", population.individuals},
          {"held_out", population.held_out},     {"features", population.features},
          {"treatments", population.treatments}, {"generated", population.generated}};
}

PopulationSummary population_from(const Json& json) {
  return {.summary = json.at("summary"),
          .individuals = json.at("individuals"),
          .held_out = json.at("held_out"),
          .features = json.at("features"),
          .treatments = json.at("treatments"),
          .generated = json.at("generated")};
}

/// The workload, under a key of its own kind.
Json workload_json(const Experiment& experiment) {
  if (experiment.targeting) return {{"campaign", to_json(*experiment.targeting)}};
  if (experiment.contexts) return {{"contexts", to_json(*experiment.contexts)}};
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
                   {"figure",
                    {{"against", against_name(experiment.figure.against)},
                     {"log_rounds", experiment.figure.log_rounds},
                     {"log_regret", experiment.figure.log_regret},
                     {"percentile", experiment.figure.percentile},
                     {"bounds", experiment.figure.bounds}}}});
  return json;
}

Experiment experiment_from(const Json& json) {
  Experiment experiment{.name = json.at("name"),
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
                        .figure = {}};
  if (json.contains("campaign")) experiment.targeting = targeting_from(json["campaign"]);
  if (json.contains("contexts")) experiment.contexts = contexts_from(json["contexts"]);
  for (const Json& policy : json.at("policies")) experiment.policies.push_back(grid_from(policy));
  const Json& figure = json.at("figure");
  experiment.figure = {.log_rounds = figure.at("log_rounds"),
                       .log_regret = figure.at("log_regret"),
                       .percentile = figure.at("percentile"),
                       .bounds = figure.at("bounds"),
                       .against = against_from(figure.value("against", kRounds))};
  return experiment;
}

/// The parts of an experiment that decide its numbers and their rows.
Json what_decides(const Experiment& experiment) {
  Json json = to_json(experiment);
  for (const char* key :
       {"title", "whole_rounds", "whole_runs", "quick_rounds", "quick_runs", "claims", "figure"}) {
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
  if (manifest.population) json["population"] = to_json(*manifest.population);
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
    if (json.contains("population")) manifest.population = population_from(json["population"]);
    if (!json.at("finished").is_null()) manifest.finished = json["finished"].get<std::string>();
    return manifest;
  } catch (const Json::exception& error) {
    throw InvalidInput(path.string(), fmt::format("is not a manifest: {}", error.what()));
  }
}

void check_same(const Manifest& there, const Manifest& here, const std::filesystem::path& folder) {
  const auto refuse = [&](std::string_view what, const std::string& was, const std::string& is) {
    throw InvalidInput(
        folder.string(),
        fmt::format("contains results of another run: {} is {} there and {} here; give "
                    "another folder with --out, or remove this one",
                    what, was, is));
  };
  if (there.version != here.version) refuse("version", there.version, here.version);
  const Json was = what_decides(there.experiment);
  const Json is = what_decides(here.experiment);
  for (const auto& [key, value] : is.items()) {
    const Json old = was.value(key, Json());
    if (old == value) continue;
    if (value.is_object() && old.is_object()) {
      for (const auto& [part, given] : value.items()) {
        if (old.value(part, Json()) == given) continue;
        refuse(key + "." + part, old.value(part, Json()).dump(), given.dump());
      }
    }
    const bool brief = value.is_primitive();
    refuse(key, brief ? old.dump() : "different", brief ? value.dump() : "not the same");
  }
  if (there.population != here.population) {
    const auto text = [](const Manifest& one) {
      return one.population ? one.population->summary : std::string("none");
    };
    refuse("population", text(there), text(here));
  }
  if (there.instance_checksum != here.instance_checksum) {
    refuse(here.population ? "checksum of the individuals" : "checksum of the instance",
           there.instance_checksum, here.instance_checksum);
  }
}

}  // namespace updraft
