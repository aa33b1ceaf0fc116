#pragma once

#include <string>

#include "experiments/toml_fields.h"

namespace updraft {

/// A name that becomes a folder's: letters, digits, - and _, at most 100. Throws InvalidInput for
/// another.
std::string read_name(const TomlField& field);

/// A title or label, which tables and legends show on one line: 1 to 200 bytes without control
/// characters. Throws InvalidInput for another.
std::string read_line(const TomlField& field);

}  // namespace updraft
