#pragma once

#include <chrono>
#include <cstddef>

namespace updraft {

/// What connections may take.
struct ConnectionLimits {
  std::size_t connections = 16'384;            ///< in all; then those that wait longest are closed
  std::size_t connections_per_client = 4'096;  ///< of one address; further ones are closed at once
  std::chrono::milliseconds keep_alive{30'000};     ///< between two requests
  std::chrono::milliseconds head_time{10'000};      ///< for all headers of a request
  std::chrono::milliseconds request_time{300'000};  ///< for all of a request
  std::chrono::milliseconds silence{10'000};        ///< without a byte read or written
  std::chrono::milliseconds farewell{2'000};  ///< to read on after an answer that ends a connection
  std::chrono::milliseconds stopping{5'000};  ///< for requests under way when the service stops
  std::size_t head_bytes = 64 * 1024;         ///< all headers of a request
  std::size_t body_bytes = std::size_t{64} << 20;       ///< of a request, unpacked too
  std::size_t all_body_bytes = std::size_t{512} << 20;  ///< of all requests at the same time
};

}  // namespace updraft
