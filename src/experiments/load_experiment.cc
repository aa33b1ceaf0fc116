#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "updraft/error.h"
#include "updraft/experiment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// Read at most; parse_experiment refuses what is far shorter.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

InvalidInput no_such_experiment(const std::string& name) {
  std::vector<std::string> shipped;
  for (const ShippedExperiment& one : shipped_experiments()) shipped.emplace_back(one.name);
  const InvalidInput unknown = unknown_name("experiment", name, shipped);
  return InvalidInput(unknown.field(), unknown.value(),
                      unknown.rule() + "; nor is there a file of that name");
}

std::string read_toml_file(const std::string& path) {
  const auto refuse = [&](std::string_view rule) { return InvalidInput("experiment", path, rule); };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw refuse("is a directory; must be a shipped experiment or a TOML file");
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) {
    throw refuse("cannot be read: " + std::generic_category().message(errno));
  }
  std::string text(kMostBytes, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) throw refuse("cannot be read to its end");
  return text;
}

bool is_called(const PolicyGrid& grid, const std::string& name) {
  if (name == grid.label || name == grid.spec.text() || name == grid.spec.name()) return true;
  const auto& aliases = policy_info(grid.spec.name()).aliases;
  return std::find(aliases.begin(), aliases.end(), name) != aliases.end();
}

}  // namespace

Experiment load_experiment(const std::string& name_or_path) {
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    if (shipped.name == name_or_path) {
      return parse_experiment(shipped.toml, fmt::format("{}.toml", shipped.name));
    }
  }
  std::error_code error;
  if (!std::filesystem::exists(name_or_path, error)) {
    if (error == std::errc::permission_denied) {
      throw InvalidInput("experiment", name_or_path, "cannot be read: " + error.message());
    }
    throw no_such_experiment(name_or_path);
  }
  return parse_experiment(read_toml_file(name_or_path), name_or_path);
}

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
  if (names.empty()) throw InvalidInput("policies", "give at least one");
  for (const std::string& name : names) {
    const auto called = [&](const PolicyGrid& grid) { return is_called(grid, name); };
    if (std::any_of(experiment.policies.begin(), experiment.policies.end(), called)) continue;
    std::vector<std::string> valid;
    for (const PolicyGrid& grid : experiment.policies) {
      for (const std::string& text : {grid.label, grid.spec.text(), grid.spec.name()}) {
        if (std::find(valid.begin(), valid.end(), text) == valid.end()) valid.push_back(text);
      }
    }
    throw unknown_name(fmt::format("policy of {}", experiment.name), name, valid);
  }
  std::erase_if(experiment.policies, [&](const PolicyGrid& grid) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return is_called(grid, name); });
  });
  return experiment;
}

}  // namespace updraft
