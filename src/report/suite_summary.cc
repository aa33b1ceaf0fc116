#include <fmt/format.h>

#include <algorithm>

#include "report/hindsight.h"
#include "report/markdown.h"
#include "report/numbers.h"
#include "report/repeat_command.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft {
namespace {

std::string link(const Experiment& experiment) {
  return fmt::format("[{0}]({0}/summary.md)", experiment.name);
}

/// What an experiment is played on.
std::string workload_name(const ExperimentResult& part) {
  const Experiment& experiment = part.experiment;
  if (experiment.contexts) return "contexts";
  if (!experiment.targeting) return load_instance(experiment.instance)->name();
  return part.population && part.population->generated ? "generated" : experiment.targeting->data;
}

std::string parts_table(const SuiteResult& suite) {
  std::string table =
      header({"experiment", "instance", "actions", "variables", "rounds", "runs", "seed"},
             "|---|---|---:|---:|---:|---:|---:|");
  for (const ExperimentResult& part : suite.parts) {
    const Experiment& experiment = part.experiment;
    std::string actions = "-";
    std::string variables;
    if (experiment.targeting) {
      variables = fmt::format("{} per round",
                              grouped(static_cast<double>(experiment.targeting->individuals), 0));
    } else if (experiment.contexts) {
      actions = grouped(static_cast<double>(experiment.contexts->actions), 0);
      variables = fmt::format("{} per round",
                              grouped(static_cast<double>(experiment.contexts->variables), 0));
    } else {
      const auto instance = load_instance(experiment.instance);
      actions = grouped(static_cast<double>(instance->actions()), 0);
      variables = grouped(static_cast<double>(instance->variables()), 0);
    }
    table += row({link(experiment), plain(workload_name(part)), actions, variables,
                  grouped(experiment.rounds, 0), grouped(experiment.runs, 0),
                  fmt::format("{}", experiment.seed)});
  }
  return table;
}

std::string with_value(const Experiment& experiment, const GridPoint& point) {
  const PolicyGrid& grid = experiment.policies[point.policy];
  if (!point.value) return plain(grid.label);
  return plain(fmt::format("{}, {} = {}", grid.label, grid.parameter, number_text(*point.value)));
}

/// The rival's value that turned out best, and the ratio to it; dashes if nothing is tuned.
std::vector<std::string> hindsight_cells(const ExperimentResult& part, std::size_t policy) {
  const GridPoint& point = part.best(policy);
  const GridPoint* least = nullptr;
  for (const std::size_t rival : rivals(part.experiment, policy)) {
    const GridPoint& one = least_mean(part, rival);
    if (!least || one.final_regret.mean < least->final_regret.mean) least = &one;
  }
  if (!least) return {"-", "-"};
  const Estimate times = ratio(point, *least);
  return {
      fmt::format("{}: {}", with_value(part.experiment, *least), with_error(least->final_regret)),
      least == &point ? "1" : with_error(times.value, times.error)};
}

std::string regret_table(const SuiteResult& suite) {
  std::string table = header({"instance", "experiment", "policy", "mean regret ± s.e.",
                              "best in hindsight", "ratio to it"},
                             "|---|---|---|---:|---|---:|");
  for (const ExperimentResult& part : suite.parts) {
    const std::string workload = plain(workload_name(part));
    for (std::size_t p = 0; p < part.experiment.policies.size(); ++p) {
      std::vector<std::string> cells = {workload, part.experiment.name,
                                        with_value(part.experiment, part.best(p)),
                                        with_error(part.best(p).final_regret)};
      for (std::string& cell : hindsight_cells(part, p)) cells.push_back(std::move(cell));
      table += row(cells);
    }
  }
  return table;
}

/// Empty if no experiment makes claims.
std::string verdict_table(const SuiteResult& suite) {
  std::string rows;
  bool paper = true;
  for (const ExperimentResult& part : suite.parts) {
    paper = paper && part.experiment.limits.empty();
    for (const Verdict& verdict : judge(part)) {
      rows += row({link(part.experiment), statement_of(verdict), word_for(verdict.outcome)});
    }
  }
  if (rows.empty()) return rows;
  return header({"experiment", paper ? "claim of the paper" : "claim", "verdict"},
                "|---|---|---|") +
         rows;
}

}  // namespace

std::string summary_markdown(const SuiteResult& suite) {
  if (suite.parts.empty()) throw InvalidInput("experiments", "must have at least one");
  std::string text = fmt::format("# {}\n\n{}\n", plain(suite.title), parts_table(suite));
  text += fmt::format("![Regret of the policies, {}](figure.svg)\n\n", plain(suite.name));
  text += fmt::format(
      "## Regret\n\nRegrets are those after the last round. If a parameter is tuned, its value is "
      "the one with the least mean + one standard deviation. Best in hindsight is the least mean "
      "over the grid: of the policy itself or, if it has nothing to tune, of the tuned policies "
      "that have the same knowledge. Errors of ratios are computed from differences run by "
      "run.\n\n{}\n",
      regret_table(suite));
  const std::string verdicts = verdict_table(suite);
  if (!verdicts.empty()) text += fmt::format("## Verdicts\n\n{}\n", verdicts);
  return wrapped(text + fmt::format("## Repeat it\n\n```sh\n{}```\n", repeat_commands(suite)));
}

}  // namespace updraft
