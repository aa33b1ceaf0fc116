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
    "Draws the figures of a results folder again, and writes its summary again.\n"
    "Nothing is played. The options add to what the experiment asks for.";

constexpr const char* kFooter =
    "Example:\n"
    "  updraft figure results/gaussian-quick --log-regret";

struct Options {
  std::string folder;
  bool bounds = false;
  bool log_rounds = false;
  bool log_regret = false;
  bool percentile = false;
};

void run(const Options& options) {
  if (options.folder.empty()) throw InvalidInput("folder", "must be given; see --help");
  ExperimentResult result = read_results(options.folder);
  FigureStyle& style = result.experiment.figure;
  style.bounds |= options.bounds;
  style.log_rounds |= options.log_rounds;
  style.log_regret |= options.log_regret;
  style.percentile |= options.percentile;
  const std::string not_drawn = write_report(result, options.folder);
  if (!not_drawn.empty()) throw std::runtime_error(not_drawn);
  write_output(folder_text(options.folder));
}

}  // namespace

Command add_figure_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("figure", kHelp);
  command->add_option("folder", options->folder, "A folder that updraft run made")
      ->option_text("DIR");
  command->add_flag("--bounds", options->bounds, "Draw the theory's bounds");
  command->add_flag("--log-rounds", options->log_rounds, "Logarithmic axis of the rounds");
  command->add_flag("--log-regret", options->log_regret, "Logarithmic axis of the regret");
  command->add_flag("--percentile", options->percentile, "A second panel: the 95th percentile");
  command->footer(kFooter);
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli
