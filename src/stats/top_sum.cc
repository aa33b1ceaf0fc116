#include "stats/top_sum.h"

#include <algorithm>

#include "core/dense.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stats/top_sum.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/append_where-inl.h"

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;

struct Split {
  std::size_t above = 0;
  std::size_t equal = 0;
};

HWY_INLINE Split split(const double* values, std::size_t count, double pivot) {
  const Doubles doubles;
  const std::size_t lanes = hn::Lanes(doubles);
  const auto pivots = hn::Set(doubles, pivot);
  Split result;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(doubles, values + i);
    result.above += hn::CountTrue(doubles, hn::Gt(v, pivots));
    result.equal += hn::CountTrue(doubles, hn::Eq(v, pivots));
  }
  for (; i < count; ++i) {
    result.above += values[i] > pivot;
    result.equal += values[i] == pivot;
  }
  return result;
}

/// Moves the values above the pivot, or those below it, to `to`, which may be `values`. Writes up
/// to a vector beyond them.
HWY_INLINE std::size_t keep(const double* values, std::size_t count, double pivot, bool above,
                            double* to) {
  const Doubles doubles;
  const std::size_t lanes = hn::Lanes(doubles);
  const auto pivots = hn::Set(doubles, pivot);
  std::size_t kept = 0;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(doubles, values + i);
    const auto mask = above ? hn::Gt(v, pivots) : hn::Lt(v, pivots);
    kept += append_where(doubles, v, mask, to + kept);
  }
  for (; i < count; ++i) {
    if (above ? values[i] > pivot : values[i] < pivot) to[kept++] = values[i];
  }
  return kept;
}

/// The value of rank `rank` (1 = largest) of at most this many is found by ranking them all.
constexpr std::size_t kFew = 16;

/// Of five values spread over the array, the one whose rank among them is most like `rank`.
HWY_INLINE double pivot_of_five(const double* values, std::size_t count, std::size_t rank) {
  double five[5];
  for (std::size_t j = 0; j < 5; ++j) five[j] = values[(2 * j + 1) * count / 10];
  std::sort(five, five + 5);
  return five[4 - (5 * rank - 1) / count];
}

/// The value of rank `rank`, 1 <= rank <= count. `scratch` has room for count values and a vector.
double value_of_rank(const double* values, std::size_t count, std::size_t rank, double* scratch) {
  while (count > kFew) {
    const double pivot = pivot_of_five(values, count, rank);
    const Split at = split(values, count, pivot);
    if (rank <= at.above) {
      count = keep(values, count, pivot, true, scratch);
    } else if (rank <= at.above + at.equal) {
      return pivot;
    } else {
      rank -= at.above + at.equal;
      count = keep(values, count, pivot, false, scratch);
    }
    values = scratch;
  }
  for (std::size_t j = 0; j < count; ++j) {
    const Split at = split(values, count, values[j]);
    if (at.above < rank && rank <= at.above + at.equal) return values[j];
  }
  return 0.0;  // not reached: some value has the rank
}

/// Values not above the limit become 0. `to` may not be `values`.
void zero_unless_above(const double* HWY_RESTRICT values, std::size_t count, double limit,
                       double* HWY_RESTRICT to) {
  const Doubles doubles;
  const std::size_t lanes = hn::Lanes(doubles);
  const auto limits = hn::Set(doubles, limit);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(doubles, values + i);
    hn::StoreU(hn::IfThenElseZero(hn::Gt(v, limits), v), doubles, to + i);
  }
  for (; i < count; ++i) to[i] = values[i] > limit ? values[i] : 0.0;
}

std::size_t count_above(const double* values, std::size_t count, double limit) {
  return split(values, count, limit).above;
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace updraft {

HWY_EXPORT(value_of_rank);
HWY_EXPORT(zero_unless_above);
HWY_EXPORT(count_above);

double top_sum(std::span<const double> values, std::size_t count, std::vector<double>& scratch) {
  if (count >= values.size()) return sum_of(values);
  if (count == 0) return 0.0;
  constexpr std::size_t kVector = 32;  // more doubles than any vector has
  if (scratch.size() < values.size() + kVector) scratch.resize(values.size() + kVector);
  const double least =
      HWY_DYNAMIC_DISPATCH(value_of_rank)(values.data(), values.size(), count, scratch.data());
  // Summed in the order of `values`, so that the path to the rank leaves no trace in the result.
  HWY_DYNAMIC_DISPATCH(zero_unless_above)(values.data(), values.size(), least, scratch.data());
  const std::size_t above = HWY_DYNAMIC_DISPATCH(count_above)(values.data(), values.size(), least);
  return sum_of(std::span(scratch).first(values.size())) +
         static_cast<double>(count - above) * least;
}

}  // namespace updraft
#endif
