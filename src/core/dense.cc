#include "core/dense.h"

#include <cassert>
#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/dense.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/eight_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double sum(const double* values, std::size_t count) {
  Sums sums;
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t j = 0; j < kVectors; ++j) {
      sums.parts[j] = hn::Add(sums.parts[j], hn::LoadU(Doubles(), values + i + j * kLanes));
    }
  }
  double eight[kSums];
  sums.store(eight);
  for (std::size_t j = 0; i + j < count; ++j) eight[j] += values[i + j];
  return Sums::added(eight);
}

/// Whether test(vector) holds in all lanes, and test_one(value) for those after the last vector.
template <typename Test, typename TestOne>
HWY_INLINE bool all(const double* values, std::size_t count, Test test, TestOne test_one) {
  const Doubles doubles;
  auto found = hn::Eq(hn::Zero(doubles), hn::Zero(doubles));
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    found = hn::And(found, test(hn::LoadU(doubles, values + i)));
  }
  bool rest = true;
  for (; i < count; ++i) rest &= test_one(values[i]);
  return rest && hn::AllTrue(doubles, found);
}

bool within(const double* values, std::size_t count, double limit) {
  const Vector limits = hn::Set(Doubles(), limit);
  return all(
      values, count, [&](Vector v) HWY_ATTR { return hn::Le(hn::Abs(v), limits); },
      [&](double value) { return std::abs(value) <= limit; });
}

bool equal(const double* values, std::size_t count, double value) {
  const Vector wanted = hn::Set(Doubles(), value);
  return all(
      values, count, [&](Vector v) HWY_ATTR { return hn::Eq(v, wanted); },
      [&](double one) { return one == value; });
}

bool increasing(const VariableId* ids, std::size_t count) {
  const hn::ScalableTag<VariableId> tag;
  const std::size_t lanes = hn::Lanes(tag);
  // a < b for unsigned numbers: max(a, b) == b, and a != b.
  auto all = hn::Eq(hn::Zero(tag), hn::Zero(tag));
  std::size_t i = 1;
  for (; i + lanes <= count; i += lanes) {
    const auto before = hn::LoadU(tag, ids + i - 1);
    const auto after = hn::LoadU(tag, ids + i);
    all = hn::And(all, hn::AndNot(hn::Eq(before, after), hn::Eq(hn::Max(before, after), after)));
  }
  bool rest = true;
  for (; i < count; ++i) rest &= ids[i - 1] < ids[i];
  return rest && hn::AllTrue(tag, all);
}

void add(double* HWY_RESTRICT to, const double* HWY_RESTRICT values, std::size_t count) {
  const Doubles doubles;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::Add(hn::LoadU(doubles, to + i), hn::LoadU(doubles, values + i)), doubles,
               to + i);
  }
  for (; i < count; ++i) to[i] += values[i];
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace updraft {

HWY_EXPORT(sum);
HWY_EXPORT(within);
HWY_EXPORT(equal);
HWY_EXPORT(increasing);
HWY_EXPORT(add);

double sum_of(std::span<const double> values) {
  return HWY_DYNAMIC_DISPATCH(sum)(values.data(), values.size());
}

bool all_within(std::span<const double> values, double limit) {
  return HWY_DYNAMIC_DISPATCH(within)(values.data(), values.size(), limit);
}

bool all_equal(std::span<const double> values, double value) {
  return HWY_DYNAMIC_DISPATCH(equal)(values.data(), values.size(), value);
}

bool strictly_increasing(std::span<const VariableId> ids) {
  return HWY_DYNAMIC_DISPATCH(increasing)(ids.data(), ids.size());
}

void add_to(std::span<double> to, std::span<const double> values) {
  assert(to.size() == values.size());
  HWY_DYNAMIC_DISPATCH(add)(to.data(), values.data(), values.size());
}

}  // namespace updraft
#endif
