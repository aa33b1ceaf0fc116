#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "updraft/instance.h"

namespace updraft::testing {

/// Plays every policy that has an upper bound, 20 runs each, with the alpha that its bound is for,
/// and expects the regret of every run below the bound. A bound holds with probability 0.95 only,
/// but its proof is generous: the true probability is far smaller, and the seed is fixed. Returns
/// how many policies were held against their bound: those whose bound applies.
std::size_t expect_below_bounds(const std::shared_ptr<const Instance>& instance,
                                std::uint32_t rounds);

/// The same of the policies that are told L, if they are told an L(a) for each action.
std::size_t expect_below_bounds(const std::shared_ptr<const Instance>& instance,
                                std::uint32_t rounds, const std::vector<std::size_t>& max_affected);

/// The first audit instance: m = 10, baseline 0, independent noise of variance 1; b moves variable
/// 8 by 1, a moves variable 9 by 2, c moves variables 0 to 7 by -20 each and is dropped at once.
std::shared_ptr<const Instance> one_dropped_at_once();

}  // namespace updraft::testing
