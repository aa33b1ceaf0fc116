#include "stats/threshold.h"

#include <cmath>
#include <vector>

namespace updraft {
namespace {

template <typename Visit>
void for_each_above(const ThresholdInputs& in, Visit visit) {
  for (VariableId i = 0; i < in.row.size(); ++i) {
    const double uplift = in.row[i] / in.pulls - in.baseline[i];
    if (std::abs(uplift) > in.threshold) visit(i, uplift);
  }
}

}  // namespace

Thresholded sum_above_threshold(const ThresholdInputs& in) {
  Thresholded found;
  for_each_above(in, [&](VariableId, double uplift) {
    ++found.count;
    found.uplift += uplift;
  });
  return found;
}

VariableSet variables_above_threshold(const ThresholdInputs& in) {
  std::vector<VariableId> ids;
  for_each_above(in, [&](VariableId i, double) { ids.push_back(i); });
  return VariableSet::from_ids(ids);
}

}  // namespace updraft
