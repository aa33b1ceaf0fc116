#include "environments/columns.h"

#include <cassert>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "environments/columns.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;

void scale_take(double* HWY_RESTRICT column, double scale, double* HWY_RESTRICT rest,
                std::size_t count) {
  const Doubles doubles;
  const std::size_t lanes = hn::Lanes(doubles);
  const auto scales = hn::Set(doubles, scale);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto scaled = hn::Mul(hn::LoadU(doubles, column + i), scales);
    hn::StoreU(scaled, doubles, column + i);
    hn::StoreU(hn::Sub(hn::LoadU(doubles, rest + i), scaled), doubles, rest + i);
  }
  for (; i < count; ++i) {
    column[i] *= scale;
    rest[i] -= column[i];
  }
}

void add_times(double* HWY_RESTRICT column, double factor, const double* HWY_RESTRICT other,
               std::size_t count) {
  const Doubles doubles;
  const std::size_t lanes = hn::Lanes(doubles);
  const auto factors = hn::Set(doubles, factor);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto more = hn::Mul(hn::LoadU(doubles, other + i), factors);
    hn::StoreU(hn::Add(hn::LoadU(doubles, column + i), more), doubles, column + i);
  }
  for (; i < count; ++i) column[i] += other[i] * factor;
}

void combine_three(double* HWY_RESTRICT to, Term x, Term y, Term z, std::size_t count) {
  const Doubles doubles;
  const std::size_t lanes = hn::Lanes(doubles);
  const auto a = hn::Set(doubles, x.factor);
  const auto b = hn::Set(doubles, y.factor);
  const auto c = hn::Set(doubles, z.factor);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto first = hn::Add(hn::Mul(a, hn::LoadU(doubles, x.column + i)),
                               hn::Mul(b, hn::LoadU(doubles, y.column + i)));
    hn::StoreU(hn::Add(first, hn::Mul(c, hn::LoadU(doubles, z.column + i))), doubles, to + i);
  }
  for (; i < count; ++i) {
    to[i] = x.factor * x.column[i] + y.factor * y.column[i] + z.factor * z.column[i];
  }
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace updraft {

HWY_EXPORT(scale_take);
HWY_EXPORT(add_times);
HWY_EXPORT(combine_three);

void scale_and_take(std::span<double> column, double scale, std::span<double> rest) {
  assert(column.size() == rest.size());
  HWY_DYNAMIC_DISPATCH(scale_take)(column.data(), scale, rest.data(), column.size());
}

void add_scaled(std::span<double> column, double factor, std::span<const double> other) {
  assert(column.size() == other.size());
  HWY_DYNAMIC_DISPATCH(add_times)(column.data(), factor, other.data(), column.size());
}

void combine(std::span<double> to, Term x, Term y, Term z) {
  HWY_DYNAMIC_DISPATCH(combine_three)(to.data(), x, y, z, to.size());
}

}  // namespace updraft
#endif
