#pragma once

#include <string>

#include "updraft/suite.h"

namespace updraft {

/// The command that gives the results of this experiment. A user's experiment goes by FILE, its
/// TOML file, which is not known here, and the table of a data set by PATH.
std::string repeat_command(const ExperimentResult& result);

/// The commands that give the results of a suite, one a line: one for all where it is a shipped
/// suite as it is or its quick version, else one for each experiment.
std::string repeat_commands(const SuiteResult& suite);

}  // namespace updraft
