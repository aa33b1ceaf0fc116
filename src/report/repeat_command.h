#pragma once

#include <string>

#include "updraft/experiment.h"

namespace updraft {

/// The command that gives the results of this experiment. A user's experiment goes by FILE, its
/// TOML file, which is not known here.
std::string repeat_command(const Experiment& experiment);

}  // namespace updraft
