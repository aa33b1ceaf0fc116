#include "updraft/variable_set.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;

TEST(VariableSet, TenScatteredIdsTakeTenRanges) {
  const std::vector<VariableId> ids = {90, 3, 17, 41, 5, 99, 63, 28, 77, 50};
  const VariableSet set = VariableSet::from_ids(ids);
  EXPECT_EQ(set.size(), 10u);
  EXPECT_EQ(set.ranges().size(), 10u);
  EXPECT_EQ(set.ids(), (std::vector<VariableId>{3, 5, 17, 28, 41, 50, 63, 77, 90, 99}));
}

TEST(VariableSet, ARunOfIdsTakesOneRange) {
  std::vector<VariableId> ids(12654);
  for (VariableId i = 0; i < ids.size(); ++i) ids[i] = 12653 - i;
  const VariableSet set = VariableSet::from_ids(ids);
  ASSERT_EQ(set.ranges().size(), 1u);
  EXPECT_EQ(set.ranges()[0], (VariableRange{0, 12654}));
}

TEST(VariableSet, TouchingRangesMerge) {
  const std::vector<VariableRange> ranges = {{5, 7}, {0, 2}, {2, 5}};
  const VariableSet set = VariableSet::from_ranges(ranges);
  ASSERT_EQ(set.ranges().size(), 1u);
  EXPECT_EQ(set.size(), 7u);
}

TEST(VariableSet, AgreesWithAPlainSet) {
  EXPECT_TRUE(rc::check([](const std::set<std::uint8_t>& plain) {
    const std::vector<VariableId> ids(plain.begin(), plain.end());
    const VariableSet set = VariableSet::from_ids(ids);
    RC_ASSERT(set.size() == plain.size());
    RC_ASSERT(set.ids() == ids);
    for (VariableId id = 0; id < 260; ++id) {
      RC_ASSERT(set.contains(id) == (id < 256 && plain.count(static_cast<std::uint8_t>(id)) > 0));
    }
    const auto ranges = set.ranges();
    RC_ASSERT(VariableSet::from_ranges(ranges) == set);
    for (std::size_t j = 1; j < ranges.size(); ++j) {
      RC_ASSERT(ranges[j - 1].end < ranges[j].begin);
    }
  }));
}

TEST(VariableSet, RefusesRepeatedIds) {
  const std::vector<VariableId> ids = {4, 2, 4};
  EXPECT_EQ(refusal([&] { VariableSet::from_ids(ids, "affected[1]"); }),
            "affected[1] = 4: is repeated; ids must be distinct");
}

TEST(VariableSet, RefusesBadRanges) {
  const std::vector<VariableRange> reversed = {{5, 3}};
  EXPECT_EQ(refusal([&] { VariableSet::from_ranges(reversed); }),
            "variables = [5, 3]: a range must begin below its end");
  const std::vector<VariableRange> overlapping = {{0, 4}, {3, 6}};
  EXPECT_EQ(refusal([&] { VariableSet::from_ranges(overlapping); }),
            "variables = [3, 6]: variable 3 is repeated; ranges must not overlap");
}

TEST(VariableSet, RefusesIdsOutOfRange) {
  const std::vector<VariableId> ids = {1, 9, 12};
  EXPECT_EQ(refusal([&] { VariableSet::from_ids(ids).check_below(9, "affected[0]"); }),
            "affected[0] = 9: must be below the number of variables, 9");
  EXPECT_EQ(refusal([&] { VariableSet::from_ids(ids).check_below(13, "affected[0]"); }),
            "(accepted)");
}

}  // namespace
}  // namespace updraft
