#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "updraft/experiment.h"
#include "updraft/results.h"

namespace CLI {
class App;
}

namespace updraft::cli {

/// What `run` and `paper` have in common.
struct ExperimentChoices {
  bool quick = false;
  bool bounds = false;
  bool quiet = false;
  std::optional<std::string> rounds;
  std::optional<std::string> runs;
  std::optional<std::string> seed;
  std::optional<std::string> threads;
  std::optional<std::string> out;
};

void add_choices(CLI::App& command, ExperimentChoices& choices);

/// The experiment as the choices change it.
Experiment chosen_version(Experiment experiment, const ExperimentChoices& choices);

/// `results/NAME`, or `results/NAME-quick` for a quick run.
std::filesystem::path default_folder(const Experiment& experiment,
                                     const ExperimentChoices& choices);

/// Plays or continues the experiment in the folder, with progress, and writes summary and figures.
ExperimentResult play_into(const Experiment& experiment, const std::filesystem::path& folder,
                           const ExperimentChoices& choices);

/// Where the results are, one file a line.
std::string folder_text(const std::filesystem::path& folder);

}  // namespace updraft::cli
