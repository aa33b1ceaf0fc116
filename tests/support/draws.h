#pragma once

#include <cstddef>
#include <cstdint>

#include "updraft/stream.h"

namespace updraft::testing {

/// Random numbers of a test, one after the other: a function of the seed.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : stream_(seed, 0, Purpose::kTest) {}

  double uniform(double low, double high) {
    return low + (high - low) * stream_.uniform(0, next_++);
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
