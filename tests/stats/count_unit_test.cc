#include "stats/count_unit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "updraft/state_io.h"

namespace updraft {
namespace {

CountUnit after(const std::vector<std::vector<double>>& rounds) {
  CountUnit counts(rounds.front().size());
  for (const std::vector<double>& sums : rounds) counts.add(sums);
  return counts;
}

TEST(CountUnit, IsTheGreatestCommonDivisor) {
  EXPECT_EQ(after({{0.0, 0.0}}).unit(), 0.0);
  EXPECT_EQ(after({{4.0, 0.0}, {0.0, 6.0}}).unit(), 2.0);
  EXPECT_EQ(after({{4.0, 6.0}, {9.0, 0.0}}).unit(), 1.0);
  EXPECT_EQ(after({{2.5, 0.0}, {0.0, 7.5}}).unit(), 2.5);
  EXPECT_EQ(after({{50.0, 100.0}, {150.0, 0.0}}).unit(), 50.0);
}

TEST(CountUnit, KnowsTheLargestSumOfEachAtom) {
  const CountUnit counts = after({{4.0, 0.0}, {1.0, 6.0}, {3.0, 2.0}});
  EXPECT_EQ(counts.largest()[0], 4.0);
  EXPECT_EQ(counts.largest()[1], 6.0);
}

TEST(CountUnit, IsMultipliedByPowersOfTwo) {
  for (const int exponent : {-1000, -3, 5, 900}) {
    const auto times = [&](double value) { return std::ldexp(value, exponent); };
    const CountUnit counts = after({{times(6.0)}, {times(15.0)}, {0.0}});
    EXPECT_TRUE(counts.counts());
    EXPECT_EQ(counts.unit(), times(3.0));
  }
}

TEST(CountUnit, RefusesWhatIsNoCount) {
  EXPECT_FALSE(after({{3.0}, {-1.0}}).counts());
  EXPECT_FALSE(after({{0.1}}).counts());
  EXPECT_FALSE(after({{1.0}, {std::sqrt(2.0)}}).counts());
  EXPECT_FALSE(after({{1.0, 4294967297.0}}).counts());
  EXPECT_TRUE(after({{1.0, 4294967296.0}}).counts());
  EXPECT_FALSE(after({{4294967296.0}, {0.5}}).counts());
  EXPECT_FALSE(after({{-1.0}, {3.0}}).counts()) << "once not counts, never again";
}

TEST(CountUnit, IsTheSameInAnyOrder) {
  for (const double odd : {4.0, -1.0}) {
    const CountUnit forward = after({{6.0, 9.0}, {odd, 3.0}, {12.0, 0.0}});
    const CountUnit backward = after({{12.0, 0.0}, {odd, 3.0}, {6.0, 9.0}});
    StateWriter first;
    StateWriter second;
    forward.write(first);
    backward.write(second);
    EXPECT_EQ(first.bytes(), second.bytes());
    CountUnit restored(2);
    StateReader reader(first.bytes());
    restored.read(reader);
    EXPECT_EQ(restored.counts(), forward.counts());
    EXPECT_EQ(restored.unit(), forward.unit());
    EXPECT_EQ(restored.largest(), forward.largest());
  }
}

}  // namespace
}  // namespace updraft
