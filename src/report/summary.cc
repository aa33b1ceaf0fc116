#include <fmt/format.h>

#include <algorithm>

#include "report/numbers.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft {
namespace {

/// Text for a cell of a Markdown table or a line of it: one line, no cell ends.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '*' || c == '_' || c == '`') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return result;
}

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string header(const std::vector<std::string>& titles, const std::string& rule) {
  return row(titles) + rule + "\n";
}

std::string note_of(const PolicyGrid& grid, const GridPoint& best) {
  if (grid.parameter.empty() || grid.values.empty()) return "nothing to tune";
  if (grid.values.size() == 1) return "not tuned: one value";
  const auto [least, most] = std::minmax_element(grid.values.begin(), grid.values.end());
  return best.value == *least || best.value == *most ? "at the edge of the grid" : "";
}

std::string or_dash(const std::optional<double>& value) {
  return value ? number_text(*value) : "-";
}

std::string setting(const Experiment& experiment) {
  const auto instance = load_instance(experiment.instance);
  return fmt::format(
      "Instance {}: K = {} actions, m = {} variables, at most L = {} of them affected by an "
      "action. {} of {} rounds each, seed {}; in a run all policies meet the same noise. The "
      "parameter of a policy is the value with the least mean + one standard deviation of the "
      "regret after the last round.\n",
      plain(instance->name()), grouped(static_cast<double>(instance->actions()), 0),
      grouped(static_cast<double>(instance->variables()), 0),
      grouped(static_cast<double>(instance->max_affected()), 0),
      experiment.runs == 1 ? "1 run" : grouped(experiment.runs, 0) + " runs",
      grouped(experiment.rounds, 0), experiment.seed);
}

std::string chosen_table(const ExperimentResult& result) {
  std::string table = header({"policy", "parameter", "chosen", "paper's", "mean regret ± s.e.",
                              "sd", "95th percentile", "note"},
                             "|---|---|---:|---:|---:|---:|---:|---|");
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    const PolicyGrid& grid = result.experiment.policies[p];
    const GridPoint& best = result.best(p);
    table +=
        row({plain(grid.label), grid.parameter.empty() ? "-" : plain(grid.parameter),
             or_dash(best.value), or_dash(grid.paper), with_error(best.final_regret),
             rounded(best.final_regret.sd), rounded(best.final_regret.p95), note_of(grid, best)});
  }
  return table;
}

std::string_view word_for(Verdict::Outcome outcome) {
  switch (outcome) {
    case Verdict::Outcome::kSupported:
      return "supported";
    case Verdict::Outcome::kNotSupported:
      return "**not supported**";
    case Verdict::Outcome::kNotTested:
      break;
  }
  return "not tested";
}

std::string verdict_table(const ExperimentResult& result) {
  std::string table = header({"claim of the paper", "verdict", "evidence"}, "|---|---|---|");
  for (const Verdict& verdict : judge(result)) {
    table += row({fmt::format("({}) {}", verdict.claim, plain(verdict.statement)),
                  std::string(word_for(verdict.outcome)), plain(verdict.evidence)});
  }
  return table;
}

/// Whether the grids are those of a quick version, which takes one value wherever the experiment
/// says which. Rounds and runs are said in any case.
bool is_quick(const Experiment& experiment) {
  const auto has_choice = [](const PolicyGrid& grid) { return grid.quick || grid.paper; };
  return std::any_of(experiment.policies.begin(), experiment.policies.end(), has_choice) &&
         std::all_of(
             experiment.policies.begin(), experiment.policies.end(),
             [&](const PolicyGrid& grid) { return !has_choice(grid) || grid.values.size() == 1; });
}

/// The command that gives these results. A user's experiment goes by FILE, its TOML file, which
/// is not known here.
std::string repeat_command(const Experiment& experiment) {
  std::string command = "updraft run FILE";
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    if (shipped.name != experiment.name) continue;
    command = fmt::format("updraft run {}", experiment.name);
    if (load_experiment(experiment.name).policies.size() == experiment.policies.size()) break;
    command += " --policies";
    for (const PolicyGrid& grid : experiment.policies) command += fmt::format(" '{}'", grid.label);
  }
  return fmt::format("{}{} --rounds {} --runs {} --seed {}", command,
                     is_quick(experiment) ? " --quick" : "", experiment.rounds, experiment.runs,
                     experiment.seed);
}

}  // namespace

std::string summary_markdown(const ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  std::string text = fmt::format("# {}\n\n{}\n", plain(experiment.title), setting(experiment));
  text += fmt::format("## Chosen parameters and regret\n\n{}\n", chosen_table(result));
  text += fmt::format("![Regret of the policies, {}](figure.svg)\n\n", plain(experiment.name));
  if (!experiment.claims.empty()) {
    text += fmt::format("## Verdicts\n\nErrors are standard errors over the runs.\n\n{}\n",
                        verdict_table(result));
  }
  text += fmt::format("## Repeat it\n\n```sh\n{}\n```\n", repeat_command(experiment));
  return text;
}

}  // namespace updraft
