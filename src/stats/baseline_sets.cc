#include "stats/baseline_sets.h"

#include <algorithm>
#include <limits>

namespace updraft {

void BaselineSets::set(VariableId variable, ActionId action, bool member) {
  std::uint64_t& word = bits_[variable * words_ + action / 64];
  const std::uint64_t bit = std::uint64_t{1} << (action % 64);
  word = member ? word | bit : word & ~bit;
}

void BaselineSets::assign(VariableId variable, std::span<ActionInterval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const ActionInterval& a, const ActionInterval& b) { return a.lower < b.lower; });
  for (ActionId action = 0; action < actions_; ++action) set(variable, action, false);
  double reach = -std::numeric_limits<double>::infinity();  // of those that begin earlier
  for (std::size_t j = 0; j < intervals.size(); ++j) {
    const bool meets_earlier = reach >= intervals[j].lower;
    const bool meets_later =
        j + 1 < intervals.size() && intervals[j + 1].lower <= intervals[j].upper;
    if (meets_earlier || meets_later) set(variable, intervals[j].action, true);
    reach = std::max(reach, intervals[j].upper);
  }
}

std::optional<ActionId> BaselineSets::most_pulled(VariableId variable,
                                                  std::span<const std::uint64_t> pulls) const {
  std::optional<ActionId> found;
  for (ActionId action = 0; action < actions_; ++action) {
    if (contains(variable, action) && (!found || pulls[action] > pulls[*found])) found = action;
  }
  return found;
}

bool BaselineSets::all_active(std::span<const std::uint64_t> active) const {
  const std::size_t variables = bits_.size() / words_;
  for (VariableId variable = 0; variable < variables; ++variable) {
    for (ActionId action = 0; action < actions_; ++action) {
      if (!active[action] && contains(variable, action)) return false;
    }
  }
  return true;
}

}  // namespace updraft
