#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace updraft {

/// Reads a JSON text from an untrusted source. Throws InvalidInput if it is not JSON (with
/// line and column, from 1, the column in bytes), a number overflows, a key is repeated in an
/// object (with the path), lists and objects are nested deeper than `most_depth`, or the document
/// would take more than about `most_bytes` of memory: 16 bytes for a number, which may be 2 bytes
/// of text, and 64 for a list or a name. No recursion.
nlohmann::json parse_json_document(
    std::string_view text, std::size_t most_depth,
    std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

/// Twice the length of a text that comes from anybody, so that with the text it is three times, but
/// at least `least`.
inline std::size_t most_tree_bytes(std::string_view text, std::size_t least) {
  return std::max(2 * text.size(), least);
}

/// At most `most` bytes of a text from outside, cut between characters, for use in messages.
std::string clipped(std::string_view text, std::size_t most = 80);

}  // namespace updraft
