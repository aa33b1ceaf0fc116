#include "random/chi_squared.h"

#include <cmath>

namespace updraft {

double chi_squared(const Stream& stream, std::uint32_t round, std::uint64_t first,
                   std::uint64_t degrees) {
  // Half of a chi-squared variable is a gamma variable of shape degrees / 2, and one of shape 1/2
  // is one of shape 3/2 times the square of a uniform.
  const double shape = degrees == 1 ? 1.5 : 0.5 * static_cast<double>(degrees);
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (std::uint64_t index = first;; index += 4) {
    const double x = stream.normal(round, index);
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    const double u = stream.uniform(round, index + 2);
    const double x2 = x * x;
    const bool surely = u < 1.0 - 0.0331 * x2 * x2;
    if (!surely && !(std::log(u) < 0.5 * x2 + d * (1.0 - v + std::log(v)))) continue;
    const double scale = degrees == 1 ? stream.uniform(round, index + 3) : 1.0;
    return 2.0 * d * v * scale * scale;
  }
}

}  // namespace updraft
