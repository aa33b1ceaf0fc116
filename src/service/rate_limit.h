#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace updraft {

/// At most `rate` requests at once, and `rate` per second in the long run: a bucket that holds as
/// many, and that is filled evenly. A rate of 0 is no limit.
class RateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit RateLimit(std::uint32_t rate) : rate_(rate), left_(rate) {}

  /// Takes a request; the seconds until there is room for it if there is none now, and then nothing
  /// is taken.
  double take(Time now) {
    if (rate_ == 0.0) return 0.0;
    if (filled_ != Time()) {
      const std::chrono::duration<double> since = now - filled_;
      left_ = std::min(rate_, left_ + std::max(0.0, since.count()) * rate_);
    }
    filled_ = std::max(filled_, now);
    if (left_ < 1.0) return (1.0 - left_) / rate_;
    left_ -= 1.0;
    return 0.0;
  }

 private:
  double rate_;
  double left_;
  Time filled_ = {};
};

}  // namespace updraft
