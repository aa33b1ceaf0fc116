#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include "experiments/contexts_toml.h"
#include "experiments/figure_toml.h"
#include "experiments/limits_toml.h"
#include "experiments/policies_toml.h"
#include "experiments/targeting_setting_toml.h"
#include "experiments/toml_fields.h"
#include "experiments/toml_texts.h"
#include "updraft/error.h"
#include "updraft/experiment.h"

namespace updraft {
namespace {

constexpr std::uint64_t kMostRounds = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostRuns = std::numeric_limits<std::uint32_t>::max();

/// Of a quick run, where the file does not say; less where the full run has less.
constexpr std::uint32_t kQuickRounds = 1000;
constexpr std::uint32_t kQuickRuns = 10;

constexpr int kClaims = 9;

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
    throw field.refusal(unknown.value(), unknown.rule() + "; no file has that name either");
  }
  return path.string();
}

/// [targeting], or [campaign]: its older name, which stays readable.
std::optional<TomlField> find_targeting(const TomlTable& document) {
  const auto targeting = document.find("targeting");
  return targeting ? targeting : document.find("campaign");
}

/// An instance, [targeting] or [contexts].
void read_workload(const TomlTable& document, const std::string& origin, Experiment& experiment) {
  const auto targeting = find_targeting(document);
  const auto contexts = document.find("contexts");
  if (targeting || contexts) {
    if (const auto instance = document.find("instance")) {
      throw instance->refusal(fmt::format("an experiment has an instance or [{}], not both",
                                          targeting ? "targeting" : "contexts"));
    }
    if (targeting && contexts) {
      throw contexts->refusal("an experiment has [targeting] or [contexts], not both");
    }
  }
  if (targeting) {
    experiment.targeting = read_targeting_setting(*targeting, origin);
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
  const bool older = document.find("campaign") && !document.find("targeting");
  const char* targeting = older ? "campaign" : "targeting";
  document.check_keys({"name", "title", "instance", targeting, "contexts", "rounds", "runs", "seed",
                       "claims", "tell", "quick", "figure", "policy", "limit"});
  Experiment experiment;
  experiment.name = read_name(document.required("name"));
  experiment.title = read_line(document.required("title"));
  read_workload(document, origin, experiment);
  experiment.rounds = static_cast<std::uint32_t>(document.required("rounds").whole(1, kMostRounds));
  experiment.runs = static_cast<std::uint32_t>(document.required("runs").whole(1, kMostRuns));
  if (const auto seed = document.find("seed")) experiment.seed = seed->whole(0, kMostSeed);
  if (const auto claims = document.find("claims")) experiment.claims = read_claims(*claims);
  read_quick(document, experiment);
  experiment.figure = read_figure(document);
  experiment.may_know = read_may_know(document, experiment);
  experiment.policies = read_policies(document, experiment);
  experiment.limits = read_limits(document, experiment);
  check_figure(document, experiment);
  experiment.whole_rounds = experiment.rounds;
  experiment.whole_runs = experiment.runs;
  for (PolicyGrid& grid : experiment.policies) grid.whole_values = grid.values.size();
  return experiment;
}

}  // namespace updraft
