#include "random/box_muller.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "random/box_muller.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace box_muller;

using Doubles = hn::ScalableTag<double>;
using Vector = hn::Vec<Doubles>;

// Mul and Add, never MulAdd: a fused one would round once, and other machines twice.
HWY_INLINE Vector times_plus(Vector a, Vector b, double c) {
  return hn::Add(hn::Mul(a, b), hn::Set(Doubles(), c));
}

template <std::size_t N>
HWY_INLINE Vector polynomial(const double (&coefficients)[N], Vector x) {
  Vector sum = hn::Set(Doubles(), coefficients[0]);
  for (std::size_t i = 1; i < N; ++i) sum = times_plus(sum, x, coefficients[i]);
  return sum;
}

HWY_INLINE Vector minus_log(Vector x) {
  const Doubles doubles;
  const hn::RebindToUnsigned<Doubles> words;
  const auto bits = hn::Add(hn::BitCast(words, x), hn::Set(words, kOne - kRootHalf));
  const Vector m = hn::BitCast(
      doubles, hn::Add(hn::And(bits, hn::Set(words, kMantissa)), hn::Set(words, kRootHalf)));
  const Vector biased =
      hn::Sub(hn::BitCast(doubles, hn::Or(hn::ShiftRight<52>(bits), hn::Set(words, kTwo52))),
              hn::Set(doubles, 0x1p52));
  const Vector e = hn::Sub(biased, hn::Set(doubles, 1023.0));
  const Vector one = hn::Set(doubles, 1.0);
  const Vector s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const Vector t = hn::Mul(s, s);
  const Vector twice = hn::Add(s, s);
  const Vector log_m = hn::Add(twice, hn::Mul(hn::Mul(twice, t), polynomial(kAtanh, t)));
  const Vector low = hn::Add(log_m, hn::Mul(e, hn::Set(doubles, kLog2Low)));
  return hn::Neg(hn::Add(hn::Mul(e, hn::Set(doubles, kLog2High)), low));
}

HWY_INLINE void box_muller_of(Vector& u, Vector& v) {
  const Doubles doubles;
  const hn::RebindToUnsigned<Doubles> words;
  const Vector minus = minus_log(u);
  const Vector radius = hn::Sqrt(hn::Add(minus, minus));
  const Vector shifted = hn::Add(hn::Mul(v, hn::Set(doubles, 4.0)), hn::Set(doubles, kRound));
  const auto quadrant = hn::BitCast(words, shifted);  // its last two bits
  const Vector turns = hn::Sub(shifted, hn::Set(doubles, kRound));
  const Vector r = hn::Sub(v, hn::Mul(turns, hn::Set(doubles, 0.25)));
  const Vector angle = hn::Mul(r, hn::Set(doubles, kTwoPi));
  const Vector square = hn::Mul(angle, angle);
  const Vector sine = hn::Add(angle, hn::Mul(hn::Mul(angle, square), polynomial(kSin, square)));
  const Vector cosine = times_plus(polynomial(kCos, square), square, 1.0);
  const auto odd = hn::MaskFromVec(
      hn::BitCast(doubles, hn::Sub(hn::Zero(words), hn::And(quadrant, hn::Set(words, 1)))));
  const auto flip_cosine =
      hn::ShiftLeft<62>(hn::And(hn::Add(quadrant, hn::Set(words, 1)), hn::Set(words, 2)));
  const auto flip_sine = hn::ShiftLeft<62>(hn::And(quadrant, hn::Set(words, 2)));
  u = hn::Mul(radius,
              hn::Xor(hn::IfThenElse(odd, sine, cosine), hn::BitCast(doubles, flip_cosine)));
  v = hn::Mul(radius, hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(doubles, flip_sine)));
}

void pairs(double* values, std::size_t count) {
  const Doubles doubles;
  const std::size_t step = 2 * hn::Lanes(doubles);
  Vector u, v;
  for (; count >= step; count -= step, values += step) {
    hn::LoadInterleaved2(doubles, values, u, v);
    box_muller_of(u, v);
    hn::StoreInterleaved2(u, v, doubles, values);
  }
  if (count > 0) {
    HWY_ALIGN double rest[2 * hn::MaxLanes(doubles)];
    std::fill(rest, rest + step, 0.5);
    std::copy(values, values + count, rest);
    hn::LoadInterleaved2(doubles, rest, u, v);
    box_muller_of(u, v);
    hn::StoreInterleaved2(u, v, doubles, rest);
    std::copy(rest, rest + count, values);
  }
}

void split_pairs(double* HWY_RESTRICT u, double* HWY_RESTRICT v, std::size_t count) {
  const Doubles doubles;
  const std::size_t lanes = hn::Lanes(doubles);
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    Vector first = hn::LoadU(doubles, u + j);
    Vector second = hn::LoadU(doubles, v + j);
    box_muller_of(first, second);
    hn::StoreU(first, doubles, u + j);
    hn::StoreU(second, doubles, v + j);
  }
  for (; j < count; ++j) {
    double pair[2] = {u[j], v[j]};
    pairs(pair, 2);
    u[j] = pair[0];
    v[j] = pair[1];
  }
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace updraft {

HWY_EXPORT(pairs);
HWY_EXPORT(split_pairs);

void normal_pairs(std::span<double> values) {
  assert(values.size() % 2 == 0);
  HWY_DYNAMIC_DISPATCH(pairs)(values.data(), values.size());
}

void normal_pairs(std::span<double> u, std::span<double> v) {
  assert(u.size() == v.size());
  HWY_DYNAMIC_DISPATCH(split_pairs)(u.data(), v.data(), u.size());
}

namespace {

template <std::size_t N>
double polynomial(const double (&coefficients)[N], double x) {
  double sum = coefficients[0];
  for (std::size_t i = 1; i < N; ++i) sum = sum * x + coefficients[i];
  return sum;
}

double minus_log(double x) {
  using namespace box_muller;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + (kOne - kRootHalf);
  const double m = std::bit_cast<double>((bits & kMantissa) + kRootHalf);
  const double e = std::bit_cast<double>((bits >> 52) | kTwo52) - 0x1p52 - 1023.0;
  const double s = (m - 1.0) / (m + 1.0);
  const double t = s * s;
  const double log_m = 2.0 * s + 2.0 * s * t * polynomial(kAtanh, t);
  return -(e * kLog2High + (log_m + e * kLog2Low));
}

}  // namespace

NormalPair normal_pair(double u, double v) {
  using namespace box_muller;
  const double radius = std::sqrt(2.0 * minus_log(u));
  const auto quadrant = static_cast<int>(4.0 * v + kRound - kRound);
  const double angle = (v - 0.25 * quadrant) * kTwoPi;
  const double square = angle * angle;
  const double sine = angle + angle * square * polynomial(kSin, square);
  const double cosine = polynomial(kCos, square) * square + 1.0;
  switch (quadrant % 4) {
    case 0:
      return {radius * cosine, radius * sine};
    case 1:
      return {radius * -sine, radius * cosine};
    case 2:
      return {radius * -cosine, radius * -sine};
    default:
      return {radius * sine, radius * -cosine};
  }
}

}  // namespace updraft
#endif
