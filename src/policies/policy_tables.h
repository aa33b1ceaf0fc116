#pragma once

#include <vector>

#include "updraft/registry.h"

namespace updraft {

// The rows of the registry, by kind of policy.
std::vector<PolicyInfo> plain_table();
std::vector<PolicyInfo> targeting_table();
std::vector<PolicyInfo> contextual_table();

}  // namespace updraft
