#include "updraft/variable_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "updraft/error.h"

namespace updraft {

VariableSet VariableSet::from_ids(std::span<const VariableId> ids, std::string_view field) {
  std::vector<VariableId> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  VariableSet set;
  set.size_ = sorted.size();
  for (const VariableId id : sorted) {
    if (id == static_cast<VariableId>(-1)) {
      throw InvalidInput(field, std::to_string(id), "is too large for a variable id");
    }
    if (!set.ranges_.empty() && id < set.ranges_.back().end) {
      throw InvalidInput(field, std::to_string(id), "is repeated; ids must be distinct");
    }
    if (!set.ranges_.empty() && id == set.ranges_.back().end) {
      ++set.ranges_.back().end;
    } else {
      set.ranges_.push_back({id, id + 1});
    }
  }
  set.ranges_.shrink_to_fit();
  return set;
}

VariableSet VariableSet::from_ranges(std::span<const VariableRange> ranges,
                                     std::string_view field) {
  std::vector<VariableRange> sorted(ranges.begin(), ranges.end());
  std::sort(sorted.begin(), sorted.end(),
            [](VariableRange a, VariableRange b) { return a.begin < b.begin; });
  VariableSet set;
  for (const VariableRange range : sorted) {
    const auto shown = [&] { return fmt::format("[{}, {}]", range.begin, range.end); };
    if (range.begin >= range.end) {
      throw InvalidInput(field, shown(), "a range must begin below its end");
    }
    if (!set.ranges_.empty() && range.begin < set.ranges_.back().end) {
      throw InvalidInput(
          field, shown(),
          fmt::format("variable {} is repeated; ranges must not overlap", range.begin));
    }
    if (!set.ranges_.empty() && range.begin == set.ranges_.back().end) {
      set.ranges_.back().end = range.end;
    } else {
      set.ranges_.push_back(range);
    }
    set.size_ += range.end - range.begin;
  }
  set.ranges_.shrink_to_fit();
  return set;
}

bool VariableSet::contains(VariableId id) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), id,
                       [](VariableId value, VariableRange range) { return value < range.begin; });
  return after != ranges_.begin() && id < std::prev(after)->end;
}

std::vector<VariableId> VariableSet::ids() const {
  std::vector<VariableId> result;
  result.reserve(size_);
  for_each([&](VariableId id) { result.push_back(id); });
  return result;
}

void VariableSet::check_below(std::size_t variables, std::string_view field) const {
  if (ranges_.empty() || ranges_.back().end <= variables) return;
  const auto first_bad = std::find_if(ranges_.begin(), ranges_.end(),
                                      [&](VariableRange range) { return range.end > variables; });
  const std::size_t id = std::max<std::size_t>(first_bad->begin, variables);
  throw InvalidInput(field, std::to_string(id),
                     fmt::format("must be below the number of variables, {}", variables));
}

}  // namespace updraft
