// Batches are the single draws, bit for bit, from any first index and of any length, and results
// are the same on every machine.

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "random/binomial.h"
#include "support/vector_targets.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

constexpr double kGuard = -77.0;

/// FNV-1a over 64-bit words.
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return (hash ^ word) * 0x100000001b3ULL;
}
constexpr std::uint64_t kMixStart = 0xcbf29ce484222325ULL;

void expect_batches_equal_singles(const Stream& stream, std::uint64_t first, std::size_t length) {
  std::vector<double> uniforms(length + 2, kGuard);
  std::vector<double> normals(length + 2, kGuard);
  stream.uniforms(5, first, std::span(uniforms).subspan(1, length));
  stream.normals(5, first, std::span(normals).subspan(1, length));
  for (std::size_t j = 0; j < length; ++j) {
    ASSERT_EQ(uniforms[j + 1], stream.uniform(5, first + j)) << first << " + " << j;
    ASSERT_EQ(normals[j + 1], stream.normal(5, first + j)) << first << " + " << j;
  }
  for (const auto* batch : {&uniforms, &normals}) {  // nothing beside the span is written
    EXPECT_EQ(batch->front(), kGuard);
    EXPECT_EQ(batch->back(), kGuard);
  }
}

TEST(StreamBatch, EqualsSingleDraws) {
  const Stream stream(0x0123456789abcdefULL, 11, Purpose::kTest);
  testing::for_each_vector_target([&](const std::string& target) {
    SCOPED_TRACE(target);
    for (const std::uint64_t first : {0, 1, 2, 7, 1000}) {
      for (std::size_t length = 0; length <= 20; ++length) {
        expect_batches_equal_singles(stream, first, length);
      }
      for (const std::size_t length : {127, 128, 129, 255, 256, 257, 1001}) {
        expect_batches_equal_singles(stream, first, length);
      }
    }
  });
}

TEST(StreamBatch, EqualsSingleDrawsAtTheLastIndices) {
  const Stream stream(3, 1, Purpose::kTest);
  const std::uint64_t end = std::uint64_t{1} << 33;
  expect_batches_equal_singles(stream, end - 9, 9);
  expect_batches_equal_singles(stream, end - 8, 8);
}

TEST(StreamBatch, ColumnsEqualSingleDraws) {
  const Stream stream(99, 4, Purpose::kTest);
  testing::for_each_vector_target([&](const std::string& target) {
    for (const std::size_t rounds : {1, 8, 16, 24, 40, 64}) {
      for (const std::size_t width : {1, 2, 3, 9, 34}) {
        std::vector<double> uniforms(rounds * Stream::whole_pairs(width));
        std::vector<double> normals(uniforms.size());
        stream.uniform_columns(17, rounds, width, uniforms);
        stream.normal_columns(17, rounds, width, normals);
        for (std::size_t j = 0; j < width; ++j) {
          for (std::uint32_t r = 0; r < rounds; ++r) {
            ASSERT_EQ(uniforms[j * rounds + r], stream.uniform(17 + r, j)) << target;
            ASSERT_EQ(normals[j * rounds + r], stream.normal(17 + r, j)) << target;
          }
        }
      }
    }
  });
}

TEST(StreamBatch, WordsEqualSingleDraws) {
  const Stream stream(5, 6, Purpose::kTest);
  testing::for_each_vector_target([&](const std::string& target) {
    for (const std::size_t count : {0, 2, 4, 30, 62, 64, 66, 130}) {
      std::vector<std::uint64_t> words(count);
      stream.words(3, 10, words);
      for (std::size_t j = 0; j < count; ++j) {
        ASSERT_EQ(words[j], stream.bits(3, 10 + j)) << target << ' ' << count;
      }
    }
  });
}

// Frozen: a machine, compiler or C library that gives other values would give other results for
// the same seed. What the values should be is tested in the other files of this folder.
TEST(StreamBatch, SameBitsOnEveryMachine) {
  const Stream stream(2024, 0, Purpose::kTest);
  std::vector<double> normals(20000);
  stream.normals(1, 0, normals);
  std::uint64_t hash = kMixStart;
  for (const double x : normals) hash = mix(hash, std::bit_cast<std::uint64_t>(x));
  EXPECT_EQ(hash, 15675795026490869641u);

  std::uint64_t draws = kMixStart;
  const BinomialQuantile binomial(1000003, 0.37);
  for (std::uint64_t i = 0; i < 20000; ++i) draws = mix(draws, binomial(stream.uniform(2, i)));
  EXPECT_EQ(draws, 11757150678393744005u);
}

}  // namespace
}  // namespace updraft
