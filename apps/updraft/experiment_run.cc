#include "experiment_run.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <limits>
#include <stdexcept>

#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "updraft/report.h"

namespace updraft::cli {

void add_choices(CLI::App& command, ExperimentChoices& choices) {
  command.add_flag("--quick", choices.quick,
                   "A small version: fewer rounds and runs, the paper's parameters");
  command.add_option("--rounds", choices.rounds, "Rounds of a run [the experiment's]")
      ->option_text("T");
  command.add_option("--runs", choices.runs, "Independent runs [the experiment's]")
      ->option_text("R");
  command.add_option("--seed", choices.seed, "Where all randomness comes from [the experiment's]")
      ->option_text("S");
  command.add_option("--threads", choices.threads, "Threads [as many as the machine has]")
      ->option_text("N");
  command.add_flag("--bounds", choices.bounds, "Draw the theory's bounds into the figure");
  command.add_flag("--quiet", choices.quiet, "No progress and no notes");
}

Experiment chosen_version(Experiment experiment, const ExperimentChoices& choices) {
  if (choices.quick) experiment = quick_version(std::move(experiment));
  if (choices.rounds) {
    experiment.rounds = static_cast<std::uint32_t>(parse_count("--rounds", *choices.rounds));
  }
  if (choices.runs) {
    experiment.runs =
        static_cast<std::uint32_t>(parse_count("--runs", *choices.runs, {1, kMostRuns}));
  }
  if (choices.seed) {
    experiment.seed =
        parse_count("--seed", *choices.seed, {0, std::numeric_limits<std::uint64_t>::max()});
  }
  if (choices.bounds) experiment.figure.bounds = true;
  return experiment;
}

std::filesystem::path default_folder(const Experiment& experiment,
                                     const ExperimentChoices& choices) {
  return std::filesystem::path("results") / (experiment.name + (choices.quick ? "-quick" : ""));
}

ExperimentResult play_into(const Experiment& experiment, const std::filesystem::path& folder,
                           const ExperimentChoices& choices) {
  Interrupt interrupt;
  ExperimentResult result;
  {
    Progress progress(choices.quiet);
    ExperimentOptions options{.folder = folder};
    if (choices.threads) {
      options.threads =
          static_cast<unsigned>(parse_count("--threads", *choices.threads, {1, kMostThreads}));
    }
    options.progress = [&progress](double share) { progress.update(share); };
    options.stop = interrupt.token();
    try {
      result = run_experiment(experiment, options);
    } catch (const Cancelled&) {
      throw std::runtime_error(fmt::format(
          "stopped: the finished runs are kept in {}; the same command goes on from there",
          folder.string()));
    }
  }
  const std::string not_drawn = write_report(result, folder);
  if (!not_drawn.empty()) write_note(not_drawn);
  return result;
}

std::string folder_text(const std::filesystem::path& folder) {
  std::string text;
  for (const char* name :
       {"figure.svg", "figure.png", "summary.md", "final.csv", "curves.csv", "manifest.json"}) {
    if (std::filesystem::exists(folder / name)) text += (folder / name).string() + "\n";
  }
  return text;
}

}  // namespace updraft::cli
