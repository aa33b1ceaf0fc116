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

/// Experiments that belong together: played one after the other, reported in one table and one
/// figure. docs/experiments.md gives the TOML form.
struct Suite {
  std::string name;                     ///< as that of an experiment
  std::string title;                    ///< of figure and summary
  std::vector<Experiment> experiments;  ///< at least one; their names differ

  bool operator==(const Suite&) const = default;
};

/// Reads the TOML form and the experiments that it names; `origin` is named in messages, and the
/// relative path of an experiment file is taken from its folder. Throws InvalidInput with file,
/// line and the nearest name.
Suite parse_suite(std::string_view toml, const std::string& origin);

/// paper, tuning-free: files under experiments/, built in.
std::span<const ShippedExperiment> shipped_suites();

/// A shipped experiment or suite by name, else a TOML file: that of a suite has the key
/// `experiments`.
std::variant<Experiment, Suite> load_experiment_or_suite(const std::string& name_or_path);

/// Only the policies with these names, labels or spec texts; experiments that have none of them are
/// left out. Throws InvalidInput for one that no experiment has.
Suite with_policies(Suite suite, const std::vector<std::string>& names);

struct SuiteResult {
  std::string name;
  std::string title;
  std::vector<ExperimentResult> parts;
};

// The results folder of a suite has suite.json, and for each experiment a folder of its name, as
// run_experiment() leaves it.

bool is_suite_folder(const std::filesystem::path& folder);

/// Makes the folder and writes suite.json. Experiments of a suite may come and go; their folders
/// stay. Throws InvalidInput where the folder belongs to another suite or to something else,
/// std::runtime_error where it cannot be written.
void claim_suite_folder(const Suite& suite, const std::filesystem::path& folder);

/// The results in the folder of a suite whose experiments are all finished. Throws InvalidInput
/// where it is not one.
SuiteResult read_suite_results(const std::filesystem::path& folder);

}  // namespace updraft
