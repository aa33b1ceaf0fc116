#pragma once

#include <string>

#include "updraft/results.h"

namespace updraft {

/// Who was treated, with what, and how payoffs came about: the first sentences of a summary.
std::string campaign_text(const ExperimentResult& result);

/// The measures of campaigns besides the regret, as a section of a summary.
std::string campaign_section(const ExperimentResult& result);

}  // namespace updraft
