// What a stream draws at each position, against the published answers of Philox4x32-10.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include "updraft/stream.h"

namespace updraft {
namespace {

using Counter = std::array<std::uint32_t, 4>;

struct KnownAnswer {
  Counter counter;  // (index / 2, round, run, purpose)
  std::array<std::uint32_t, 2> key;
  Counter words;
};

// The three lines "philox4x32 10" of tests/kat_vectors in Random123 1.14.
constexpr KnownAnswer kKnownAnswers[] = {
    {{0x00000000, 0x00000000, 0x00000000, 0x00000000},
     {0x00000000, 0x00000000},
     {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

TEST(StreamBits, MatchPublishedPhilox) {
  for (const KnownAnswer& known : kKnownAnswers) {
    const Stream stream(join(known.key[0], known.key[1]), known.counter[2],
                        static_cast<Purpose>(known.counter[3]));
    const std::uint64_t index = 2 * static_cast<std::uint64_t>(known.counter[0]);
    const std::uint32_t round = known.counter[1];
    EXPECT_EQ(stream.bits(round, index), join(known.words[0], known.words[1]));
    EXPECT_EQ(stream.bits(round, index + 1), join(known.words[2], known.words[3]));
  }
}

TEST(StreamBits, UniformIsTheHighBitsAndAHalf) {
  const Stream stream(42, 7, Purpose::kTest);
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const std::uint64_t high = stream.bits(3, index) >> 12;
    const double expected = (static_cast<double>(high) + 0.5) * 0x1p-52;
    EXPECT_EQ(stream.uniform(3, index), expected);
    EXPECT_GT(expected, 0.0);
    EXPECT_LT(expected, 1.0);
  }
}

TEST(StreamBits, StreamsAreSmallValues) {
  EXPECT_TRUE(std::is_trivially_copyable_v<Stream>);
  EXPECT_LE(sizeof(Stream), 24u);
}

}  // namespace
}  // namespace updraft
