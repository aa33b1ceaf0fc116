#include "stats/padding_scan.h"

#include <algorithm>

// Work handed to a loop must become part of it: passing vectors on costs more than the work.
#define UPDRAFT_INLINE __attribute__((always_inline))

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stats/padding_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/append_where-inl.h"
#include "core/eight_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE Vector load(const double* from) { return hn::LoadU(Doubles(), from); }
HWY_INLINE Vector load(const std::uint16_t* from) {
  const hn::Rebind<std::int32_t, Doubles> ints;
  const hn::Rebind<std::uint16_t, Doubles> shorts;
  return hn::PromoteTo(Doubles(), hn::PromoteTo(ints, hn::LoadU(shorts, from)));
}

/// work(i, j) for the vectors of kLanes variables from i on, j being their place among the sums.
/// The last ones, fewer than kSums, are given as padded copies.
template <typename T, typename Work>
HWY_INLINE void for_each_vector(const T* row, const double* lower, const double* upper,
                                std::size_t count, double padding, Work work) {
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t j = 0; j < kVectors; ++j) {
      const std::size_t at = i + j * kLanes;
      work(j, load(row + at), load(lower + at), load(upper + at), kLanes);
    }
  }
  if (i == count) return;
  HWY_ALIGN T rows[kSums] = {};
  HWY_ALIGN double lowers[kSums];
  HWY_ALIGN double uppers[kSums];
  std::fill(lowers, lowers + kSums, padding);
  std::fill(uppers, uppers + kSums, padding);
  std::copy(row + i, row + count, rows);
  std::copy(lower + i, lower + count, lowers);
  std::copy(upper + i, upper + count, uppers);
  for (std::size_t j = 0; j < kVectors && i + j * kLanes < count; ++j) {
    const std::size_t at = j * kLanes;
    work(j, load(rows + at), load(lowers + at), load(uppers + at),
         std::min(kLanes, count - i - at));
  }
}

template <typename T>
HWY_INLINE PaddingScan scan_row(const PaddingInputs& in, const T* row, double* HWY_RESTRICT rest) {
  const Doubles doubles;
  const Vector inverse = hn::Set(doubles, 1.0 / in.pulls);
  const Vector radius = hn::Set(doubles, in.radius);
  const Vector zero = hn::Zero(doubles);
  const Vector width = hn::Set(doubles, in.baseline_upper[0] - in.baseline_lower[0]);
  Sums identified_sum, positive, negative;
  PaddingScan scan;
  for_each_vector(
      row, in.baseline_lower.data(), in.baseline_upper.data(), in.row.size(), 0.0,
      [&](std::size_t j, Vector sum, Vector baseline_lower, Vector baseline_upper,
          std::size_t present) HWY_ATTR UPDRAFT_INLINE {
        const Vector mean = hn::Mul(sum, inverse);
        const Vector lower = hn::Sub(mean, radius);
        const Vector upper = hn::Add(mean, radius);
        Vector index = hn::Sub(upper, baseline_upper);
        auto identified = hn::Or(hn::Lt(baseline_upper, lower), hn::Lt(upper, baseline_lower));
        auto candidate = hn::Not(identified);
        if (HWY_UNLIKELY(present < kLanes)) {
          const auto there = hn::FirstN(doubles, present);
          identified = hn::And(identified, there);
          candidate = hn::And(candidate, there);
          index = hn::IfThenElseZero(there, index);
        }
        scan.identified += hn::CountTrue(doubles, identified);
        identified_sum.parts[j] =
            hn::Add(identified_sum.parts[j], hn::IfThenElseZero(identified, index));
        if (in.positive_only) candidate = hn::And(candidate, hn::Gt(index, zero));
        scan.others += append_where(doubles, index, candidate, rest + scan.others);
        positive.parts[j] = hn::Add(positive.parts[j], hn::Max(index, zero));
        negative.parts[j] = hn::Add(negative.parts[j], hn::Min(hn::Add(index, width), zero));
      });
  scan.identified_sum = identified_sum.total();
  scan.limit = safely_above(positive.total(), negative.total());
  return scan;
}

PaddingScan scan(const PaddingInputs& in, double* rest) {
  if (in.row.size() == 0) return {};
  return in.row.whole() ? scan_row(in, in.row.counts().data(), rest)
                        : scan_row(in, in.row.sums().data(), rest);
}

template <typename T>
HWY_INLINE double shift_row(const BaselineShift& in, const T* row, double* HWY_RESTRICT lower,
                            double* HWY_RESTRICT upper) {
  const Doubles doubles;
  const Vector inverse = hn::Set(doubles, 1.0 / in.pulls);
  const Vector radius = hn::Set(doubles, in.radius);
  const Vector width = hn::Set(doubles, in.width);
  const Vector zero = hn::Zero(doubles);
  Sums positive, negative;
  std::size_t i = 0;
  for_each_vector(
      row, lower, upper, in.row.size(), 0.0,
      [&](std::size_t j, Vector sum, Vector, Vector old_upper, std::size_t present) HWY_ATTR {
        const Vector mean = hn::Mul(sum, inverse);
        const Vector new_lower = hn::Sub(mean, radius);
        const Vector new_upper = hn::Add(mean, radius);
        Vector fall = hn::Sub(old_upper, new_upper);
        if (HWY_UNLIKELY(present < kLanes)) {
          fall = hn::IfThenElseZero(hn::FirstN(doubles, present), fall);
          HWY_ALIGN double bounds[2 * kLanes];
          hn::Store(new_lower, doubles, bounds);
          hn::Store(new_upper, doubles, bounds + kLanes);
          std::copy(bounds, bounds + present, lower + i);
          std::copy(bounds + kLanes, bounds + kLanes + present, upper + i);
        } else {
          hn::StoreU(new_lower, doubles, lower + i);
          hn::StoreU(new_upper, doubles, upper + i);
        }
        i += present;
        positive.parts[j] = hn::Add(positive.parts[j], hn::Max(fall, zero));
        negative.parts[j] = hn::Add(negative.parts[j], hn::Min(hn::Add(fall, width), zero));
      });
  return safely_above(positive.total(), negative.total());
}

double shift(const BaselineShift& in, double* lower, double* upper) {
  return in.row.whole() ? shift_row(in, in.row.counts().data(), lower, upper)
                        : shift_row(in, in.row.sums().data(), lower, upper);
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace updraft {

HWY_EXPORT(scan);
HWY_EXPORT(shift);

PaddingScan scan_padding(const PaddingInputs& in, double* rest) {
  return HWY_DYNAMIC_DISPATCH(scan)(in, rest);
}

double shift_baseline(const BaselineShift& in, double* lower, double* upper) {
  return HWY_DYNAMIC_DISPATCH(shift)(in, lower, upper);
}

}  // namespace updraft
#endif
