// Streams that differ in one coordinate only are independent of each other. Seeds are fixed; each
// test rejects a correct generator with probability 1e-6.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/statistics.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using updraft::testing::look_independent;

struct Position {
  std::uint64_t seed = 17;
  std::uint32_t run = 3;
  Purpose purpose = Purpose::kNoiseGroups;
  std::uint32_t round = 0;
  std::uint64_t first = 0;
};

constexpr std::size_t kDraws = 100000;

std::vector<double> draws(const Position& at) {
  std::vector<double> u(kDraws);
  Stream(at.seed, at.run, at.purpose).uniforms(at.round, at.first, u);
  return u;
}

TEST(Independence, OfSeeds) {
  const auto base = draws({});
  const std::vector<std::uint64_t> seeds = {
      16, 18, 17 ^ 0x80000000ULL, 17 ^ 0x100000000ULL, 17ULL << 32, ~17ULL};
  for (const std::uint64_t seed : seeds) {
    EXPECT_TRUE(look_independent(base, draws({.seed = seed}), seeds.size())) << seed;
  }
}

TEST(Independence, OfRuns) {
  const auto base = draws({});
  const std::vector<std::uint32_t> runs = {0, 1, 2, 4, 3 ^ 0x80000000U};
  for (const std::uint32_t run : runs) {
    EXPECT_TRUE(look_independent(base, draws({.run = run}), runs.size())) << run;
  }
}

TEST(Independence, OfPurposes) {
  const auto base = draws({});
  const std::vector<Purpose> purposes = {
      Purpose::kPolicy,      Purpose::kNoiseTotal,   Purpose::kNoiseVariables,
      Purpose::kNoiseFactor, Purpose::kObservations, Purpose::kInstance,
      Purpose::kTest};
  for (const Purpose purpose : purposes) {
    EXPECT_TRUE(look_independent(base, draws({.purpose = purpose}), purposes.size()))
        << static_cast<std::uint32_t>(purpose);
  }
}

TEST(Independence, OfRounds) {
  const auto base = draws({});
  const std::vector<std::uint32_t> rounds = {1, 2, 3, 0x80000000U};
  for (const std::uint32_t round : rounds) {
    EXPECT_TRUE(look_independent(base, draws({.round = round}), rounds.size())) << round;
  }
}

TEST(Independence, OfIndices) {
  const auto base = draws({});
  const std::vector<std::uint64_t> firsts = {1, 2, 3, 64, kDraws, std::uint64_t{1} << 32};
  for (const std::uint64_t first : firsts) {
    EXPECT_TRUE(look_independent(base, draws({.first = first}), firsts.size())) << first;
  }
}

// A coordinate may not be mistaken for another: (run 3, round 5) is not (run 5, round 3).
TEST(Independence, OfExchangedCoordinates) {
  const auto base = draws({.run = 3, .round = 5});
  const std::vector<Position> exchanged = {
      {.run = 5, .round = 3},
      {.run = 3, .round = 0, .first = 10},
      {.run = 2, .purpose = static_cast<Purpose>(5), .round = 3}};
  for (const Position& at : exchanged) {
    EXPECT_TRUE(look_independent(base, draws(at), exchanged.size())) << at.run << ' ' << at.round;
  }
}

// Successive rounds at one index, as a policy or a total sees them.
TEST(Independence, AlongRoundsAtOneIndex) {
  std::vector<double> even(kDraws);
  std::vector<double> odd(kDraws);
  const Stream stream(17, 3, Purpose::kNoiseTotal);
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    even[i] = stream.uniform(2 * i, 0);
    odd[i] = stream.uniform(2 * i + 1, 0);
  }
  EXPECT_TRUE(look_independent(even, odd));
}

}  // namespace
}  // namespace updraft
