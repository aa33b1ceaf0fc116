#include "random/normal_quantile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace updraft {
namespace {

/// A ratio of polynomials of degree 7, coefficients in increasing order of power; that of the
/// denominator at power 0 is 1.
struct Ratio {
  double numerator[8];
  double denominator[7];

  double operator()(double x) const {
    double above = numerator[7];
    double below = denominator[6];
    for (int i = 6; i >= 0; --i) above = above * x + numerator[i];
    for (int i = 5; i >= 0; --i) below = below * x + denominator[i];
    return above / (below * x + 1.0);
  }
};

// [wichura88, PPND16]: for |p - 1/2| <= 0.425, then by r = sqrt(-log(min(p, 1 - p))).
constexpr Ratio kCentre = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3}};
constexpr Ratio kNearTail = {  // r <= 5
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
constexpr Ratio kFarTail = {  // r > 5, that is p < 1.4e-11
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

constexpr double kCentreHalfWidth = 0.425;
constexpr double kNearTailEnd = 5.0;

inline double central(double q) { return q * kCentre(kCentreHalfWidth * kCentreHalfWidth - q * q); }

inline double near_tail(double r) { return kNearTail(r - 1.6); }

inline double far_tail(double r) { return kFarTail(r - kNearTailEnd); }

/// -log(x) + shift * log(2) for a normal x in (0, 0.1]: x = 2^e * m with m in [sqrt(1/2), sqrt(2)),
///   log(m) = 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + ...),  s = (m - 1) / (m + 1),  |s| < 0.1716.
/// Terms up to s^19 leave less than 1e-17; the relative error is below 3e-16, as -log(x) > 2.3.
inline double minus_log(double x, double shift) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdULL;  // bits of sqrt(1/2)
  constexpr std::uint64_t kOne = 0x3ff0000000000000ULL;
  constexpr std::uint64_t kMantissa = 0x000fffffffffffffULL;
  constexpr std::uint64_t kTwo52 = 0x4330000000000000ULL;  // bits of 2^52, to convert
  constexpr double kLog2High = 0x1.62e42feep-1;            // 33 bits: exact times an exponent
  constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + (kOne - kRootHalf);
  const double m = std::bit_cast<double>((bits & kMantissa) + kRootHalf);
  const double biased = std::bit_cast<double>((bits >> 52) | kTwo52) - 0x1p52;
  const double e = biased - (1023.0 + shift);
  const double s = (m - 1.0) / (m + 1.0);
  const double t = s * s;
  double series = 1.0 / 19.0;
  series = series * t + 1.0 / 17.0;
  series = series * t + 1.0 / 15.0;
  series = series * t + 1.0 / 13.0;
  series = series * t + 1.0 / 11.0;
  series = series * t + 1.0 / 9.0;
  series = series * t + 1.0 / 7.0;
  series = series * t + 1.0 / 5.0;
  series = series * t + 1.0 / 3.0;
  const double log_m = 2.0 * s + 2.0 * s * t * series;
  return -(e * kLog2High + (log_m + e * kLog2Low));
}

/// Values worked on together; what they need stays in the first-level cache.
constexpr std::size_t kChunk = 128;

/// normal_quantiles for at most kChunk values.
void quantiles_of_chunk(std::span<double> values) {
  std::array<double, kChunk> q;             // p - 1/2
  std::array<double, kChunk> tail;          // min(p, 1 - p), then r, of those outside the centre
  std::array<std::uint32_t, kChunk> place;  // where these stand
  std::uint32_t tails = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = values[i];
    q[i] = p - 0.5;
    place[tails] = static_cast<std::uint32_t>(i);
    tail[tails] = std::min(p, 1.0 - p);
    tails += static_cast<std::uint32_t>(std::abs(q[i]) > kCentreHalfWidth);
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = central(q[i]);
  std::array<double, kChunk> magnitude;
  for (std::size_t j = 0; j < tails; ++j) tail[j] = minus_log(tail[j], 0.0);
  for (std::size_t j = 0; j < tails; ++j) tail[j] = std::sqrt(tail[j]);
  for (std::size_t j = 0; j < tails; ++j) magnitude[j] = near_tail(tail[j]);
  for (std::size_t j = 0; j < tails; ++j) {
    if (tail[j] > kNearTailEnd) magnitude[j] = far_tail(tail[j]);
    values[place[j]] = std::copysign(magnitude[j], q[place[j]]);
  }
}

}  // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= kCentreHalfWidth) return central(q);
  const double tail = q < 0.0 ? p : 1.0 - p;
  if (!(tail > 0.0)) {
    if (tail == 0.0) return std::copysign(std::numeric_limits<double>::infinity(), q);
    return std::numeric_limits<double>::quiet_NaN();
  }
  const bool subnormal = tail < std::numeric_limits<double>::min();
  const double r = std::sqrt(subnormal ? minus_log(tail * 0x1p54, 54.0) : minus_log(tail, 0.0));
  return std::copysign(r <= kNearTailEnd ? near_tail(r) : far_tail(r), q);
}

void normal_quantiles(std::span<double> values) {
  for (std::size_t first = 0; first < values.size(); first += kChunk) {
    quantiles_of_chunk(values.subspan(first, std::min(kChunk, values.size() - first)));
  }
}

}  // namespace updraft
