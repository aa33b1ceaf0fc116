#include "policies/campaign/targeting.h"

#include <algorithm>

namespace updraft {

std::vector<std::uint32_t> largest(std::span<const double> values, std::size_t count, bool fill) {
  if (count == 0) return {};
  struct Candidate {
    double value;
    std::uint32_t id;
  };
  std::vector<Candidate> candidates;
  const std::size_t most = 4 * count;
  candidates.reserve(std::min(values.size(), most));
  const auto keep_largest = [&] {
    const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(candidates.begin(), last, candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.value > b.value || (a.value == b.value && a.id < b.id);
                     });
    candidates.resize(count);
  };
  // Ids come in increasing order: one that merely equals the least of `count` others is too late.
  double least = 0.0;
  bool any = fill;
  for (std::uint32_t id = 0; id < values.size(); ++id) {
    if (!(values[id] > least) && !(any && values[id] <= least)) continue;
    candidates.push_back({values[id], id});
    if (candidates.size() < most) continue;
    keep_largest();
    least = candidates.back().value;
    any = false;
  }
  if (candidates.size() > count) keep_largest();
  std::vector<std::uint32_t> ids;
  ids.reserve(candidates.size());
  for (const Candidate& candidate : candidates) ids.push_back(candidate.id);
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
