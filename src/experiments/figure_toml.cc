#include "experiments/figure_toml.h"

#include <fmt/format.h>

#include "updraft/error.h"

namespace updraft {
namespace {

FigureStyle::Against read_against(const TomlField& field) {
  const std::string given = field.text();
  if (given == "rounds") return FigureStyle::Against::kRounds;
  if (given == "parameter") return FigureStyle::Against::kParameter;
  throw field.refusal(fmt::format("\"{}\"", given), "must be \"rounds\" or \"parameter\"");
}

}  // namespace

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

void check_figure(const TomlTable& document, const Experiment& experiment) {
  if (experiment.contexts && experiment.figure.bounds) {
    throw document.required("figure").table("a table").required("bounds").refusal(
        "true", "is for experiments on an instance; no bound is known for contexts");
  }
  if (experiment.targeting && (experiment.figure.percentile || experiment.figure.bounds)) {
    const TomlTable figure = document.required("figure").table("a table");
    throw figure.required(experiment.figure.percentile ? "percentile" : "bounds")
        .refusal("true",
                 "is for experiments on an instance; the figure of targeting has its own "
                 "panels");
  }
  if (experiment.figure.against != FigureStyle::Against::kParameter) return;
  const TomlField against = document.required("figure").table("a table").required("against");
  bool tuned = false;
  for (std::size_t i = 0; i < experiment.policies.size(); ++i) {
    const PolicyGrid& grid = experiment.policies[i];
    tuned = tuned || !grid.values.empty();
    if (grid.values.empty() || grid.values.front() > 0.0) continue;
    throw against.refusal("\"parameter\"",
                          fmt::format("the axis is logarithmic, but policy[{}].{} has {}", i,
                                      grid.parameter, number_text(grid.values.front())));
  }
  if (!tuned) throw against.refusal("\"parameter\"", "needs a policy with a list of values");
}

}  // namespace updraft
