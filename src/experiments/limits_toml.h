#pragma once

#include "experiments/toml_fields.h"
#include "updraft/experiment.h"

namespace updraft {

/// The list `tell` of an experiment; absent if there is none. Throws InvalidInput unless the
/// experiment is on an instance.
std::optional<Needs> read_may_know(const TomlTable& document, const Experiment& experiment);

/// The tables [[limit]] of an experiment whose policies are read.
std::vector<RegretLimit> read_limits(const TomlTable& document, const Experiment& experiment);

}  // namespace updraft
