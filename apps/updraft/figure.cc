#include <CLI/CLI.hpp>
#include <stdexcept>

#include "command.h"
#include "experiment_run.h"
#include "output.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Draws the figures of a results folder again, and writes its summary again; for a suite also\n"
    "those of its experiments.\n"
    "Nothing is played. The options add to what the experiment asks for.";

constexpr const char* kFooter =
    "Example:\n"
    "  updraft figure results/gaussian-quick --log-regret";

struct Options {
  std::string folder;
  FigureStyle style;
};

std::string draw_experiment(const std::filesystem::path& folder, const FigureStyle& style) {
  ExperimentResult result = read_results(folder);
  add_style(result.experiment, style);
  return write_report(result, folder);
}

std::string draw_suite(const std::filesystem::path& folder, const FigureStyle& style) {
  SuiteResult suite = read_suite_results(folder);
  for (ExperimentResult& part : suite.parts) add_style(part.experiment, style);
  for (const ExperimentResult& part : suite.parts) {
    const std::string not_drawn = write_report(part, folder / part.experiment.name);
    if (!not_drawn.empty()) return not_drawn;
  }
  return write_report(suite, folder);
}

void run(const Options& options) {
  if (options.folder.empty()) throw InvalidInput("folder", "must be given; see --help");
  const auto draw = is_suite_folder(options.folder) ? draw_suite : draw_experiment;
  const std::string not_drawn = draw(options.folder, options.style);
  if (!not_drawn.empty()) throw std::runtime_error(not_drawn);
  write_output(folder_text(options.folder));
}

}  // namespace

Command add_figure_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("figure", kHelp);
  command->add_option("folder", options->folder, "A folder that updraft run made")
      ->option_text("DIR");
  command->add_flag("--bounds", options->style.bounds, "Draw the theory's bounds");
  command->add_flag("--log-rounds", options->style.log_rounds, "Logarithmic axis of the rounds");
  command->add_flag("--log-regret", options->style.log_regret, "Logarithmic axis of the regret");
  command->add_flag("--percentile", options->style.percentile,
                    "A second panel: the 95th percentile");
  command->footer(kFooter);
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli
