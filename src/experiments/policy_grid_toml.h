#pragma once

#include "experiments/toml_fields.h"
#include "updraft/experiment.h"

namespace updraft {

/// One table under [[policy]]: the spec, its label, and the values to try for one parameter. Throws
/// InvalidInput where the table breaks a rule; whether the policy can be played is not looked at.
PolicyGrid read_policy_grid(const TomlTable& table);

}  // namespace updraft
