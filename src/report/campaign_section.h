#pragma once

#include <string>

#include "updraft/results.h"

namespace updraft {

/// The measures of campaigns besides the regret, as a section of a summary.
std::string campaign_section(const ExperimentResult& result);

}  // namespace updraft
