#pragma once

#include <cstdint>
#include <string_view>

namespace updraft {

/// CRC-32 as in zlib: finds damage, not malice.
std::uint32_t checksum(std::string_view bytes);

/// Of bytes that come in pieces: `before` is that of those before `bytes`, 0 at first.
std::uint32_t checksum_after(std::uint32_t before, std::string_view bytes);

}  // namespace updraft
