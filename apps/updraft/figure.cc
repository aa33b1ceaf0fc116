#include <stdexcept>

#include "add_option.h"
#include "command.h"
#include "experiment_run.h"
#include "output.h"
#include "updraft/error.h"
#include "updraft/report.h"
#include "web/html_report.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Draws the figures of a results folder again.\n"
    "It also writes the summary again and, with --html, an HTML report. For a suite, it does the\n"
    "same for each experiment. Nothing is simulated. The options add to what the experiment asks\n"
    "for.";

constexpr const char* kFooter =
    "Examples:\n"
    "  updraft figure results/gaussian-quick --log-regret\n"
    "  updraft figure results/gaussian-quick --html";

struct Options {
  std::string folder;
  FigureStyle style;
  bool html = false;
};

/// Writes the HTML report first, which needs no gnuplot. If there are no figures, returns why.
template <typename Result>
std::string write_all(const Result& result, const std::filesystem::path& folder, bool html) {
  if (html) write_html_report(result, folder);
  return write_report(result, folder);
}

std::string draw_experiment(const Options& options) {
  ExperimentResult result = read_results(options.folder);
  add_style(result.experiment, options.style);
  return write_all(result, options.folder, options.html);
}

std::string draw_suite(const Options& options) {
  const std::filesystem::path folder = options.folder;
  SuiteResult suite = read_suite_results(folder);
  for (ExperimentResult& part : suite.parts) add_style(part.experiment, options.style);
  std::string not_drawn;
  for (const ExperimentResult& part : suite.parts) {
    const std::string failed = write_all(part, folder / part.experiment.name, options.html);
    if (not_drawn.empty()) not_drawn = failed;
  }
  const std::string failed = write_all(suite, folder, options.html);
  return not_drawn.empty() ? failed : not_drawn;
}

void run(const Options& options) {
  if (options.folder.empty()) throw InvalidInput("folder", "must be given; see --help");
  const auto draw = is_suite_folder(options.folder) ? draw_suite : draw_experiment;
  const std::string not_drawn = draw(options);
  if (!not_drawn.empty()) throw std::runtime_error(not_drawn);
  write_output(folder_text(options.folder));
}

}  // namespace

Command add_figure_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "figure", kHelp, kFooter);
  add_option(*command, "folder DIR", options->folder, "A folder that updraft run has written");
  add_flag(*command, "--bounds", options->style.bounds, "Draw the theory's bounds");
  add_flag(*command, "--log-rounds", options->style.log_rounds, "Logarithmic axis of the rounds");
  add_flag(*command, "--log-regret", options->style.log_regret, "Logarithmic axis of the regret");
  add_flag(*command, "--percentile", options->style.percentile,
           "A second panel: the 95th percentile");
  add_flag(*command, "--html", options->html,
           "Also write report.html: one file with interactive charts, for any browser");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli
