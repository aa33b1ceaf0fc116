#pragma once

#include <array>
#include <cstdint>

#include "updraft/changes.h"
#include "updraft/stream.h"

namespace updraft {

/// The values of a Walk: a Gaussian process with w(0) = 0 and w(t) = f w(t - 1) + step z(t), where
/// f = 1 - pull. Any round can be asked for without those before it: w(2^32) is drawn first, then
/// the middle of each interval given its ends, down to the round. With ends h rounds away,
///   w(middle) = f^h / (1 + f^2h) (w(left) + w(right)) + sd(h) z
///   sd(h)^2 = v(h) / (1 + f^2h),  v(h) = step^2 (1 + f^2 + ... + f^(2h - 2))
/// The z of a round is the normal of the stream at that round and `index`. [levy40]
/// Cost: 32 normals at most, 2 on average if rounds are asked for in order. Memory: constant.
class RandomWalk {
 public:
  RandomWalk(const Walk& walk, const Stream& stream, std::uint64_t index);

  double at(std::uint32_t round);

 private:
  static constexpr int kLevels = 32;

  struct Interval {
    double left = 0.0;
    double right = 0.0;
  };
  double middle(const Interval& parent, std::uint32_t round, int level) const;

  Stream stream_;
  std::uint64_t index_;
  std::array<double, kLevels> weight_;  // of the ends 2^level rounds away
  std::array<double, kLevels> sd_;      // sd(2^level)
  /// The intervals of 2^level rounds that round_ is in.
  std::array<Interval, kLevels + 1> path_;
  std::uint32_t round_ = 0;
};

}  // namespace updraft
