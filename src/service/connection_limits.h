#pragma once

#include <chrono>
#include <cstddef>

namespace updraft {

/// What a connection may take.
struct ConnectionLimits {
  std::chrono::milliseconds keep_alive{30'000};     ///< between two requests
  std::chrono::milliseconds head_time{10'000};      ///< for all headers of a request
  std::chrono::milliseconds request_time{300'000};  ///< for all of a request
  std::chrono::milliseconds silence{10'000};        ///< without a byte read or written
  std::size_t head_bytes = 64 * 1024;               ///< all headers of a request
};

}  // namespace updraft
