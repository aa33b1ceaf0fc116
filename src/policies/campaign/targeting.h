#pragma once

#include <span>
#include <vector>

#include "updraft/campaign_policy.h"

namespace updraft {

/// The ids of the `count` largest values, the lowest ids among equals, in no order; without those
/// <= 0 unless `fill`, and without those that are not numbers. Cost: O(values), one pass; memory
/// O(count).
std::vector<std::uint32_t> largest(std::span<const double> values, std::size_t count, bool fill);

/// Treats `count` of the individuals who are not treated yet, each as likely, with a treatment that
/// is as likely as any other. Takes two uniforms for each, from index `first` on.
void treat_at_random(std::vector<Treatment>& treated, std::size_t count, std::size_t treatments,
                     const Stream& stream, std::uint64_t decision, std::uint64_t first);

}  // namespace updraft
