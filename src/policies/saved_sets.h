#pragma once

#include <cstddef>
#include <string_view>

#include "updraft/state_io.h"
#include "updraft/variable_set.h"

namespace updraft {

/// A set of variables in a saved state: u64s begin, end, begin, end, ... of its ranges.
void write_set(const VariableSet& set, StateWriter& writer);

/// Throws InvalidInput naming `field` where an end exceeds `variables` or ranges are not some.
VariableSet read_set(StateReader& reader, std::size_t variables, std::string_view field);

}  // namespace updraft
