#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "updraft/results.h"
#include "updraft/suite.h"

namespace updraft {

/// What a run says about one of the paper's claims, or about a limit of the experiment.
struct Verdict {
  int claim = 0;          ///< as numbered in docs/experiments.md; 0 for a limit
  std::string statement;  ///< the claim in words
  /// Inconclusive: the errors allow neither verdict, or the run is shorter than the experiment.
  enum class Outcome { kSupported, kNotSupported, kInconclusive, kNotTested };
  Outcome outcome = Outcome::kNotTested;
  std::string evidence;  ///< the numbers with their errors, and the rule that was applied
};

/// "supported", "not supported", "inconclusive" or "not tested".
const char* outcome_name(Verdict::Outcome outcome);

/// The verdicts on the claims that the experiment lists and on its limits, from its tuned policies.
/// docs/experiments.md has the rule.
std::vector<Verdict> judge(const ExperimentResult& result);

/// summary.md: setting, chosen parameters beside the paper's, regrets, verdicts, and how to repeat
/// the run. The same results give the same bytes.
std::string summary_markdown(const ExperimentResult& result);

/// The gnuplot script that draws the figure; `terminal` is "svg" or "png", `output` the file.
std::string figure_script(const ExperimentResult& result, const std::string& terminal,
                          const std::filesystem::path& output);

/// Draws figure.svg and figure.png in the folder. Returns an empty string, or the reason if they
/// could not be drawn (gnuplot is missing or fails). The results do not change in either case.
std::string draw_figures(const ExperimentResult& result, const std::filesystem::path& folder);

/// Writes summary.md and the figures. Returns the result of draw_figures().
std::string write_report(const ExperimentResult& result, const std::filesystem::path& folder);

// The same for a suite: one table over all experiments, with links to their summaries, and one
// figure with a panel for each and one legend. Throws InvalidInput if the suite has no experiments.
std::string summary_markdown(const SuiteResult& result);
std::string figure_script(const SuiteResult& result, const std::string& terminal,
                          const std::filesystem::path& output);
std::string draw_figures(const SuiteResult& result, const std::filesystem::path& folder);
std::string write_report(const SuiteResult& result, const std::filesystem::path& folder);

}  // namespace updraft
