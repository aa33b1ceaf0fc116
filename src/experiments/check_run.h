#pragma once

#include <stop_token>
#include <vector>

#include "experiments/play.h"
#include "updraft/assumption_warning.h"

namespace updraft {

/// Plays the first run of a policy with a monitor, which needs single payoffs, and gives its
/// warnings. The noise is that of play(). Throws Cancelled if a stop is requested.
std::vector<AssumptionWarning> check_run(const Arena& arena, const PolicySpec& spec,
                                         const std::stop_token& stop);

}  // namespace updraft
