#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "experiments/workload.h"
#include "updraft/assumption_warning.h"
#include "updraft/instance.h"

namespace updraft {

/// Plays the first run of a policy on the workload of `instance` with a monitor, which needs single
/// payoffs, and gives its warnings. The noise is that of every other run. Throws Cancelled if a
/// stop is requested.
std::vector<AssumptionWarning> check_assumptions(const Workload& workload,
                                                 const std::shared_ptr<const Instance>& instance,
                                                 const PolicySpec& spec,
                                                 const std::stop_token& stop);

}  // namespace updraft
