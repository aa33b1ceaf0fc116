#include "experiments/limits_toml.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "updraft/error.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

/// The label of one of the policies.
std::string read_label(const TomlField& field, const Experiment& experiment) {
  const std::string label = field.text();
  std::vector<std::string> labels;
  for (const PolicyGrid& grid : experiment.policies) {
    if (grid.label == label) return label;
    labels.push_back(grid.label);
  }
  const InvalidInput unknown = unknown_name("policy", label, labels);
  throw field.refusal(unknown.value(), unknown.rule());
}

std::optional<double> read_positive(const TomlTable& table, std::string_view key) {
  const auto field = table.find(key);
  if (!field) return std::nullopt;
  const double number = field->number();
  if (!(number > 0.0)) throw field->refusal(number_text(number), "must be > 0");
  return number;
}

RegretLimit read_limit(const TomlTable& table, const Experiment& experiment) {
  table.check_keys({"policy", "of", "times", "regret", "mean_of_median", "largest_of_median"});
  RegretLimit limit;
  limit.policy = read_label(table.required("policy"), experiment);
  if (const auto of = table.find("of")) limit.of = read_label(*of, experiment);
  limit.times = read_positive(table, "times");
  limit.regret = read_positive(table, "regret");
  limit.mean_of_median = read_positive(table, "mean_of_median");
  limit.largest_of_median = read_positive(table, "largest_of_median");
  if (limit.times.has_value() == limit.of.empty()) {
    throw table.refusal("must have both times and of, or neither");
  }
  if (!limit.times && !limit.regret && !limit.mean_of_median && !limit.largest_of_median) {
    throw table.refusal(
        "must have at least one of times, regret, mean_of_median and "
        "largest_of_median");
  }
  return limit;
}

}  // namespace

std::optional<Needs> read_may_know(const TomlTable& document, const Experiment& experiment) {
  const auto field = document.find("tell");
  if (!field) return std::nullopt;
  if (experiment.instance.empty()) {
    throw field->refusal("is for experiments on an instance");
  }
  std::vector<std::string> names;
  for (const TomlField& item : field->items("a list of names")) names.push_back(item.text());
  if (names.empty()) names.emplace_back("nothing");
  try {
    return needs_named("tell", names);
  } catch (const InvalidInput& refused) {
    throw field->refusal(refused.value(), refused.rule());
  }
}

std::vector<RegretLimit> read_limits(const TomlTable& document, const Experiment& experiment) {
  std::vector<RegretLimit> limits;
  const auto field = document.find("limit");
  if (!field) return limits;
  for (const TomlField& item : field->items("a list of tables, each under [[limit]]")) {
    limits.push_back(read_limit(item.table("a table, under [[limit]]"), experiment));
  }
  return limits;
}

}  // namespace updraft
