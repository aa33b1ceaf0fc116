#pragma once

#include <cstddef>
#include <span>

namespace updraft {

/// Sum of the `count` largest of `values` (of all of them where there are fewer), which are
/// reordered. Cost: O(values).
double top_sum(std::span<double> values, std::size_t count);

}  // namespace updraft
