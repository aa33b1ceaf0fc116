#include "stats/level_counts.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace updraft {
namespace {

std::vector<double> distinct(std::span<const double> values, std::size_t most) {
  std::set<double> seen;
  for (const double value : values) {
    seen.insert(value);
    if (seen.size() > most) break;
  }
  return {seen.begin(), seen.end()};
}

}  // namespace

bool LevelCounts::worthwhile(std::span<const double> baseline) {
  return distinct(baseline, kMostLevels).size() <= kMostLevels;
}

LevelCounts::LevelCounts(std::size_t actions, std::span<const double> baseline) {
  const std::vector<double> values = distinct(baseline, kMostLevels);
  for (const double value : values) levels_.push_back({value, 0});
  for (const double value : baseline) {
    const auto level = std::lower_bound(values.begin(), values.end(), value) - values.begin();
    level_of_.push_back(static_cast<std::uint8_t>(level));
    ++levels_[static_cast<std::size_t>(level)].variables;
  }
  for (const Level& level : levels_) {
    baseline_total_ += static_cast<double>(level.variables) * level.baseline;
  }
  reached_.resize(actions);
}

void LevelCounts::grow(ActionId action, std::size_t largest) {
  Reached& old = reached_[action];
  Reached grown;
  grown.room = std::max<std::size_t>(16, largest + largest / 2 + 2);
  grown.numbers.assign(levels_.size() * grown.room, 0);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    std::copy_n(old.numbers.begin() + static_cast<std::ptrdiff_t>(l * old.room), old.room,
                grown.numbers.begin() + static_cast<std::ptrdiff_t>(l * grown.room));
  }
  old = std::move(grown);
}

void LevelCounts::assign(ActionId action, std::span<const std::uint16_t> counts) {
  for (VariableId i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) raise(action, i, 0, counts[i]);
  }
}

double LevelCounts::padded_index(ActionId action, double total, double pulls, double radius,
                                 std::size_t budget) const {
  const double inverse = 1.0 / pulls;
  std::size_t unidentified = 0;
  double unidentified_sum = 0.0;
  candidates_.clear();
  const Reached& reached = reached_[action];
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level& level = levels_[l];
    const std::uint32_t* numbers = reached.numbers.data() + l * reached.room;
    const auto with_at_least = [&](std::size_t count) -> std::size_t {
      return count == 0 ? level.variables : count < reached.room ? numbers[count] : 0;
    };
    // The counts whose interval holds the baseline follow one another; start two below them.
    const double start = std::floor((level.baseline - radius) * pulls) - 2.0;
    auto count = static_cast<std::size_t>(std::clamp(start, 0.0, 65536.0));  // counts are smaller
    for (std::size_t left = with_at_least(count); left > 0; ++count) {
      const double mean = static_cast<double>(count) * inverse;
      if (level.baseline < mean - radius) break;
      const std::size_t above = with_at_least(count + 1);
      const std::size_t variables = left - above;
      left = above;
      if (variables == 0 || mean + radius < level.baseline) continue;
      const double index = mean + radius - level.baseline;
      unidentified += variables;
      unidentified_sum += static_cast<double>(variables) * index;
      candidates_.push_back({index, variables});
    }
  }
  const std::size_t m = level_of_.size();
  const std::size_t identified = m - unidentified;
  double index = 0.0;
  if (identified > 0) {
    index = total * inverse - baseline_total_ + static_cast<double>(m) * radius - unidentified_sum;
  }
  std::size_t left = budget > identified ? budget - identified : 0;
  if (left >= unidentified) return index + unidentified_sum;
  std::sort(candidates_.begin(), candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.index > b.index; });
  for (const Candidate& candidate : candidates_) {
    if (left == 0) break;
    const std::size_t taken = std::min(left, candidate.variables);
    index += static_cast<double>(taken) * candidate.index;
    left -= taken;
  }
  return index;
}

}  // namespace updraft
