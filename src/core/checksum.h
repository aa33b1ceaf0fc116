#pragma once

#include <cstdint>
#include <string_view>

namespace updraft {

/// CRC-32 as in zlib: finds damage, not malice.
std::uint32_t checksum(std::string_view bytes);

}  // namespace updraft
