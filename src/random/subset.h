#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "updraft/stream.h"

namespace updraft {

/// Which subset to draw, and where its draws and its bits stand.
struct SubsetDraw {
  std::size_t size = 0;           ///< n, the number of members to choose from
  std::size_t chosen = 0;         ///< k <= n, how many to choose
  std::size_t first_bit = 0;      ///< the bit of member 0; member i has bit first_bit + i
  std::uint32_t round = 0;        ///< of the stream
  std::uint64_t first_index = 0;  ///< of the stream, in that round; even
};

/// Sets k of n bits, all subsets of k members being equally likely, exactly (not up to rounding).
/// Bit b is bit b % 64 of word b / 64. The n bits must be 0 beforehand; others are untouched.
///
/// Members are drawn with replacement, those already drawn are skipped; where k > n / 2 the
/// n - k members left out are drawn instead. One member takes half of an index of the
/// stream, or more where the bounded draw has to be repeated [lemire19] (less than once in 2^32 /
/// n).
///
/// Returns the number of indices used, so that the next subset of the round can start at
/// first_index + that. Indices are consecutive. Bits and result are a function of the arguments.
///
/// Nested: with all else equal, the subset for k is contained in that for k + 1 where both are
/// <= n / 2 (rounded down), and where both are above. Across n / 2 it is not.
///
/// Throws InvalidInput, and sets nothing, where k > n, n > 2^32 or the bitmap ends before the last
/// member.
/// Cost: at most 1.4 min(k, n - k) draws on average for n < 2^24; where k > n / 2, also n / 64
/// words.
std::uint64_t mark_subset(const Stream& stream, const SubsetDraw& draw,
                          std::span<std::uint64_t> bitmap);

}  // namespace updraft
