#pragma once

#include <vector>

#include "experiments/toml_fields.h"
#include "updraft/experiment.h"

namespace updraft {

/// All tables under [[policy]], for the stage and the rounds that the experiment has. Puts what
/// auto picks in its place. Throws InvalidInput if a table breaks a rule or a policy cannot be
/// played on that stage.
std::vector<PolicyGrid> read_players(const TomlTable& document, const Experiment& experiment);

}  // namespace updraft
