#include "policies/campaign/targeting.h"

#include <algorithm>
#include <limits>

namespace updraft {

std::vector<std::uint32_t> largest(std::span<const double> values, std::size_t count, bool fill) {
  if (count == 0) return {};
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return values[a] > values[b] || (values[a] == values[b] && a < b);
  };
  const auto keep_largest = [&](std::vector<std::uint32_t>& ids) {
    std::nth_element(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count - 1), ids.end(),
                     before);
    ids.resize(count);
    return values[ids.back()];
  };
  // Ids come in increasing order, so one that merely equals the least of `count` others is not
  // among the largest.
  std::vector<std::uint32_t> ids;
  ids.reserve(std::min(values.size(), 2 * count));
  double least = fill ? -std::numeric_limits<double>::infinity() : 0.0;
  bool may_equal = fill;
  for (std::uint32_t id = 0; id < values.size(); ++id) {
    if (!(values[id] > least) && !(may_equal && values[id] == least)) continue;
    ids.push_back(id);
    if (ids.size() < 2 * count) continue;
    least = keep_largest(ids);
    may_equal = false;
  }
  if (ids.size() > count) keep_largest(ids);
  return ids;
}

void treat_at_random(std::vector<Treatment>& treated, std::size_t count, std::size_t treatments,
                     const Stream& stream, std::uint64_t decision, std::uint64_t first) {
  if (count == 0) return;
  const auto round = static_cast<std::uint32_t>(decision);
  const auto pick = [&](std::uint64_t index, std::size_t choices) {
    const double place = stream.uniform(round, first + index) * static_cast<double>(choices);
    return std::min(static_cast<std::size_t>(place), choices - 1);
  };
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < treated.size(); ++i) {
    if (treated[i] == 0) left.push_back(i);
  }
  for (std::size_t j = 0; j < count && j < left.size(); ++j) {
    std::swap(left[j], left[j + pick(2 * j, left.size() - j)]);
    treated[left[j]] = static_cast<Treatment>(1 + pick(2 * j + 1, treatments));
  }
}

}  // namespace updraft
