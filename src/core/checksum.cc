#include "core/checksum.h"

#include <zlib.h>

namespace updraft {

std::uint32_t checksum(std::string_view bytes) { return checksum_after(0, bytes); }

std::uint32_t checksum_after(std::uint32_t before, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace updraft
