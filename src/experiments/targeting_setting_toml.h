#pragma once

#include <string>

#include "experiments/toml_fields.h"
#include "updraft/experiment.h"

namespace updraft {

/// Reads the table [targeting] of an experiment; a relative path in `data` is taken from the folder
/// of `origin`. Throws InvalidInput with file, line and rule.
TargetingSetting read_targeting_setting(const TomlField& field, const std::string& origin);

}  // namespace updraft
