#include "policies/saved_sets.h"

#include <vector>

#include "updraft/error.h"

namespace updraft {

void write_set(const VariableSet& set, StateWriter& writer) {
  std::vector<std::uint64_t> ends;
  for (const VariableRange range : set.ranges()) {
    ends.push_back(range.begin);
    ends.push_back(range.end);
  }
  writer.u64s(ends);
}

VariableSet read_set(StateReader& reader, std::size_t variables, std::string_view field) {
  const std::vector<std::uint64_t> ends = reader.u64s();
  std::vector<VariableRange> ranges;
  for (std::size_t j = 0; j + 1 < ends.size(); j += 2) {
    if (ends[j] > variables || ends[j + 1] > variables) {
      throw InvalidInput(field, "a range exceeds the number of variables");
    }
    ranges.push_back({static_cast<VariableId>(ends[j]), static_cast<VariableId>(ends[j + 1])});
  }
  return VariableSet::from_ranges(ranges, field);
}

}  // namespace updraft
