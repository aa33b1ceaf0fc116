#pragma once

#include <string>

#include "updraft/results.h"

namespace updraft {

/// What was played, how often and on what, in sentences: the first lines of a report. Plain text.
std::string setting_text(const ExperimentResult& result);

/// What there is to say of a policy's chosen value, such as "at the edge of the grid"; may be
/// empty.
std::string tuning_note(const PolicyGrid& grid, const GridPoint& best);

}  // namespace updraft
