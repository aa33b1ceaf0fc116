#include "stats/student.h"

#include <cmath>
#include <numbers>

namespace updraft {
namespace {

constexpr double kLevel = 0.95;

/// P(|T| <= sqrt(degrees) tan(angle)), a finite sum. [abramowitz64, 26.7.3 and 26.7.4]
double probability(double angle, std::uint64_t degrees) {
  const double sine = std::sin(angle);
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  if (degrees == 1) return angle * 2.0 / std::numbers::pi;
  double term = odd ? cosine : 1.0;
  double sum = term;
  for (std::uint64_t k = odd ? 3 : 2; k + 2 <= degrees; k += 2) {
    const auto j = static_cast<double>(k);
    term *= (j - 1.0) / j * cosine * cosine;
    sum += term;
  }
  return odd ? (angle + sine * sum) * 2.0 / std::numbers::pi : sine * sum;
}

}  // namespace

double student_95(std::uint64_t degrees) {
  const auto n = static_cast<double>(degrees);
  if (degrees > 60) {  // the expansion about the normal [abramowitz64, 26.7.5]
    const double x = kNormal95;
    const double x2 = x * x;
    const double g1 = (x2 + 1.0) * x / 4.0;
    const double g2 = ((5.0 * x2 + 16.0) * x2 + 3.0) * x / 96.0;
    const double g3 = (((3.0 * x2 + 19.0) * x2 + 17.0) * x2 - 15.0) * x / 384.0;
    return x + (g1 + (g2 + g3 / n) / n) / n;
  }
  double low = 0.0;
  double high = 0.5 * std::numbers::pi;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (probability(middle, degrees) < kLevel ? low : high) = middle;
  }
  return std::sqrt(n) * std::tan(0.5 * (low + high));
}

}  // namespace updraft
