#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace updraft {

/// A kind of saved state: how its files begin, and the newest and the oldest version of their body
/// that can be read.
struct StateKind {
  std::string_view magic;
  std::uint64_t version = 1;
  std::uint64_t oldest = 1;
};

/// The frame of a saved state: magic, version, length, body, checksum. See
/// docs/formats/policy-state.md.
std::string framed(const StateKind& kind, std::string_view body);

struct StateBody {
  std::uint64_t version = 1;
  std::string_view bytes;
};

/// The body of a file that framed() made, now or when the kind had an earlier version. Throws
/// InvalidInput if it is foreign, damaged, truncated or of a version that cannot be read.
StateBody unframed(const StateKind& kind, std::string_view file);

/// All bytes of a framed state, to and from a stream. Throw std::runtime_error if it fails.
void write_state(std::string_view file, std::ostream& out);
std::string read_state(std::istream& in);

}  // namespace updraft
