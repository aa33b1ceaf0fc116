#include "stats/baseline_sets.h"

#include <gtest/gtest.h>

#include "support/draws.h"

namespace updraft::testing {
namespace {

std::vector<ActionId> members(const BaselineSets& sets, VariableId variable, std::size_t actions) {
  std::vector<ActionId> found;
  for (ActionId action = 0; action < actions; ++action) {
    if (sets.contains(variable, action)) found.push_back(action);
  }
  return found;
}

TEST(BaselineSets, HoldTheActionsWhoseIntervalMeetsAnother) {
  BaselineSets sets(5, 3);
  // Closed intervals: 2 meets 0 at a point. 3 lies in the hull of the others and meets none.
  std::vector<ActionInterval> intervals = {{0, 1, 0}, {5, 6, 1}, {1, 2, 2}, {3, 4, 3}, {5.5, 9, 4}};
  sets.assign(1, intervals);
  EXPECT_EQ(members(sets, 1, 5), (std::vector<ActionId>{0, 1, 2, 4}));
  EXPECT_EQ(members(sets, 0, 5), std::vector<ActionId>{});
  EXPECT_EQ(members(sets, 2, 5), std::vector<ActionId>{});
  std::vector<ActionInterval> apart = {{0, 1, 0}, {5, 6, 1}};
  sets.assign(1, apart);
  EXPECT_EQ(members(sets, 1, 5), std::vector<ActionId>{});
}

TEST(BaselineSets, AgreeWithAllPairs) {
  const Stream stream(11, 0, Purpose::kTest);
  Draws draws(stream);
  constexpr std::size_t kActions = 70;  // more than a word
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<ActionInterval> intervals;
    for (ActionId action = 0; action < kActions; ++action) {
      if (draws.chance(0.3)) continue;
      const double lower = draws.stepped(0.0, 0.5, 200);
      intervals.push_back({lower, lower + draws.stepped(0.0, 0.25, 3), action});
    }
    std::vector<ActionId> expected;
    for (const ActionInterval& one : intervals) {
      bool meets = false;
      for (const ActionInterval& other : intervals) {
        if (other.action == one.action) continue;
        meets = meets || !(one.upper < other.lower || other.upper < one.lower);
      }
      if (meets) expected.push_back(one.action);
    }
    BaselineSets sets(kActions, 2);
    sets.assign(1, intervals);
    EXPECT_EQ(members(sets, 1, kActions), expected);
    EXPECT_EQ(members(sets, 0, kActions), std::vector<ActionId>{});
  }
}

TEST(BaselineSets, NameTheMostPulled) {
  BaselineSets sets(4, 2);
  std::vector<ActionInterval> intervals = {{0, 1, 1}, {0, 1, 2}, {0, 1, 3}, {7, 8, 0}};
  sets.assign(0, intervals);
  const std::vector<std::uint64_t> pulls = {9, 2, 5, 5};
  EXPECT_EQ(sets.most_pulled(0, pulls), ActionId{2});
  EXPECT_EQ(sets.most_pulled(1, pulls), std::nullopt);
}

TEST(BaselineSets, TellWhetherAllAreActive) {
  BaselineSets sets(4, 2);
  std::vector<ActionInterval> intervals = {{0, 1, 0}, {0, 1, 2}};
  sets.assign(1, intervals);
  EXPECT_TRUE(sets.all_active(std::vector<std::uint64_t>{1, 0, 1, 1}));
  EXPECT_FALSE(sets.all_active(std::vector<std::uint64_t>{1, 1, 0, 1}));
}

}  // namespace
}  // namespace updraft::testing
