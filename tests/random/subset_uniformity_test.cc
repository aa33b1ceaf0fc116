// All subsets are equally likely. Seeds are fixed; each test rejects a correct sampler with
// probability 1e-6.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "random/subset.h"
#include "support/statistics.h"

namespace updraft {
namespace {

using updraft::testing::agrees;
using updraft::testing::fits_evenly;

const Stream kStream(20240605, 0, Purpose::kTest);

std::uint64_t small_subset(std::size_t size, std::size_t chosen, std::uint32_t round) {
  std::array<std::uint64_t, 1> bitmap = {0};
  mark_subset(kStream, {.size = size, .chosen = chosen, .round = round}, bitmap);
  return bitmap[0];
}

// C(5, 2) = C(5, 3) = 10, C(6, 3) = 20, C(7, 5) = 21: by choice, by omission and at the middle.
TEST(SubsetUniformity, EverySubsetEquallyLikely) {
  struct Case {
    std::size_t size, chosen, subsets;
  };
  for (const Case c : {Case{5, 2, 10}, Case{5, 3, 10}, Case{6, 3, 20}, Case{7, 5, 21}}) {
    std::map<std::uint64_t, std::uint64_t> counts;
    for (std::uint32_t round = 0; round < 40000; ++round) {
      ++counts[small_subset(c.size, c.chosen, round)];
    }
    EXPECT_EQ(counts.size(), c.subsets);
    std::vector<std::uint64_t> values;
    for (const auto& [subset, count] : counts) values.push_back(count);
    EXPECT_TRUE(fits_evenly(values, 4)) << c.size << ' ' << c.chosen;
  }
}

/// Over `kRounds` subsets: how often each member is in, and each pair.
struct Inclusion {
  static constexpr std::uint32_t kRounds = 20000;

  Inclusion(std::size_t size, std::size_t chosen)
      : members(size, 0), pairs(size, std::vector<std::uint64_t>(size, 0)) {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const std::uint64_t subset = small_subset(size, chosen, round);
      for (std::uint64_t a = subset; a != 0; a &= a - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(a));
        ++members[i];
        for (std::uint64_t b = a & (a - 1); b != 0; b &= b - 1) {
          ++pairs[i][static_cast<std::size_t>(std::countr_zero(b))];
        }
      }
    }
  }

  std::vector<std::uint64_t> members;
  std::vector<std::vector<std::uint64_t>> pairs;  // [i][j] for i < j
};

double share_error(double share) {
  return std::sqrt(share * (1.0 - share) / static_cast<double>(Inclusion::kRounds));
}

TEST(SubsetUniformity, EveryMemberAndEveryPair) {
  constexpr std::size_t kSize = 30;
  for (const std::size_t chosen : {5, 15, 16, 25}) {
    const Inclusion inclusion(kSize, chosen);
    const double n = static_cast<double>(kSize);
    const double k = static_cast<double>(chosen);
    const double single = k / n;
    const double pair = k * (k - 1.0) / (n * (n - 1.0));
    // Tenfold, as counts of some hundreds are skewed.
    constexpr std::size_t kComparisons = 10 * 4 * (kSize + kSize * (kSize - 1) / 2);
    for (std::size_t i = 0; i < kSize; ++i) {
      const double share = static_cast<double>(inclusion.members[i]) / Inclusion::kRounds;
      EXPECT_TRUE(agrees(share, single, share_error(single), kComparisons)) << chosen << ' ' << i;
      for (std::size_t j = i + 1; j < kSize; ++j) {
        const double together = static_cast<double>(inclusion.pairs[i][j]) / Inclusion::kRounds;
        EXPECT_TRUE(agrees(together, pair, share_error(pair), kComparisons))
            << chosen << ' ' << i << ' ' << j;
      }
    }
  }
}

// Large, with an offset, several subsets in a row in one round: members in bins of equal width.
TEST(SubsetUniformity, LargeSubsetsInARow) {
  constexpr std::size_t kSize = 12800;
  constexpr std::size_t kBins = 128;
  std::vector<std::uint64_t> bins(kBins, 0);
  std::uint64_t index = 0;
  for (int repeat = 0; repeat < 400; ++repeat) {
    std::vector<std::uint64_t> bitmap(kSize / 64 + 1, 0);
    index += mark_subset(
        kStream, {.size = kSize, .chosen = 128, .first_bit = 7, .round = 1, .first_index = index},
        bitmap);
    for (std::size_t i = 0; i < kSize; ++i) {
      bins[i * kBins / kSize] += bitmap[(i + 7) / 64] >> ((i + 7) % 64) & 1;
    }
  }
  EXPECT_TRUE(fits_evenly(bins));  // without replacement: a little more even than independent
}

}  // namespace
}  // namespace updraft
