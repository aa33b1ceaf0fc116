#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace updraft {

// A long JSON text in pieces, so that each can be read by itself, in memory that does not grow with
// the text. Only the frame is looked at: what a piece holds is for whoever reads it. Both throw
// InvalidInput that names `field` if the frame is not JSON.

/// The members of an object: keys, which have no escapes, and values.
std::vector<std::pair<std::string_view, std::string_view>> object_pieces(std::string_view text,
                                                                         std::string_view field);

/// The items of a list; at most one more than `most`.
std::vector<std::string_view> list_pieces(std::string_view text, std::string_view field,
                                          std::size_t most);

}  // namespace updraft
