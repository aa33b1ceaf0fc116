#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace updraft {

/// A kind of input that is shipped under some names and read from files otherwise.
struct InputKind {
  std::string_view field;      ///< in messages: "instance"
  std::string_view file;       ///< what else it may be: "a file"
  std::size_t most_bytes = 0;  ///< of a file; of a larger one somewhat more is read, at most
  std::string_view too_large;  ///< the rule that a larger file breaks; empty if its reader judges
};

/// The bytes of a file named by a user. Throws InvalidInput if there is none (the message lists
/// the shipped names and the nearest), or it is a directory, too large or cannot be read.
std::string read_input_file(const std::string& path, const InputKind& kind,
                            const std::vector<std::string>& shipped);

}  // namespace updraft
