#pragma once

#include <cstdint>

namespace updraft {

/// What became of notices. For /metrics.
struct WebhookCounts {
  std::uint64_t sent = 0;
  std::uint64_t failed = 0;   ///< tries
  std::uint64_t dropped = 0;  ///< given up, or too many
};

}  // namespace updraft
