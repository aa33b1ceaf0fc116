#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "updraft/results.h"
#include "updraft/suite.h"

namespace updraft {

/// What a run says of one of the paper's claims.
struct Verdict {
  int claim = 0;          ///< 1-6, as numbered in docs/experiments.md
  std::string statement;  ///< the claim in words
  /// Inconclusive: the errors allow neither, or the run is shorter than the experiment.
  enum class Outcome { kSupported, kNotSupported, kInconclusive, kNotTested };
  Outcome outcome = Outcome::kNotTested;
  std::string evidence;  ///< the numbers with their errors, and the rule that was applied
};

/// "supported", "not supported", "inconclusive" or "not tested".
const char* outcome_name(Verdict::Outcome outcome);

/// The claims that the experiment names, judged by its tuned policies: docs/experiments.md has the
/// rule.
std::vector<Verdict> judge(const ExperimentResult& result);

/// summary.md: setting, chosen parameters beside the paper's, regrets, verdicts, how to repeat it.
/// The same results give the same bytes.
std::string summary_markdown(const ExperimentResult& result);

/// The gnuplot script that draws the figure; `terminal` is "svg" or "png", `output` the file.
std::string figure_script(const ExperimentResult& result, const std::string& terminal,
                          const std::filesystem::path& output);

/// Draws figure.svg and figure.png in the folder. Returns an empty string, or why they could not be
/// drawn (gnuplot missing or failing); the results stay as they are either way.
std::string draw_figures(const ExperimentResult& result, const std::filesystem::path& folder);

/// Writes summary.md and the figures. Returns what draw_figures says.
std::string write_report(const ExperimentResult& result, const std::filesystem::path& folder);

// The same for a suite: one table over all experiments, with links to their summaries, and one
// figure with a panel for each and one legend. Throws InvalidInput where it has no experiments.
std::string summary_markdown(const SuiteResult& result);
std::string figure_script(const SuiteResult& result, const std::string& terminal,
                          const std::filesystem::path& output);
std::string draw_figures(const SuiteResult& result, const std::filesystem::path& folder);
std::string write_report(const SuiteResult& result, const std::filesystem::path& folder);

}  // namespace updraft
