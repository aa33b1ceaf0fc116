#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "updraft/experiment.h"
#include "updraft/results.h"
#include "updraft/suite.h"

namespace CLI {
class App;
}

namespace updraft::cli {

/// What `run` and `paper` have in common.
struct ExperimentChoices {
  bool quick = false;
  bool bounds = false;
  bool quiet = false;
  bool html = false;  ///< also write report.html
  std::optional<std::string> rounds;
  std::optional<std::string> runs;
  std::optional<std::string> seed;
  std::optional<std::string> threads;
  std::optional<std::string> out;
  std::optional<std::string> data;
};

void add_choices(CLI::App& command, ExperimentChoices& choices);

/// The folder given with --out, else `results/NAME`, or `results/NAME-quick` for a quick run.
std::filesystem::path results_folder(const std::string& name, const ExperimentChoices& choices);

/// The experiment's figure with what the options of a command line add. Throws InvalidInput if the
/// figure cannot have it.
void add_style(Experiment& experiment, const FigureStyle& more);

/// Runs or continues the experiment as the choices change it, and shows progress. Writes summary
/// and figures into the folder, and the HTML report if it is asked for.
ExperimentResult play_into(const Experiment& experiment, const std::filesystem::path& folder,
                           const ExperimentChoices& choices);

/// The same for the experiments of a suite, each in a folder of its name, and for the suite.
SuiteResult play_into(const Suite& suite, const std::filesystem::path& folder,
                      const ExperimentChoices& choices);

/// Runs or continues a shard of the experiment, or of each experiment of a suite.
ShardSize play_shard(const Experiment& experiment, const Shard& shard,
                     const std::filesystem::path& folder, const ExperimentChoices& choices);
ShardSize play_shard(const Suite& suite, const Shard& shard, const std::filesystem::path& folder,
                     const ExperimentChoices& choices);

/// Writes summary and figures of results into their folder, and the HTML report if it is asked for.
void write_reports(const ExperimentResult& result, const std::filesystem::path& folder, bool html);
void write_reports(const SuiteResult& result, const std::filesystem::path& folder, bool html);

/// The paths of the results, one per line.
std::string folder_text(const std::filesystem::path& folder);

}  // namespace updraft::cli
