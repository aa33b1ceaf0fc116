#pragma once

#include <cstdint>

namespace updraft {

/// The normal law has 95 % of its mass within so many standard deviations.
inline constexpr double kNormal95 = 1.959963984540054;

/// The x with P(|T| <= x) = 0.95 for Student's T with `degrees` >= 1 degrees of freedom.
/// Relative error below 1e-7. Cost: O(degrees) up to 60 degrees, O(1) beyond.
double student_95(std::uint64_t degrees);

}  // namespace updraft
