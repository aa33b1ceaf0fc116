#pragma once

#include <vector>

#include "experiments/toml_fields.h"
#include "updraft/experiment.h"

namespace updraft {

/// All tables under [[policy]], for the workload and the rounds that the experiment has. Puts what
/// auto picks in its place. Throws InvalidInput if a table breaks a rule or a policy cannot run on
/// that workload.
std::vector<PolicyGrid> read_policies(const TomlTable& document, const Experiment& experiment);

}  // namespace updraft
