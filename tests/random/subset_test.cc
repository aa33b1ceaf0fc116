// The contract of mark_subset: how many bits, which bits, which draws, nested, refused.

#include "random/subset.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>
#include <vector>

#include "updraft/error.h"

namespace updraft {
namespace {

using Bitmap = std::vector<std::uint64_t>;

const Stream kStream(99, 4, Purpose::kTest);

std::set<std::size_t> members_of(const Bitmap& bitmap) {
  std::set<std::size_t> members;
  for (std::size_t b = 0; b < 64 * bitmap.size(); ++b) {
    if (bitmap[b / 64] >> (b % 64) & 1) members.insert(b);
  }
  return members;
}

std::set<std::size_t> subset(std::size_t size, std::size_t chosen, std::uint32_t round = 0) {
  Bitmap bitmap(size / 64 + 1, 0);
  mark_subset(kStream, {.size = size, .chosen = chosen, .round = round}, bitmap);
  return members_of(bitmap);
}

TEST(Subset, SetsExactlyKOfTheBits) {
  for (const std::size_t size : {1, 2, 5, 63, 64, 65, 130, 1000}) {
    for (std::size_t chosen = 0; chosen <= size; ++chosen) {
      const auto members = subset(size, chosen);
      ASSERT_EQ(members.size(), chosen) << size;
      if (!members.empty()) {
        ASSERT_LT(*members.rbegin(), size) << chosen;
      }
    }
  }
  EXPECT_TRUE(subset(0, 0).empty());
}

TEST(Subset, OffsetMovesTheBitsAndTouchesNoOthers) {
  for (const std::size_t size : {1, 40, 64, 150}) {
    for (const std::size_t chosen : {size / 3, size / 2, size / 2 + 1, size}) {
      const auto plain = subset(size, chosen);
      for (const std::size_t offset : {1, 37, 63, 64, 100}) {
        Bitmap bitmap((offset + size) / 64 + 2, ~std::uint64_t{0});
        for (std::size_t b = offset; b < offset + size; ++b) {
          bitmap[b / 64] &= ~(std::uint64_t{1} << (b % 64));
        }
        mark_subset(kStream, {.size = size, .chosen = chosen, .first_bit = offset}, bitmap);
        for (std::size_t b = 0; b < 64 * bitmap.size(); ++b) {
          const bool inside = b >= offset && b < offset + size;
          const bool expected = !inside || plain.count(b - offset) == 1;
          ASSERT_EQ(bitmap[b / 64] >> (b % 64) & 1, expected ? 1u : 0u) << b;
        }
      }
    }
  }
}

TEST(Subset, NestedOnEachSideOfTheMiddle) {
  for (const std::size_t size : {9, 10, 200}) {
    for (std::size_t chosen = 0; chosen < size; ++chosen) {
      if (chosen == size / 2) continue;  // chosen + 1 is drawn by omission
      const auto smaller = subset(size, chosen);
      const auto larger = subset(size, chosen + 1);
      for (const std::size_t member : smaller) EXPECT_EQ(larger.count(member), 1u) << chosen;
    }
  }
}

/// The rule, written out with single draws: two members from a draw, low half first. Returns the
/// number of halves.
std::uint64_t plain_subset(const SubsetDraw& draw, std::set<std::size_t>& drawn) {
  const std::size_t wanted = draw.chosen > draw.size / 2 ? draw.size - draw.chosen : draw.chosen;
  std::uint64_t half = 0;
  const std::uint64_t kTwo32 = std::uint64_t{1} << 32;
  for (; drawn.size() < wanted; ++half) {
    const std::uint64_t word = kStream.bits(draw.round, draw.first_index + half / 2);
    const std::uint64_t bits = half % 2 == 0 ? word % kTwo32 : word / kTwo32;
    if (bits * draw.size % kTwo32 < kTwo32 % draw.size) continue;
    drawn.insert(bits * draw.size / kTwo32);
  }
  return half;
}

/// Draws come in pairs, and a pair is used as a whole.
std::uint64_t whole_draws(std::uint64_t halves) { return 2 * ((halves + 3) / 4); }

TEST(Subset, UsesConsecutiveDrawsAndSaysHowMany) {
  for (const std::size_t size : {1, 2, 3, 10, 64, 1000, 12654}) {
    for (const std::size_t chosen : {size / 10, size / 2, size / 2 + 1, size}) {
      for (const std::uint64_t first_index : {0, 2, 1002}) {
        const SubsetDraw draw{
            .size = size, .chosen = chosen, .round = 8, .first_index = first_index};
        Bitmap bitmap(size / 64 + 1, 0);
        const std::uint64_t used = mark_subset(kStream, draw, bitmap);
        std::set<std::size_t> drawn;
        EXPECT_EQ(used, whole_draws(plain_subset(draw, drawn)));
        auto members = members_of(bitmap);
        for (std::size_t i = 0; i < size; ++i) {
          const bool expected = (drawn.count(i) == 1) == (chosen <= size / 2);
          ASSERT_EQ(members.count(i) == 1, expected) << size << ' ' << chosen << ' ' << i;
        }
      }
    }
  }
}

TEST(Subset, RepeatsDrawsThatWouldFavourSomeMembers) {
  // 2^32 % size is size - 256, so that about one draw in 256 is refused.
  const std::size_t size = (std::size_t{1} << 24) + 1;
  Bitmap bitmap(size / 64 + 1, 0);
  int repeated = 0;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    const SubsetDraw draw{.size = size, .chosen = 1, .round = round};
    std::set<std::size_t> drawn;
    const std::uint64_t expected = plain_subset(draw, drawn);
    if (expected == 1) continue;
    EXPECT_EQ(mark_subset(kStream, draw, bitmap), whole_draws(expected));
    const std::size_t member = *drawn.begin();
    EXPECT_EQ(bitmap[member / 64], std::uint64_t{1} << (member % 64));
    bitmap[member / 64] = 0;
    ++repeated;
  }
  EXPECT_GT(repeated, 0);
}

TEST(Subset, AFunctionOfItsArguments) {
  EXPECT_EQ(subset(500, 100, 3), subset(500, 100, 3));
  EXPECT_NE(subset(500, 100, 3), subset(500, 100, 4));
}

TEST(Subset, RefusesWhatCannotBe) {
  Bitmap bitmap(2, 0);
  const auto refused = [&](const SubsetDraw& draw, const char* field) {
    try {
      mark_subset(kStream, draw, bitmap);
      ADD_FAILURE() << "accepted";
    } catch (const InvalidInput& error) {
      EXPECT_EQ(error.field(), field);
    }
    EXPECT_EQ(bitmap, Bitmap(2, 0));
  };
  refused({.size = 10, .chosen = 11}, "chosen");
  refused({.size = 129, .chosen = 100}, "bitmap");
  refused({.size = 100, .chosen = 90, .first_bit = 29}, "bitmap");
  refused({.size = 1, .chosen = 1, .first_bit = ~std::size_t{0}}, "bitmap");
  refused({.size = (std::size_t{1} << 32) + 1, .chosen = 1}, "size");
  refused({.size = 10, .chosen = 5, .first_index = 3}, "first_index");
  EXPECT_NO_THROW(mark_subset(kStream, {.size = 100, .chosen = 90, .first_bit = 28}, bitmap));
}

}  // namespace
}  // namespace updraft
