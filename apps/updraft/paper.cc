#include <fmt/format.h>

#include "add_option.h"
#include "command.h"
#include "experiment_run.h"
#include "output.h"
#include "result_json.h"
#include "updraft/report.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Runs all experiments of the paper, one after the other, and shows every verdict.\n"
    "This takes less than two hours on two cores; with --quick, a few minutes. You can stop\n"
    "it and continue later. Targeting experiments need the Criteo data (see --data); without "
    "them,\n"
    "they run on generated individuals.";

constexpr const char* kFooter =
    "Output: the files that updraft run paper writes, and a table of verdicts.\n"
    "\n"
    "Example:\n"
    "  updraft paper --quick --out results";

void run(const ExperimentChoices& choices) {
  const auto suite = std::get<Suite>(load_experiment_or_suite("paper"));
  const std::filesystem::path folder = results_folder(suite.name, choices);
  Table table({{.title = "experiment"},
               {.title = "claim", .align = Table::Align::kRight},
               {.title = "verdict"},
               {.title = "statement", .width = 60}});
  for (const ExperimentResult& part : play_into(suite, folder, choices).parts) {
    for (const Verdict& verdict : judge(part)) {
      table.add_row({part.experiment.name, std::to_string(verdict.claim),
                     outcome_name(verdict.outcome), verdict.statement});
    }
  }
  write_output(table.text() + "\nThe numbers:\n" + folder_text(folder));
}

}  // namespace

Command add_paper_command(CLI::App& program) {
  auto choices = std::make_shared<ExperimentChoices>();
  CLI::App* command = add_command(program, "paper", kHelp, kFooter);
  add_choices(*command, *choices);
  return {command, [choices] { run(*choices); }};
}

}  // namespace updraft::cli
