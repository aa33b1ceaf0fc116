#include "experiments/suite_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "experiments/present_name.h"
#include "experiments/toml_fields.h"
#include "experiments/toml_texts.h"
#include "updraft/error.h"
#include "updraft/suite.h"

namespace updraft {
namespace {

constexpr std::string_view kNested = "is a suite; a suite may contain only experiments";

/// Throws for keys of experiments, which people may expect to hold for all of a suite.
void check_keys(const TomlTable& document) {
  for (const char* key : {"instance", "rounds", "runs", "seed", "claims", "tell", "quick", "figure",
                          "policy", "limit"}) {
    const auto field = document.find(key);
    if (field) throw field->refusal("belongs in an experiment; a suite only names experiments");
  }
  document.check_keys({"name", "title", "experiments"});
}

Experiment read_experiment(const TomlField& field, const std::string& text,
                           const std::string& path) {
  if (is_suite_toml(text)) throw field.refusal(path, kNested);
  try {
    return parse_experiment(text, path);
  } catch (const InvalidInput& refused) {
    throw field.refusal(refused.what());
  }
}

/// A shipped name, else a path; a relative one is taken from the folder of `origin`.
Experiment find_experiment(const TomlField& field, const std::string& origin) {
  const std::string given = field.text();
  const std::string name = present_name(given);
  std::vector<std::string> shipped;
  for (const ShippedExperiment& one : shipped_experiments()) {
    if (one.name == name) {
      return read_experiment(field, std::string(one.toml), fmt::format("{}.toml", name));
    }
    shipped.emplace_back(one.name);
  }
  for (const ShippedExperiment& suite : shipped_suites()) {
    if (suite.name == given) throw field.refusal(given, kNested);
  }
  const std::filesystem::path path = std::filesystem::path(origin).parent_path() / given;
  std::error_code error;
  if (given.empty() || (!std::filesystem::exists(path, error) && !error)) {
    const InvalidInput unknown = unknown_name("experiment", given, shipped);
    throw field.refusal(unknown.value(), unknown.rule() + "; no file has that name either");
  }
  std::string text;
  try {
    text = read_input_file(path.string(), kExperimentFile, shipped);
  } catch (const InvalidInput& refused) {
    throw field.refusal(refused.value(), refused.rule());
  }
  return read_experiment(field, text, path.string());
}

void check_new(const std::vector<Experiment>& earlier, const Experiment& experiment,
               const TomlField& field) {
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    if (earlier[i].name != experiment.name) continue;
    throw field.refusal(field.text(),
                        fmt::format("has the name {}, like experiments[{}]; names must differ",
                                    experiment.name, i));
  }
}

}  // namespace

bool is_suite_toml(std::string_view toml) {
  try {
    return parse_toml_document(toml, "").contains("experiments");
  } catch (const InvalidInput&) {
    return false;
  }
}

Suite parse_suite(std::string_view text, const std::string& origin) {
  const toml::table parsed = parse_toml_document(text, origin);
  const TomlTable document(parsed, 1, "", origin);
  check_keys(document);
  Suite suite;
  suite.name = read_name(document.required("name"));
  suite.title = read_line(document.required("title"));
  const TomlField experiments = document.required("experiments");
  for (const TomlField& item : experiments.items("a list of experiments")) {
    Experiment experiment = find_experiment(item, origin);
    check_new(suite.experiments, experiment, item);
    suite.experiments.push_back(std::move(experiment));
  }
  if (suite.experiments.empty()) throw experiments.refusal("must have at least one");
  return suite;
}

}  // namespace updraft
