#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace updraft {

/// `level` from 1 (fast) to 9 (small), as zlib has them.
std::string to_gzip(std::string_view text, int level);

struct Unpacked {
  std::string text;
  bool too_large = false;  ///< the text was cut off at the limit
};

/// Of one gzip member. Nothing if it is malformed or cut off. Takes no more memory than `limit`.
std::optional<Unpacked> from_gzip(std::string_view packed, std::size_t limit);

}  // namespace updraft
