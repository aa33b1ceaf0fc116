#include "core/dense.h"

#include <cassert>
#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/dense.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kSums = 8;
using Doubles = hn::CappedTag<double, kSums>;
constexpr std::size_t kVectors = kSums / hn::MaxLanes(Doubles());

double sum(const double* values, std::size_t count) {
  const Doubles doubles;
  constexpr std::size_t kLanes = hn::MaxLanes(doubles);
  hn::Vec<Doubles> partial[kVectors];
  for (auto& p : partial) p = hn::Zero(doubles);
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t j = 0; j < kVectors; ++j) {
      partial[j] = hn::Add(partial[j], hn::LoadU(doubles, values + i + j * kLanes));
    }
  }
  HWY_ALIGN double s[kSums];
  for (std::size_t j = 0; j < kVectors; ++j) hn::Store(partial[j], doubles, s + j * kLanes);
  for (std::size_t j = 0; i + j < count; ++j) s[j] += values[i + j];
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

bool within(const double* values, std::size_t count, double limit) {
  const Doubles doubles;
  constexpr std::size_t kLanes = hn::MaxLanes(doubles);
  const auto limits = hn::Set(doubles, limit);
  auto all = hn::Eq(limits, limits);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    all = hn::And(all, hn::Le(hn::Abs(hn::LoadU(doubles, values + i)), limits));
  }
  bool rest = true;
  for (; i < count; ++i) rest &= std::abs(values[i]) <= limit;
  return rest && hn::AllTrue(doubles, all);
}

bool equal(const double* values, std::size_t count, double value) {
  const Doubles doubles;
  constexpr std::size_t kLanes = hn::MaxLanes(doubles);
  const auto wanted = hn::Set(doubles, value);
  auto all = hn::Eq(wanted, wanted);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    all = hn::And(all, hn::Eq(hn::LoadU(doubles, values + i), wanted));
  }
  bool rest = true;
  for (; i < count; ++i) rest &= values[i] == value;
  return rest && hn::AllTrue(doubles, all);
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
  constexpr std::size_t kLanes = hn::MaxLanes(doubles);
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
