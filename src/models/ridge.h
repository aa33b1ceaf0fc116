#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace updraft {

/// The theta that minimises
///   sum over rows of (y - <theta, x>)^2 + ridge ||theta||^2
/// for rows of x one after the other, by the normal equations. ridge > 0, so there is one. Trusts
/// its arguments. Cost: O(rows d^2 + d^3).
std::vector<double> fit_ridge(std::span<const double> rows, std::span<const double> outcomes,
                              std::size_t features, double ridge);

}  // namespace updraft
