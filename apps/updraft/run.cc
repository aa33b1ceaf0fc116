#include <fmt/format.h>

#include "add_option.h"
#include "command.h"
#include "experiment_run.h"
#include "output.h"
#include "result_json.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft::cli {
namespace {

constexpr const char* kFooter =
    "Output: the summary on standard output, and a folder with summary.md, figure.svg,\n"
    "figure.png, final.csv (one row per policy, value and run), curves.csv and manifest.json;\n"
    "for targeting also ranking.csv; with --html also report.html, one file with all results and\n"
    "interactive charts, which needs no network. A suite gets a summary and a figure of its own,\n"
    "and such a folder for each experiment.\n"
    "\n"
    "If published data are missing, an experiment on them takes generated individuals, and its\n"
    "summary says so. If a run is stopped or killed, the same command continues it. The files are\n"
    "the same, byte for byte, for any number of threads and interruptions, except that the\n"
    "manifest and report.html also contain times.\n"
    "\n"
    "Examples:\n"
    "  updraft run criteo --quick --html\n"
    "  updraft run gaussian --runs 20 --policies ucb up_ucb --out my-results\n"
    "  updraft run tuning-free --quick\n"
    "  updraft run hillstrom --data hillstrom.csv.gz\n"
    "  updraft run mine.toml";

std::string names_of(std::span<const ShippedExperiment> shipped) {
  std::vector<std::string_view> names;
  for (const ShippedExperiment& one : shipped) names.push_back(one.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string help() {
  const std::string text = fmt::format(
      "EXPERIMENT is a shipped experiment ({}), a shipped suite of experiments ({}), or a TOML "
      "file; docs/experiments.md explains how to write one.",
      names_of(shipped_experiments()), names_of(shipped_suites()));
  return fmt::format(
      "Runs an experiment: tunes each policy, draws the figure, judges the paper's claims.\n{}",
      fmt::join(wrap_text(text, 90), "\n"));
}

struct Options {
  std::string experiment;
  std::vector<std::string> policies;
  ExperimentChoices choices;
  bool json = false;
};

template <typename Result>
void show(const Result& result, const std::filesystem::path& folder, bool json) {
  write_output(json ? json_text(result_json(result, folder))
                    : summary_markdown(result) + "\n" + folder_text(folder));
}

void run(const Options& options) {
  if (options.experiment.empty()) {
    throw InvalidInput("experiment",
                       "must be given: a shipped experiment or a TOML file; see --help");
  }
  const auto play = [&options](auto chosen) {
    if (!options.policies.empty()) chosen = with_policies(std::move(chosen), options.policies);
    const std::filesystem::path folder = results_folder(chosen.name, options.choices);
    show(play_into(chosen, folder, options.choices), folder, options.json);
  };
  std::visit(play, load_experiment_or_suite(options.experiment));
}

}  // namespace

Command add_run_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("run", help());
  add_option(*command, "experiment EXPERIMENT", options->experiment,
             "A shipped experiment or suite, or a TOML file");
  add_choices(*command, options->choices);
  add_option(*command, "--policies NAME ...", options->policies,
             "Only these policies, by label, name or spec [all of the experiment]");
  command->add_flag("--json", options->json, "Machine-readable output");
  command->footer(kFooter);
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli
