#include "inference/count_floor.h"

#include <algorithm>

namespace updraft {
namespace {

constexpr double kMostCounts = 30.0;

}  // namespace

double count_floor(const CountUnit& counts, double rounds, double mean) {
  const double unit = counts.unit();
  if (!(unit > 0.0 && rounds > 0.0)) return 0.0;
  const double total = std::max(0.0, mean) * rounds / unit;
  if (counts.largest()[0] > unit) {
    return unit * unit * (std::min(total, kMostCounts) + kAddedCounts) / rounds;
  }
  const double rate = (std::min(total, rounds) + kAddedCounts) / (rounds + 2.0 * kAddedCounts);
  return unit * unit * rate * (1.0 - rate);
}

}  // namespace updraft
