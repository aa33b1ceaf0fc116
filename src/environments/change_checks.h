#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "updraft/instance.h"

namespace updraft {

/// Sizes that change means are at most this large, so that no mean of a round is infinite.
inline constexpr double kLargestChange = 1e50;

/// Throws InvalidInput with the path of the field, changes[j]..., if a change breaks a rule. The
/// rest of the definition must be valid.
void check_changes(const InstanceDefinition& definition, std::size_t variables);

}  // namespace updraft
