#pragma once

#include <cstdint>

namespace updraft {

/// Actions, variables and groups of variables are numbered from 0.
using ActionId = std::uint32_t;
using VariableId = std::uint32_t;
using GroupId = std::uint32_t;

/// What an individual gets: 0 is nothing, 1..Z are the treatments.
using Treatment = std::uint32_t;

}  // namespace updraft
