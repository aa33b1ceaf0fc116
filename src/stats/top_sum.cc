#include "stats/top_sum.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace updraft {

double top_sum(std::span<double> values, std::size_t count) {
  if (count < values.size()) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count),
                     values.end(), std::greater<>());
    values = values.first(count);
  }
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace updraft
