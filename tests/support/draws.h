#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "updraft/stream.h"

namespace updraft::testing {

/// Random numbers of a test, one after the other: those of round 0 of a stream.
class Draws {
 public:
  explicit Draws(const Stream& stream) : stream_(stream) {}
  explicit Draws(std::uint64_t seed) : Draws(Stream(seed, 0, Purpose::kTest)) {}

  double uniform(double low, double high) {
    return low + (high - low) * stream_.uniform(0, next_++);
  }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  /// One of low, low + step, low + 2 step, ..., each as likely.
  double stepped(double low, double step, std::size_t steps) {
    return low + step * static_cast<double>(integer(0, steps - 1));
  }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  /// low..high, each as likely.
  std::size_t integer(std::size_t low, std::size_t high) {
    return low + static_cast<std::size_t>(uniform(0.0, static_cast<double>(high - low + 1)));
  }

 private:
  Stream stream_;
  std::uint64_t next_ = 0;
};

}  // namespace updraft::testing
