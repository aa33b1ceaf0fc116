#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace updraft {

// Many numbers as one string of JSON: their bytes, the lowest first, compressed by zlib, in base64
// [rfc4648] with padding. Reads back exactly.

std::string pack_doubles(std::span<const double> numbers);
std::string pack_words(std::span<const std::uint32_t> numbers);

/// Exactly `count` numbers. Throws InvalidInput with `field` if the text is not base64 of a
/// zlib stream of as many. Memory is asked for only where the text is long enough to hold them.
std::vector<double> unpack_doubles(std::string_view text, std::size_t count,
                                   std::string_view field);
std::vector<std::uint32_t> unpack_words(std::string_view text, std::size_t count,
                                        std::string_view field);

}  // namespace updraft
