#pragma once

#include <cstdint>
#include <string>

#include "updraft/decision_log.h"
#include "updraft/policy.h"

namespace updraft {

/// Lets a plain policy learn from every decision of a log, as if it had taken it. Returns their
/// number. Probabilities are not needed. If the format does not name actions or variables, their
/// names in the log are their ids, 0, 1, ...
/// Reads the log twice, and learns nothing unless all of it is valid. Throws InvalidInput as
/// LogReader, and if names are not as many as the policy has.
std::uint64_t fit(Policy& policy, const std::string& path, LogFormat format = {});

}  // namespace updraft
