#pragma once

#include <string>

#include "report/finding.h"
#include "updraft/results.h"

namespace updraft {

/// "A has at most 2 times the regret of B, and no run above 5 medians".
std::string limit_text(const RegretLimit& limit);

/// What a run says of a limit. Throws NotTested if it does not play the policies.
Finding judge_limit(const ExperimentResult& result, const RegretLimit& limit);

}  // namespace updraft
