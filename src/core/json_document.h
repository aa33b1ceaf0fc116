#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace updraft {

/// Reads a JSON text from an untrusted source. Throws InvalidInput if it is not JSON (with
/// line and column, from 1, the column in bytes), a number overflows, a key is repeated in an
/// object (with the path), or lists and objects are nested deeper than `most_depth`.
/// Memory: at most a constant times the length of the text; no recursion.
nlohmann::json parse_json_document(std::string_view text, std::size_t most_depth);

/// At most `most` bytes of a text from outside, cut between characters, for use in messages.
std::string clipped(std::string_view text, std::size_t most = 80);

}  // namespace updraft
