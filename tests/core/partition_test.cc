#include "updraft/partition.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;

Partition of_sets(const std::vector<VariableSet>& sets, std::size_t variables) {
  return Partition::of_sets(sets, variables, "segments");
}

TEST(Partition, OfGroupsJoinsNeighbours) {
  const std::vector<GroupId> groups = {0, 0, 1, 0, 2, 2};
  const Partition partition = Partition::of_groups(groups);
  EXPECT_EQ(partition.variables(), 6u);
  EXPECT_EQ(partition.groups(), 3u);
  EXPECT_EQ(partition.segments().size(), 4u);
  for (VariableId i = 0; i < 6; ++i) EXPECT_EQ(partition.group_of(i), groups[i]);
  const std::vector<GroupId> gap = {0, 2};
  EXPECT_EQ(refusal([&] { Partition::of_groups(gap); }),
            "partition = 2: groups must be numbered without gaps");
}

TEST(Partition, OfSetsIsThatOfTheirGroups) {
  const std::vector<GroupId> groups = {1, 1, 0, 1, 2, 2};
  EXPECT_EQ(of_sets({VariableSet::from_ids({2}), VariableSet::from_ids({3, 0, 1}),
                     VariableSet::from_ids({5, 4})},
                    6),
            Partition::of_groups(groups));
}

TEST(Partition, OfSetsNeedsEveryVariableOnce) {
  const auto refused = [](const std::vector<VariableSet>& sets) {
    return refusal([&] { of_sets(sets, 4); });
  };
  const VariableSet low = VariableSet::from_ids({0, 1});
  EXPECT_EQ(refused({low, VariableSet::from_ids({2, 3})}), "(accepted)");
  EXPECT_EQ(refused({low, VariableSet::from_ids({3})}), "segments: variable 2 is in none");
  EXPECT_EQ(refused({low, VariableSet::from_ids({2})}), "segments: variable 3 is in none");
  EXPECT_EQ(refused({VariableSet::from_ids({1, 2, 3})}), "segments: variable 0 is in none");
  EXPECT_EQ(refused({low, VariableSet::from_ids({1, 2, 3})}),
            "segments[1] = 1: is in another one too");
  EXPECT_EQ(refused({low, VariableSet()}), "segments[1]: must have at least one variable");
  EXPECT_EQ(refused({}), "segments: variable 0 is in none");
  EXPECT_EQ(refused({low, VariableSet::from_ids({2, 3, 4})}).find("segments[1]"), 0u);
}

}  // namespace
}  // namespace updraft
