#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "updraft/experiment.h"
#include "updraft/results.h"

namespace updraft {

/// Experiments that belong together: they run one after the other and are reported in one table and
/// one figure. docs/experiments.md describes the TOML form.
struct Suite {
  std::string name;                     ///< same rule as for an experiment
  std::string title;                    ///< of figure and summary
  std::vector<Experiment> experiments;  ///< at least one, with different names

  bool operator==(const Suite&) const = default;
};

/// Reads the TOML form and the experiments that it names. Messages name `origin`, and the relative
/// path of an experiment file is relative to the folder of `origin`. Throws InvalidInput with file,
/// line and the nearest name.
Suite parse_suite(std::string_view toml, const std::string& origin);

/// paper, tuning-free, told-nothing, changing-world: files under experiments/, built in.
std::span<const ShippedExperiment> shipped_suites();

/// A shipped experiment or suite by name, else a TOML file. The file of a suite has the key
/// `experiments`.
std::variant<Experiment, Suite> load_experiment_or_suite(const std::string& name_or_path);

/// Only the policies with these names, labels or spec texts. Experiments that have none of them are
/// left out. Throws InvalidInput for a policy that no experiment has.
Suite with_policies(Suite suite, const std::vector<std::string>& names);

struct SuiteResult {
  std::string name;
  std::string title;
  std::vector<ExperimentResult> parts;
};

// The results folder of a suite has suite.json and, for each experiment, a folder with its name, as
// run_experiment() writes it.

bool is_suite_folder(const std::filesystem::path& folder);

/// Creates the folder and writes suite.json. Experiments may be added to a suite or removed; the
/// folders of removed ones stay. Throws InvalidInput if the folder belongs to another suite or to
/// something else, std::runtime_error if it cannot be written.
void claim_suite_folder(const Suite& suite, const std::filesystem::path& folder);

/// Joins shards of a suite, as merge_shards() does for each of its experiments; checks all of them
/// before it writes anything. Throws InvalidInput also if the folders are not of the same suite.
SuiteResult merge_suite_shards(const std::vector<std::filesystem::path>& folders,
                               const std::filesystem::path& out);

/// The results in the folder of a suite whose experiments are all finished. Throws InvalidInput if
/// the folder is not one.
SuiteResult read_suite_results(const std::filesystem::path& folder);

}  // namespace updraft
