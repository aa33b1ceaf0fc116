#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/input_file.h"
#include "experiments/present_name.h"
#include "experiments/suite_toml.h"
#include "updraft/error.h"
#include "updraft/suite.h"

namespace updraft {
namespace {

/// The text of an experiment or suite, and what messages call it.
struct Document {
  std::string toml;
  std::string origin;
};

Document find_document(const std::string& name_or_path) {
  const std::string name = present_name(name_or_path);
  std::vector<std::string> names;
  for (const auto& list : {shipped_experiments(), shipped_suites()}) {
    for (const ShippedExperiment& shipped : list) {
      if (shipped.name == name) {
        return {std::string(shipped.toml), fmt::format("{}.toml", shipped.name)};
      }
      names.emplace_back(shipped.name);
    }
  }
  return {read_input_file(name_or_path, kExperimentFile, names), name_or_path};
}

}  // namespace

Experiment load_experiment(const std::string& name_or_path) {
  const Document document = find_document(name_or_path);
  if (is_suite_toml(document.toml)) {
    throw InvalidInput("experiment", name_or_path, "is a suite, not a single experiment");
  }
  return parse_experiment(document.toml, document.origin);
}

std::variant<Experiment, Suite> load_experiment_or_suite(const std::string& name_or_path) {
  const Document document = find_document(name_or_path);
  if (is_suite_toml(document.toml)) return parse_suite(document.toml, document.origin);
  return parse_experiment(document.toml, document.origin);
}

}  // namespace updraft
