#pragma once

#include <string>

#include "updraft/results.h"

namespace updraft {

/// The measures of targeting policies besides the regret, as a section of a summary.
std::string targeting_section(const ExperimentResult& result);

}  // namespace updraft
