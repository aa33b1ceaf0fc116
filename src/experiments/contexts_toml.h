#pragma once

#include "experiments/toml_fields.h"
#include "updraft/linear_contexts.h"

namespace updraft {

/// Reads the table [contexts] of an experiment. Throws InvalidInput with file, line and rule.
LinearContexts read_contexts(const TomlField& field);

}  // namespace updraft
