#include "policies/campaign/targeting.h"

#include <algorithm>
#include <numeric>

namespace updraft {

std::vector<std::uint32_t> largest(std::span<const double> values, std::size_t count, bool fill) {
  const auto is_number = [&](std::uint32_t id) { return values[id] == values[id]; };
  std::vector<std::uint32_t> ids(values.size());
  std::iota(ids.begin(), ids.end(), 0u);
  std::erase_if(ids, [&](std::uint32_t id) { return !is_number(id); });
  if (!fill) std::erase_if(ids, [&](std::uint32_t id) { return !(values[id] > 0.0); });
  if (count < ids.size()) {
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      return values[a] > values[b] || (values[a] == values[b] && a < b);
    };
    std::nth_element(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(),
                     before);
    ids.resize(count);
  }
  return ids;
}

void treat_at_random(std::vector<Treatment>& treated, std::size_t count, std::size_t treatments,
                     const Stream& stream, std::uint64_t decision, std::uint64_t first) {
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
