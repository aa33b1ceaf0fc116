#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "command.h"
#include "experiment_run.h"
#include "output.h"
#include "updraft/error.h"
#include "updraft/report.h"
#include "updraft/version.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Plays an experiment: tunes each policy, draws the figure, judges the paper's claims.\n"
    "EXPERIMENT is a shipped one (gaussian, gaussian-weak, criteo, baseline-bound,\n"
    "misspecified-l) or a TOML file; docs/experiments.md explains how to write one.";

constexpr const char* kFooter =
    "What comes out: the summary on standard output, and a folder with summary.md, figure.svg,\n"
    "figure.png, final.csv (one row per policy, value and run), curves.csv and manifest.json.\n"
    "Stopped or killed, the same command goes on where it was. The files are the same, byte for\n"
    "byte, whatever the threads and interruptions; the manifest has times besides.\n"
    "\n"
    "Examples:\n"
    "  updraft run criteo --quick\n"
    "  updraft run gaussian --runs 20 --policies ucb up_ucb --out my-results\n"
    "  updraft run mine.toml";

struct Options {
  std::string experiment;
  std::vector<std::string> policies;
  ExperimentChoices choices;
  bool json = false;
};

Json regret_json(const Summary& regret) {
  return {
      {"mean", regret.mean}, {"sd", regret.sd}, {"stderr", regret.stderr_}, {"p95", regret.p95}};
}

const char* outcome_name(Verdict::Outcome outcome) {
  return outcome == Verdict::Outcome::kSupported      ? "supported"
         : outcome == Verdict::Outcome::kNotSupported ? "not supported"
                                                      : "not tested";
}

Json result_json(const ExperimentResult& result, const std::filesystem::path& folder) {
  const Experiment& experiment = result.experiment;
  Json policies = Json::array();
  for (std::size_t p = 0; p < experiment.policies.size(); ++p) {
    const GridPoint& best = result.best(p);
    const PolicyGrid& grid = experiment.policies[p];
    Json policy = {{"label", grid.label}, {"spec", best.spec.text()}};
    if (best.value) policy["chosen"] = *best.value;
    if (grid.paper) policy["paper"] = *grid.paper;
    policy["final_regret"] = regret_json(best.final_regret);
    policies.push_back(std::move(policy));
  }
  Json verdicts = Json::array();
  for (const Verdict& verdict : judge(result)) {
    verdicts.push_back({{"claim", verdict.claim},
                        {"statement", verdict.statement},
                        {"verdict", outcome_name(verdict.outcome)},
                        {"evidence", verdict.evidence}});
  }
  return {{"version", UPDRAFT_VERSION},  {"experiment", experiment.name},
          {"rounds", experiment.rounds}, {"runs", experiment.runs},
          {"seed", experiment.seed},     {"folder", folder.string()},
          {"policies", policies},        {"verdicts", verdicts}};
}

void run(const Options& options) {
  if (options.experiment.empty()) {
    throw InvalidInput("experiment", "must be given: a shipped one or a TOML file; see --help");
  }
  Experiment experiment = load_experiment(options.experiment);
  if (!options.policies.empty()) experiment = with_policies(experiment, options.policies);
  experiment = chosen_version(std::move(experiment), options.choices);
  const std::filesystem::path folder = options.choices.out
                                           ? std::filesystem::path(*options.choices.out)
                                           : default_folder(experiment, options.choices);
  const ExperimentResult result = play_into(experiment, folder, options.choices);
  write_output(options.json ? json_text(result_json(result, folder))
                            : summary_markdown(result) + "\n" + folder_text(folder));
}

constexpr const char* kPaperHelp =
    "Plays all experiments of the paper, one after the other, and shows every verdict.\n"
    "The whole takes up to an hour on two cores; --quick a few minutes. Each experiment can be\n"
    "stopped and continued.";

constexpr const char* kPaperFooter =
    "What comes out: a folder per experiment, as with updraft run, and a table of verdicts.\n"
    "\n"
    "Example:\n"
    "  updraft paper --quick --out results";

void run_paper(const ExperimentChoices& choices) {
  const std::filesystem::path folder = choices.out.value_or("results");
  Table table({{.title = "experiment"},
               {.title = "claim", .align = Table::Align::kRight},
               {.title = "verdict"},
               {.title = "statement", .width = 60}});
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    const Experiment experiment =
        chosen_version(load_experiment(std::string(shipped.name)), choices);
    if (!choices.quiet) write_note(fmt::format("playing {}", experiment.name));
    const ExperimentResult result =
        play_into(experiment, folder / default_folder(experiment, choices).filename(), choices);
    for (const Verdict& verdict : judge(result)) {
      table.add_row({experiment.name, std::to_string(verdict.claim), outcome_name(verdict.outcome),
                     verdict.statement});
    }
  }
  write_output(table.text() + fmt::format("\nThe numbers: {}/*/summary.md\n", folder.string()));
}

}  // namespace

Command add_run_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("run", kHelp);
  command->add_option("experiment", options->experiment, "A shipped experiment or a TOML file")
      ->option_text("EXPERIMENT");
  add_choices(*command, options->choices);
  command
      ->add_option("--policies", options->policies,
                   "Only these, by label, name or spec [all of the experiment]")
      ->option_text("NAME ...");
  command->add_option("--out", options->choices.out, "Folder of the results [results/NAME]")
      ->option_text("DIR");
  command->add_flag("--json", options->json, "Machine-readable output");
  command->footer(kFooter);
  return {command, [options] { run(*options); }};
}

Command add_paper_command(CLI::App& program) {
  auto choices = std::make_shared<ExperimentChoices>();
  CLI::App* command = program.add_subcommand("paper", kPaperHelp);
  add_choices(*command, *choices);
  command->add_option("--out", choices->out, "Folder of all results [results]")->option_text("DIR");
  command->footer(kPaperFooter);
  return {command, [choices] { run_paper(*choices); }};
}

}  // namespace updraft::cli
