#include "stats/count_scan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

// Work handed to a loop must become part of it: passing vectors on costs more than the work.
#define UPDRAFT_INLINE __attribute__((always_inline))

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stats/count_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/append_where-inl.h"

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Ints = hn::CappedTag<std::int32_t, 16>;
using Shorts = hn::Rebind<std::uint16_t, Ints>;
using IntVector = hn::Vec<Ints>;
constexpr std::size_t kIntLanes = hn::MaxLanes(Ints());
constexpr std::size_t kIntVectors = 64 / kIntLanes;  // of a word of bits

/// D > limit for whole D, as D > a whole number of 32 bits.
HWY_INLINE std::int32_t whole_limit(double limit) {
  return static_cast<std::int32_t>(std::clamp(std::floor(limit), -2147483648.0, 2147483647.0));
}

struct Pair {
  IntVector count;
  IntVector baseline_count;
  IntVector difference;
};

/// Goes through the pairs of counts 64 at a time: work(word, j, pair) for the j-th vector of a
/// word. After the last pair come pairs of zeros. Calls flush() as often as sums of 32 bits need
/// it.
template <typename Work, typename Flush>
HWY_INLINE void for_each_pair(const CountPaddingInputs& in, Work work, Flush flush) {
  const Ints ints;
  const Shorts shorts;
  const auto pulls = hn::Set(ints, static_cast<std::int32_t>(in.pulls));
  const auto baseline_pulls = hn::Set(ints, static_cast<std::int32_t>(in.baseline_pulls));
  const double largest = std::max({1.0, in.largest * static_cast<double>(in.baseline_pulls),
                                   in.baseline_largest * static_cast<double>(in.pulls), 65535.0});
  const auto vectors_per_flush = static_cast<std::size_t>(2147483647.0 / largest);
  const std::size_t count = in.counts.size();
  HWY_ALIGN std::uint16_t counts[64] = {};
  HWY_ALIGN std::uint16_t baseline_counts[64] = {};
  std::size_t until_flush = vectors_per_flush;
  for (std::size_t i = 0; i < count; i += 64) {
    const std::uint16_t* c = in.counts.data() + i;
    const std::uint16_t* c0 = in.baseline_counts.data() + i;
    if (HWY_UNLIKELY(i + 64 > count)) {
      std::copy(c, c + (count - i), counts);
      std::copy(c0, c0 + (count - i), baseline_counts);
      c = counts;
      c0 = baseline_counts;
    }
    for (std::size_t j = 0; j < kIntVectors; ++j) {
      const auto a = hn::PromoteTo(ints, hn::LoadU(shorts, c + j * kIntLanes));
      const auto b = hn::PromoteTo(ints, hn::LoadU(shorts, c0 + j * kIntLanes));
      work(i / 64, j, Pair{a, b, hn::Sub(hn::Mul(a, baseline_pulls), hn::Mul(b, pulls))});
      if (HWY_UNLIKELY(--until_flush == 0)) {
        flush();
        until_flush = vectors_per_flush;
      }
    }
  }
  flush();
}

/// A sum of whole numbers, of 32 bits between flushes.
struct WholeSum {
  IntVector sums;
  double total = 0.0;

  HWY_INLINE WholeSum() : sums(hn::Zero(Ints())) {}
  template <typename Mask>
  HWY_INLINE void add(Mask mask, IntVector values) {
    sums = hn::IfThenElse(mask, hn::Add(sums, values), sums);
  }
  HWY_INLINE void flush() {
    HWY_ALIGN std::int32_t lanes[kIntLanes];
    hn::Store(sums, Ints(), lanes);
    for (const std::int32_t lane : lanes) total += lane;
    sums = hn::Zero(Ints());
  }
};

HWY_INLINE std::uint64_t mask_bits(hn::Mask<Ints> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Ints(), mask, bytes);
  std::uint64_t bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

struct RunningNear {
  WholeSum differences;
  WholeSum baseline_counts;

  HWY_INLINE RunningNear() {}
  template <typename Mask>
  HWY_INLINE void add(Mask mask, const Pair& pair, CountScan::Part& part) {
    part.number += hn::CountTrue(Ints(), mask);
    differences.add(mask, pair.difference);
    baseline_counts.add(mask, pair.baseline_count);
  }
};

CountScan scan_pairs(const CountPaddingInputs& in, const CountLimits& limits,
                     std::uint64_t* HWY_RESTRICT far_bits) {
  const Ints ints;
  const hn::RebindToFloat<Ints> floats;
  const auto rounding = hn::Set(floats, kFloatRounding);
  const auto fall = hn::Set(floats, largest_fall(in, limits));
  const auto deepest = hn::Set(floats, below_in_floats(-limits.disjoint));
  const auto nearest = hn::Set(floats, below_in_floats(limits.disjoint - limits.drop));
  const auto highest = hn::Set(ints, whole_limit(limits.disjoint));
  const auto lowest = hn::Set(ints, -whole_limit(limits.disjoint));
  const auto farthest = hn::Set(ints, whole_limit(limits.disjoint + limits.rise));
  const auto zero = hn::Zero(ints);
  CountScan scan;
  WholeSum above_sum, below_sum, far_counts, far_baseline_counts;
  RunningNear above, below;
  std::uint64_t bits = 0;
  for_each_pair(
      in,
      [&](std::size_t word, std::size_t j, const Pair& pair) HWY_ATTR UPDRAFT_INLINE {
        const auto difference = hn::ConvertTo(floats, pair.difference);
        const auto rounded_up = hn::Add(difference, hn::Mul(hn::Abs(difference), rounding));
        const auto highest_later =
            hn::Add(rounded_up, hn::Mul(hn::ConvertTo(floats, pair.baseline_count), fall));
        const auto far = hn::Or(hn::Gt(pair.difference, farthest),
                                hn::RebindMask(ints, hn::Lt(highest_later, deepest)));
        const auto near_above =
            hn::AndNot(far, hn::And(hn::RebindMask(ints, hn::Gt(highest_later, nearest)),
                                    hn::Gt(pair.count, zero)));
        const auto near_below =
            hn::AndNot(hn::Or(far, near_above), hn::Lt(pair.difference, lowest));
        scan.far += hn::CountTrue(ints, far);
        far_counts.add(far, pair.count);
        far_baseline_counts.add(far, pair.baseline_count);
        below.add(near_below, pair, scan.near_below);
        if (!hn::AllFalse(ints, near_above)) {
          above.add(near_above, pair, scan.near_above);
          const auto identified = hn::And(near_above, hn::Gt(pair.difference, highest));
          scan.identified_above.number += hn::CountTrue(ints, identified);
          above_sum.add(identified, pair.difference);
          const auto sunk = hn::And(near_above, hn::Lt(pair.difference, lowest));
          scan.identified_below.number += hn::CountTrue(ints, sunk);
          below_sum.add(sunk, pair.difference);
        }
        bits |= mask_bits(far) << (j * kIntLanes);
        if (j + 1 == kIntVectors) {
          far_bits[word] = bits;
          bits = 0;
        }
      },
      [&] {
        for (WholeSum* sum :
             {&above_sum, &below_sum, &far_counts, &far_baseline_counts, &above.differences,
              &above.baseline_counts, &below.differences, &below.baseline_counts}) {
          sum->flush();
        }
      });
  scan.identified_above.differences = above_sum.total;
  scan.identified_below.differences = below_sum.total;
  scan.near_above.differences = above.differences.total;
  scan.near_above.baseline_counts = above.baseline_counts.total;
  scan.near_below.differences = below.differences.total;
  scan.near_below.baseline_counts = below.baseline_counts.total;
  scan.far_counts = far_counts.total;
  scan.far_baseline_counts = far_baseline_counts.total;
  return scan;  // the pairs of zeros after the last are in no part
}

CountScan::Part identified(const CountPaddingInputs& in, double disjoint) {
  const Ints ints;
  const auto highest = hn::Set(ints, whole_limit(disjoint));
  CountScan::Part part;
  WholeSum differences;
  for_each_pair(
      in,
      [&](std::size_t, std::size_t, const Pair& pair) HWY_ATTR UPDRAFT_INLINE {
        const auto found = hn::Gt(hn::Abs(pair.difference), highest);
        part.number += hn::CountTrue(ints, found);
        differences.add(found, pair.difference);
      },
      [&] { differences.flush(); });
  part.differences = differences.total;
  return part;
}

CountCandidates collect(const CountPaddingInputs& in, double disjoint, double positive,
                        std::int32_t* HWY_RESTRICT differences) {
  const Ints ints;
  const auto highest = hn::Set(ints, whole_limit(disjoint));
  const auto least_positive = hn::Set(ints, whole_limit(positive));
  const auto zero = hn::Zero(ints);
  CountCandidates found;
  std::size_t zeros = 0;
  for_each_pair(
      in,
      [&](std::size_t, std::size_t, const Pair& pair) HWY_ATTR UPDRAFT_INLINE {
        const auto is_zero = hn::Eq(pair.difference, zero);
        const auto out = hn::Or(is_zero, hn::Gt(pair.difference, highest));
        const auto candidate = hn::AndNot(out, hn::Gt(pair.difference, least_positive));
        zeros += hn::CountTrue(ints, is_zero);
        if (!hn::AllFalse(ints, candidate)) {
          found.differences +=
              append_where(ints, pair.difference, candidate, differences + found.differences);
        }
      },
      [] {});
  if (whole_limit(positive) < 0) found.zeros = zeros - (64 - in.counts.size() % 64) % 64;
  return found;
}

std::size_t count_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  const hn::CappedTag<std::uint64_t, 8> tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto sums = hn::Zero(tag);
  std::size_t w = 0;
  for (; w + lanes <= words; w += lanes) {
    sums =
        hn::Add(sums, hn::PopulationCount(hn::And(hn::LoadU(tag, a + w), hn::LoadU(tag, b + w))));
  }
  HWY_ALIGN std::uint64_t totals[hn::MaxLanes(tag)];
  hn::Store(sums, tag, totals);
  std::size_t total = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) total += totals[lane];
  for (; w < words; ++w) total += static_cast<std::size_t>(std::popcount(a[w] & b[w]));
  return total;
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace updraft {

HWY_EXPORT(scan_pairs);
HWY_EXPORT(identified);
HWY_EXPORT(collect);
HWY_EXPORT(count_common);

CountScan scan_counts(const CountPaddingInputs& in, const CountLimits& limits,
                      std::uint64_t* far_bits) {
  return HWY_DYNAMIC_DISPATCH(scan_pairs)(in, limits, far_bits);
}

CountScan::Part scan_identified(const CountPaddingInputs& in, double disjoint) {
  return HWY_DYNAMIC_DISPATCH(identified)(in, disjoint);
}

CountCandidates collect_candidates(const CountPaddingInputs& in, double disjoint, double positive,
                                   std::int32_t* differences) {
  return HWY_DYNAMIC_DISPATCH(collect)(in, disjoint, positive, differences);
}

std::size_t common_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return HWY_DYNAMIC_DISPATCH(count_common)(a.data(), b.data(), a.size());
}

}  // namespace updraft
#endif
