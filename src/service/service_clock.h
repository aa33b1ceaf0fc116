#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace updraft {

/// Milliseconds since 1970 that never jump: the system's time at the start, and from then on what a
/// clock counts that nobody can set. So setting the system's clock loses no outstanding decision.
/// Safe for use by many threads.
class ServiceClock {
 public:
  using Milliseconds = std::function<std::int64_t()>;

  ServiceClock();
  ServiceClock(Milliseconds system, Milliseconds steady);

  std::int64_t now_ms() const;

  /// By how many milliseconds the system's clock was set forward since this was last asked; nothing
  /// if it was not, or by less than a second.
  std::optional<std::int64_t> step();

 private:
  Milliseconds system_;
  Milliseconds steady_;
  std::int64_t offset_;  // of the service's time from the steady clock
  std::mutex mutex_;
  std::int64_t known_ = 0;  // of the system's time from the service's
};

}  // namespace updraft
