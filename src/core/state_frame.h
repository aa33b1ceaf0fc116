#pragma once

#include <string>
#include <string_view>

namespace updraft {

/// The frame of a saved state: magic, version, length, body, checksum. See
/// docs/formats/policy-state.md.
std::string framed(std::string_view magic, std::string_view body);

/// The body of a file that framed() made with the same magic. Throws InvalidInput where it is
/// foreign, damaged, truncated or of another version.
std::string_view unframed(std::string_view magic, std::string_view file);

}  // namespace updraft
