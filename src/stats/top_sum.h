#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace updraft {

/// Sum of the `count` largest of `values` (of all of them where there are fewer). `scratch` grows
/// to their number. The same bits whatever the machine's vectors.
/// Cost: O(values) on average: a few streaming passes over ever fewer of them, no sorting.
double top_sum(std::span<const double> values, std::size_t count, std::vector<double>& scratch);

}  // namespace updraft
