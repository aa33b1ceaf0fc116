#include "environments/random_walk.h"

#include <cmath>

namespace updraft {

RandomWalk::RandomWalk(const Walk& walk, const Stream& stream, std::uint64_t index)
    : stream_(stream), index_(index) {
  double decay = 1.0 - walk.pull;           // f^h, with h = 2^level
  double variance = walk.step * walk.step;  // v(h)
  for (int level = 0; level < kLevels; ++level) {
    const double both = 1.0 + decay * decay;
    weight_[level] = decay / both;
    sd_[level] = std::sqrt(variance / both);
    variance *= both;
    decay *= decay;
  }
  path_[kLevels] = {0.0, std::sqrt(variance) * stream_.normal(0, index_)};
  for (int level = kLevels - 1; level >= 0; --level) {
    path_[level] = {0.0, middle(path_[level + 1], std::uint32_t{1} << level, level)};
  }
}

double RandomWalk::middle(const Interval& parent, std::uint32_t round, int level) const {
  return weight_[level] * (parent.left + parent.right) + sd_[level] * stream_.normal(round, index_);
}

double RandomWalk::at(std::uint32_t round) {
  int known = 0;  // the lowest level whose interval has both rounds
  while (known < kLevels && (round >> known) != (round_ >> known)) ++known;
  round_ = round;
  for (int level = known - 1; level >= 0; --level) {
    const Interval& parent = path_[level + 1];
    const bool upper = (round >> level & 1) != 0;
    const std::uint32_t centre =
        (upper ? round : round | (std::uint32_t{1} << level)) >> level << level;
    const double value = middle(parent, centre, level);
    path_[level] = upper ? Interval{value, parent.right} : Interval{parent.left, value};
  }
  return path_[0].left;
}

}  // namespace updraft
