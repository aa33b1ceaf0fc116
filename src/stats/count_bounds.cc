#include "stats/count_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "stats/count_scan.h"

namespace updraft {

double CountBounds::compute(ActionId action, const CountPaddingInputs& in,
                            PaddingScratch& scratch) {
  Noted& noted = actions_[action];
  if (noted.without_bound > 0) {
    --noted.without_bound;
    noted.known = false;
    return padded_index(in, scratch);
  }
  // In so many rounds a mean of b rises by less than rounds / (pulls + 1), or falls by at most this
  // share of it.
  const auto rounds = static_cast<double>(noted.rounds);
  const auto pulls = static_cast<double>(in.baseline_pulls);
  noted.at.rise = rounds / (pulls + 1.0);
  noted.at.share = rounds / (pulls + rounds);
  const double index = padded_index(in, noted.at, far_bits_.data() + action * words_, scratch);
  // A fall raises an individual index, and so does that of b's radius, which is at most all of it.
  // A variable that is no longer identified adds 0 in place of an index as much as 2 radius below.
  const auto at_most = [&](const CountMargin::Near& near, double radii) {
    return near.indices + noted.at.share * near.baseline_means +
           radii * in.baseline_radius * static_cast<double>(near.variables);
  };
  // Some are among the above only because floats were rounded, and might add 0, not less.
  const double rounding = 1.0 / (static_cast<double>(in.pulls) * pulls) +
                          1e-5 * (in.radius + in.baseline_radius + noted.at.share);
  noted.near = at_most(noted.at.above, 1.0) +
               rounding * static_cast<double>(noted.at.above.variables) +
               std::min(0.0, at_most(noted.at.below, 3.0));
  noted.baseline_pulls = in.baseline_pulls;
  noted.valid_rounds = noted.rounds;
  noted.ones = 0.0;
  noted.known = true;
  if (index < 0.0) {  // below that of b: a tight bound would keep it out
    const bool too_loose = upper_bound(action, in) >= 0.0;
    const std::uint64_t most = std::max<std::uint64_t>(4, in.baseline_pulls / 16);
    if (too_loose && noted.rounds == 1) noted.without_bound = kRoundsWithoutBound;
    noted.rounds = too_loose ? std::max<std::uint64_t>(1, noted.rounds / 2)
                             : std::min(most, noted.rounds + noted.rounds / 4 + 1);
  }
  return index;
}

void CountBounds::end_round() {
  for (std::size_t action = 0; action < actions_.size(); ++action) {
    if (!actions_[action].known) continue;
    const auto bits = std::span<const std::uint64_t>(far_bits_).subspan(action * words_, words_);
    actions_[action].ones += static_cast<double>(common_bits(bits, ones_));
  }
  ones_.assign(words_, 0);
}

double CountBounds::upper_bound(ActionId action, const CountPaddingInputs& in) const {
  const Noted& noted = actions_[action];
  if (!noted.known || in.baseline_pulls - noted.baseline_pulls > noted.valid_rounds) {
    return std::numeric_limits<double>::infinity();
  }
  const double mean = noted.at.far_counts / static_cast<double>(in.pulls);
  const double baseline =
      (noted.at.far_baseline_counts + noted.ones) / static_cast<double>(in.baseline_pulls);
  const double far =
      mean - baseline + static_cast<double>(noted.at.far) * (in.radius - in.baseline_radius);
  const std::size_t padding = in.budget > noted.at.far ? in.budget - noted.at.far : 0;
  const double others = noted.near + 2.0 * in.radius * static_cast<double>(padding);
  return far + others + 1e-11 * (mean + baseline + std::abs(others));
}

}  // namespace updraft
