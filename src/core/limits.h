#pragma once

namespace updraft {

/// Numbers of files and tables are at most this in size, so that no sum and no square overflows.
inline constexpr double kLargestNumber = 1e100;

/// Standard deviations below this share of the means are rounding.
inline constexpr double kRounding = 1e-13;

}  // namespace updraft
