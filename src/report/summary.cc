#include <fmt/format.h>

#include "report/hindsight.h"
#include "report/markdown.h"
#include "report/numbers.h"
#include "report/repeat_command.h"
#include "report/setting_text.h"
#include "report/targeting_section.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft {
namespace {

std::string or_dash(const std::optional<double>& value) {
  return value ? number_text(*value) : "-";
}

std::string value_of(const PolicyGrid& grid, const GridPoint& point) {
  return point.value ? fmt::format("{} = {}", plain(grid.parameter), number_text(*point.value))
                     : "-";
}

std::string chosen_table(const ExperimentResult& result) {
  std::string table = header({"policy", "parameter", "chosen", "paper's", "mean regret ± s.e.",
                              "sd", "95th percentile", "note"},
                             "|---|---|---:|---:|---:|---:|---:|---|");
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    const PolicyGrid& grid = result.experiment.policies[p];
    const GridPoint& best = result.best(p);
    table += row({plain(grid.label), grid.parameter.empty() ? "-" : plain(grid.parameter),
                  or_dash(best.value), or_dash(grid.paper), with_error(best.final_regret),
                  rounded(best.final_regret.sd), rounded(best.final_regret.p95),
                  tuning_note(grid, best)});
  }
  return table;
}

constexpr const char* kVerdictRule =
    "Errors are standard errors over the runs. A statement holds (yes) or fails (no) if it does so "
    "with two standard errors to spare. A claim is supported if all of its statements hold, not "
    "supported if one fails, and otherwise inconclusive.";

std::string verdict_table(const ExperimentResult& result) {
  const bool paper = result.experiment.limits.empty();
  std::string table =
      header({paper ? "claim of the paper" : "claim", "verdict", "evidence"}, "|---|---|---|");
  for (const Verdict& verdict : judge(result)) {
    table += row({statement_of(verdict), word_for(verdict.outcome), plain(verdict.evidence)});
  }
  return table;
}

std::string hindsight_table(const ExperimentResult& result) {
  std::string table =
      header({"policy", "mean regret ± s.e.", "tuned policy", "least mean regret ± s.e.", "at",
              "ratio to the least", "largest at", "ratio to the largest"},
             "|---|---:|---|---:|---:|---:|---:|---:|");
  const std::vector<PolicyGrid>& grids = result.experiment.policies;
  for (const Hindsight& one : hindsight(result)) {
    table += row({plain(grids[one.policy->policy].label), with_error(one.policy->final_regret),
                  plain(grids[one.least->policy].label), with_error(one.least->final_regret),
                  value_of(grids[one.least->policy], *one.least),
                  with_error(one.to_least.value, one.to_least.error),
                  value_of(grids[one.most->policy], *one.most),
                  with_error(one.to_most.value, one.to_most.error)});
  }
  return table;
}

std::string hindsight_section(const ExperimentResult& result) {
  return fmt::format(
      "## Hindsight\n\nPolicies with nothing to tune, compared with tuned policies that have the "
      "same knowledge, at the values of the grid that turned out best and worst. Ratios are of "
      "mean regrets; their errors are computed from differences run by run. The least of many "
      "means is somewhat lower than the mean that its value would have in new runs.\n\n{}\n",
      hindsight_table(result));
}

}  // namespace

std::string summary_markdown(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  std::string text =
      fmt::format("# {}\n\n{}\n\n", plain(experiment.title), plain(setting_text(result)));
  text += fmt::format("## Chosen parameters and regret\n\n{}\n", chosen_table(result));
  text += fmt::format("![Regret of the policies, {}](figure.svg)\n\n", plain(experiment.name));
  if (experiment.targeting) text += targeting_section(result);
  if (experiment.figure.against == FigureStyle::Against::kParameter) {
    text += hindsight_section(result);
  }
  if (!experiment.claims.empty() || !experiment.limits.empty()) {
    text += fmt::format("## Verdicts\n\n{}\n\n{}\n", kVerdictRule, verdict_table(result));
  }
  text += fmt::format("## Repeat it\n\n```sh\n{}\n```\n", repeat_command(result));
  return wrapped(text);
}

}  // namespace updraft
