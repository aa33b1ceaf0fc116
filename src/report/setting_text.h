#pragma once

#include <string>

#include "updraft/results.h"

namespace updraft {

/// By how much the run is shorter than its experiment: "600 of 5,000 rounds, 10 of 100 runs, 6 of 6
/// parameters not tuned"; empty if it is not.
std::string short_run_text(const Experiment& experiment);

/// Whether the run has the rounds and the values of the experiment, which its claims are about.
/// Fewer runs only make the errors larger.
bool can_settle_claims(const Experiment& experiment);

/// What was played, how often and on what, in sentences: the first lines of a report. Plain text.
std::string setting_text(const ExperimentResult& result);

/// What there is to say of a policy's chosen value, such as "at the edge of the grid"; may be
/// empty.
std::string tuning_note(const PolicyGrid& grid, const GridPoint& best);

}  // namespace updraft
