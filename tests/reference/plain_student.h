#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace updraft::testing {

/// The probability that Student's t with `dof` degrees of freedom is between -x and x.
/// [abramowitz64, 26.7.3 and 26.7.4]
inline long double student_within(long double x, std::uint64_t dof) {
  const long double angle = std::atan(x / std::sqrt(static_cast<long double>(dof)));
  const long double cosine = std::cos(angle);
  const bool odd = dof % 2 == 1;
  long double term = odd ? cosine : 1.0L;
  long double sum = 0.0L;
  for (std::uint64_t j = odd ? 3 : 2; j <= dof; j += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<long double>(j - 1) / static_cast<long double>(j);
  }
  if (!odd) return std::sin(angle) * sum;
  return 2.0L / std::numbers::pi_v<long double> * (angle + std::sin(angle) * sum);
}

/// The x with student_within(x) = `probability`, by bisection.
inline long double student_reach(long double probability, std::uint64_t dof) {
  long double low = 0.0L;
  long double high = 1.0L;
  while (student_within(high, dof) < probability) high *= 2.0L;
  for (int step = 0; step < 100; ++step) {
    const long double middle = (low + high) / 2.0L;
    (student_within(middle, dof) < probability ? low : high) = middle;
  }
  return high;
}

}  // namespace updraft::testing
