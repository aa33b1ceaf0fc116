#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/entry_points.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  updraft::fuzz::log({reinterpret_cast<const char*>(data), size});
  return 0;
}
