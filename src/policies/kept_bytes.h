#pragma once

#include <cstdint>

#include "updraft/policy.h"

namespace updraft {

/// At most so many bytes does the policy take for rows that it keeps for ever: those of logistic
/// models that are fitted to all rows (fit=exact). 0 for all others, whose memory does not grow.
std::uint64_t kept_bytes(const Policy& policy);

}  // namespace updraft
