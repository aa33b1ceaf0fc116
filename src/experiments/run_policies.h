#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/parallel.h"
#include "experiments/workload.h"

namespace updraft {

/// Runs policies in one run of a workload, in turns of a block of rounds if they share noise, else
/// one after the other. An outcome does not depend on the other policies. Throws Cancelled if
/// `control` requests it.
std::vector<Outcome> run_policies(const Workload& workload, std::span<const PolicySpec> specs,
                                  std::uint32_t run, TaskControl& control);

}  // namespace updraft
