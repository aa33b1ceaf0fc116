// Theorem 4 on the instance on which baseline sets over all actions, as the paper's formula has
// them, violate it: the dropped action's wide intervals meet those of the others, so that no
// variable is identified and the second best action is taken for ever (regret 19,617, bound 1,042).

#include <gtest/gtest.h>

#include "theory/below_bounds.h"

namespace updraft {
namespace {

TEST(EliminationTheorem, HoldsIfAnActionIsDroppedAtOnce) {
  EXPECT_EQ(testing::expect_below_bounds(testing::one_dropped_at_once(), 20000), 10u);
}

}  // namespace
}  // namespace updraft
