#pragma once

#include <string>
#include <string_view>

#include "core/input_file.h"

namespace updraft {

/// How experiments and suites are read from files.
inline constexpr InputKind kExperimentFile = {
    .field = "experiment",
    .file = "a TOML file",
    .most_bytes = std::size_t{1} << 20,
    .too_large = "",  // the parsers refuse what is far shorter
};

/// Whether the text is TOML with the key `experiments`.
bool is_suite_toml(std::string_view toml);

}  // namespace updraft
