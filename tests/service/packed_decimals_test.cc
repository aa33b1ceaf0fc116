#include "service/packed_decimals.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "service/event_bodies.h"
#include "updraft/error.h"

namespace updraft {
namespace {

std::vector<double> unpacked(const PackedDecimals& packed) {
  StateWriter writer;
  write_packed(packed, writer);
  StateReader reader(writer.bytes());
  std::vector<double> values = read_packed(reader);
  reader.finish();
  return values;
}

void expect_same_bits(const std::vector<double>& values) {
  const auto packed = packed_decimals(values);
  ASSERT_TRUE(packed);
  const std::vector<double> back = unpacked(*packed);
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back[i]), std::bit_cast<std::uint64_t>(values[i])) << i;
  }
}

TEST(PackedDecimals, GiveBackEveryBit) {
  std::mt19937_64 random(1);
  for (const int decimals : {0, 1, 2, 3, 4, 5, 6}) {
    for (const std::int64_t range : {1, 2, 3, 1000, 65536, 1'000'000'007}) {
      std::vector<double> values;
      for (int i = 0; i < 997; ++i) {
        const std::int64_t whole = static_cast<std::int64_t>(random() % (2 * range)) - range;
        values.push_back(static_cast<double>(whole) / std::pow(10.0, decimals));
      }
      expect_same_bits(values);
    }
  }
  expect_same_bits(std::vector<double>(100, 0.0));
  expect_same_bits(std::vector<double>(100, -7.25));
}

TEST(PackedDecimals, TakeFewBits) {
  std::vector<double> clicks(1000, 0.0);
  clicks[3] = 1.0;
  EXPECT_EQ(packed_decimals(clicks)->bits, 1u);
  EXPECT_EQ(packed_decimals(clicks)->words.size(), 16u);
  std::vector<double> money(1000, 9.99);
  EXPECT_EQ(packed_decimals(money)->bits, 10u);
}

TEST(PackedDecimals, LeaveOthersAlone) {
  std::vector<double> values(100, 1.0);
  EXPECT_FALSE(packed_decimals(std::span(values).first(63))) << "too few";
  for (const double other : {1.0 / 3.0, 1e-7, 1e90, 4294967297.0, 0.1 + 0.2, -0.0}) {
    values[50] = other;
    EXPECT_FALSE(packed_decimals(values)) << other;
  }
}

TEST(PackedDecimals, RefuseWhatCannotHaveBeenWritten) {
  const auto refused = [](std::vector<std::uint64_t> head, std::vector<std::uint64_t> words) {
    StateWriter writer;
    for (const std::uint64_t one : head) writer.u64(one);
    writer.u64s(words);
    StateReader reader(writer.bytes());
    EXPECT_THROW(read_packed(reader), InvalidInput) << head[0] << ' ' << head[1] << ' ' << head[2];
  };
  refused({100, 7, 1, 0}, {0, 0});                           // power
  refused({100, 0, 33, 0}, std::vector<std::uint64_t>(52));  // bits
  refused({100, 0, 1, 0}, {0});                              // words
  refused({std::uint64_t{1} << 40, 0, 0, 0}, {});            // count
  refused({64, 0, 1, (std::uint64_t{1} << 63) - 1}, {1});    // least: the sum would overflow
  refused({64, 0, 1, std::uint64_t{1} << 63}, {1});          // the same, negative
}

TEST(PackedDecimals, ArePartOfPayoffs) {
  PayoffPart part = {"p", true, true, {}, std::vector<double>(500, 0.25)};
  part.values[7] = 3.0;
  const std::string packed = encode(part);
  const std::string plain = encode(part, false);
  EXPECT_TRUE(is_packed(packed));
  EXPECT_FALSE(is_packed(plain));
  EXPECT_LT(8 * packed.size(), 2 * plain.size());
  EXPECT_EQ(decode_payoffs(packed), part);
  EXPECT_EQ(decode_payoffs(plain), part);
}

}  // namespace
}  // namespace updraft
