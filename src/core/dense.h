#pragma once

#include <span>

#include "updraft/ids.h"

namespace updraft {

/// The sum of `values`: eight sums of every eighth value, added pairwise at the end, whatever the
/// machine's vectors, so that all machines round alike. Cost: one streaming read.
double sum_of(std::span<const double> values);

/// Whether |value| <= limit for all of them; false if one is NaN.
bool all_within(std::span<const double> values, double limit);

/// Whether all are `value`.
bool all_equal(std::span<const double> values, double value);

/// Whether each id is larger than the one before.
bool strictly_increasing(std::span<const VariableId> ids);

/// to[i] += values[i].
void add_to(std::span<double> to, std::span<const double> values);

}  // namespace updraft
