#pragma once

#include <pybind11/pybind11.h>

#include "updraft/simulate.h"

namespace updraft::python {

// What users write in Python, for the library's simulations. Both take the interpreter's lock
// whenever they call Python; what that raises comes through as pybind11::error_already_set.

/// A policy of the user's: `maker` has a name, and maker(run) gives an object with select() and
/// update(action, payoffs).
PolicySpec own_policy(const pybind11::handle& maker);

/// An updraft.OwnEnvironment: environment(seed, run) gives an object with draw(round, action). If
/// its `gaps` are None, the payoffs collected take the place of the regret.
OwnRounds own_rounds(const pybind11::object& world, Knowledge knowledge, std::uint64_t seed);

}  // namespace updraft::python
