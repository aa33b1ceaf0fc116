#include "updraft/affected_sets.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;

VariableSet set_of(std::vector<VariableId> ids) { return VariableSet::from_ids(ids); }

TEST(AffectedSets, CutsVariablesIntoAtoms) {
  // Variables:      0    1    2    3    4    5
  // Affected by:    -    0   0,1  0,1   1    -
  const AffectedSets sets({set_of({1, 2, 3}), set_of({2, 3, 4})}, 6);
  EXPECT_EQ(sets.largest(), 3u);
  ASSERT_EQ(sets.atoms()->groups(), 4u);
  std::vector<GroupId> atoms;
  for (VariableId i = 0; i < 6; ++i) atoms.push_back(sets.atoms()->group_of(i));
  EXPECT_EQ(atoms, (std::vector<GroupId>{0, 1, 2, 2, 3, 0}));
  EXPECT_EQ(std::vector(sets.atoms_of(1).begin(), sets.atoms_of(1).end()),
            (std::vector<GroupId>{2, 3}));
  EXPECT_EQ(std::vector(sets.affecting(2).begin(), sets.affecting(2).end()),
            (std::vector<ActionId>{0, 1}));
  EXPECT_TRUE(sets.affecting(0).empty());
}

TEST(AffectedSets, HandlesEmptyAndFullSets) {
  const AffectedSets sets({VariableSet(), set_of({0, 1, 2})}, 3);
  EXPECT_EQ(sets.atoms()->groups(), 1u);
  EXPECT_TRUE(sets.atoms_of(0).empty());
  EXPECT_EQ(sets.atoms_of(1).size(), 1u);
}

TEST(AffectedSets, AtomsAreVariablesWithTheSameActions) {
  EXPECT_TRUE(rc::check([](const std::vector<std::set<std::uint8_t>>& drawn) {
    RC_PRE(!drawn.empty());
    std::vector<VariableSet> given;
    for (const auto& ids : drawn) given.push_back(set_of({ids.begin(), ids.end()}));
    const AffectedSets sets(given, 256);
    std::map<std::vector<ActionId>, GroupId> atom_of;
    for (VariableId i = 0; i < 256; ++i) {
      std::vector<ActionId> actions;
      for (ActionId a = 0; a < given.size(); ++a) {
        if (given[a].contains(i)) actions.push_back(a);
      }
      const GroupId atom = sets.atoms()->group_of(i);
      const auto affecting = sets.affecting(atom);
      RC_ASSERT(std::vector(affecting.begin(), affecting.end()) == actions);
      RC_ASSERT(atom_of.try_emplace(actions, atom).first->second == atom);
    }
    RC_ASSERT(atom_of.size() == sets.atoms()->groups());
  }));
}

TEST(AffectedSets, RefusesBadInput) {
  EXPECT_EQ(refusal([] { AffectedSets({}, 3); }),
            "affected: must have a set for at least one action");
  EXPECT_EQ(refusal([] { AffectedSets({VariableSet()}, 0); }), "variables = 0: must be at least 1");
  EXPECT_EQ(refusal([] {
              AffectedSets({VariableSet(), set_of({1, 3})}, 3);
            }),
            "affected[1] = 3: must be below the number of variables, 3");
}

TEST(Partition, SumsDenseAndSparseAlike) {
  const Partition partition({{{0, 2}, 0}, {{2, 5}, 1}, {{5, 6}, 0}});
  const std::vector<double> dense = {1, 2, 0, 4, 0, 16};
  const std::vector<VariableId> ids = {0, 1, 3, 5};
  const std::vector<double> values = {1, 2, 4, 16};
  std::vector<double> sums(2, -1.0);
  partition.sum_dense(dense, sums);
  EXPECT_EQ(sums, (std::vector<double>{19, 4}));
  sums.assign(2, -1.0);
  partition.sum_sparse(ids, values, sums);
  EXPECT_EQ(sums, (std::vector<double>{19, 4}));
  EXPECT_EQ(partition.sizes()[0], 3u);
}

TEST(Partition, RefusesBadSegments) {
  EXPECT_EQ(refusal([] { Partition({}); }), "partition: must have at least one variable");
  EXPECT_EQ(refusal([] {
              Partition({{{0, 2}, 0}, {{3, 4}, 0}});
            }),
            "partition = 3: segments must follow one another without gaps");
  EXPECT_EQ(refusal([] {
              Partition({{{0, 2}, 1}});
            }),
            "partition = 1: groups must be numbered without gaps");
  EXPECT_EQ(refusal([] {
              Partition({{{0, 2}, 0}, {{2, 3}, 2}, {{3, 4}, 2}});
            }),
            "partition = 1: groups must be numbered without gaps");
}

}  // namespace
}  // namespace updraft
