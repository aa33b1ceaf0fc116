#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace updraft {

/// The frame of a saved state: magic, version, length, body, checksum. See
/// docs/formats/policy-state.md.
std::string framed(std::string_view magic, std::string_view body);

/// The body of a file that framed() made with the same magic. Throws InvalidInput where it is
/// foreign, damaged, truncated or of another version.
std::string_view unframed(std::string_view magic, std::string_view file);

/// All bytes of a framed state, to and from a stream. Throw std::runtime_error where it fails.
void write_state(std::string_view file, std::ostream& out);
std::string read_state(std::istream& in);

}  // namespace updraft
