// What up_ts_sparse shows of the variables that its actions move.

#include "policies/sparse_explanation.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "updraft/partition.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::size_t kActions = 4;
constexpr std::size_t kVariables = 12;

/// 60 rounds of every action. Action 1 moves variables 2 and 3 by ten standard deviations, action 2
/// variable 9 by as much downwards, and action 3 variable 9 upwards; action 0 moves nothing.
std::unique_ptr<Policy> played(const char* spec, const Knowledge& knowledge) {
  auto policy = make_policy(spec, knowledge);
  const Stream noise(6, 0, Purpose::kTest);
  for (std::uint32_t t = 0; t < 60 * kActions; ++t) {
    const ActionId action = t % kActions;
    std::vector<double> y(kVariables);
    noise.normals(t, 0, y);
    if (action == 1) y[2] += 10.0;
    if (action == 1) y[3] += 10.0;
    if (action == 2) y[9] -= 10.0;
    if (action == 3) y[9] += 10.0;
    policy->observe(action, Payoffs::dense(y));
  }
  return policy;
}

Knowledge with_baseline() {
  Knowledge knowledge(kActions, kVariables);
  knowledge.set_baseline(std::vector<double>(kVariables, 0.0));
  return knowledge;
}

std::vector<VariableId> identified(const Explanation& shown, ActionId action) {
  return shown.actions[action].identified->ids();
}

TEST(SparseExplanation, ShowsWhichVariablesAnActionMoves) {
  for (const char* spec : {"up_ts_sparse", "up_ts_sparse_bl"}) {
    SCOPED_TRACE(spec);
    const Explanation shown = played(spec, with_baseline())->explain();
    EXPECT_EQ(identified(shown, 0), (std::vector<VariableId>{}));
    EXPECT_EQ(identified(shown, 1), (std::vector<VariableId>{2, 3}));
    EXPECT_EQ(identified(shown, 2), (std::vector<VariableId>{9}));
    EXPECT_EQ(identified(shown, 3), (std::vector<VariableId>{9}));
    EXPECT_EQ((*shown.actions[1].inclusion)[2], 1.0);  // certain: moved in every sweep
    EXPECT_LT((*shown.actions[0].inclusion)[2], 0.5);
    EXPECT_EQ(shown.actions[1].inclusion->size(), kVariables);
  }
}

TEST(SparseExplanation, IdentifiesAllVariablesOfASegment) {
  Knowledge knowledge = with_baseline();
  knowledge.set_segments(
      Partition::of_groups(std::vector<GroupId>{0, 0, 1, 1, 0, 0, 2, 2, 2, 3, 3, 3}));
  const Explanation shown = played("up_ts_sparse_bl", knowledge)->explain();
  EXPECT_EQ(identified(shown, 1), (std::vector<VariableId>{2, 3}));
  EXPECT_EQ(identified(shown, 2), (std::vector<VariableId>{9, 10, 11}));
  EXPECT_EQ(shown.actions[2].inclusion->size(), 4u);
}

/// The standard error of a total is sqrt(12 / 60) = 0.45; five of them, and for a difference
/// sqrt(2) as many.
TEST(SparseExplanation, EstimatesUpliftsAndDifferences) {
  const std::vector<double> truth = {0.0, 20.0, -10.0, 10.0};
  const Explanation shown = played("up_ts_sparse_bl", with_baseline())->explain();
  EXPECT_EQ(shown.quantity, Quantity::kUplift);
  const Explanation apart = played("up_ts_sparse", Knowledge(kActions, kVariables))->explain();
  EXPECT_EQ(apart.quantity, Quantity::kDifference);
  for (ActionId a = 0; a < kActions; ++a) {
    EXPECT_NEAR(*shown.actions[a].uplift, truth[a], 2.3);
    EXPECT_FALSE(apart.actions[a].uplift.has_value());
    EXPECT_NEAR(apart.actions[a].difference->estimate, truth[a], 3.2);
    if (a > 0) {
      EXPECT_GT(*apart.actions[a].difference->standard_error, 0.0);
      EXPECT_LT(apart.actions[a].difference->interval.low, apart.actions[a].difference->estimate);
      EXPECT_GT(apart.actions[a].difference->interval.high, apart.actions[a].difference->estimate);
    }
  }
}

TEST(SparseExplanation, GivesTheProbabilityOfBeingTheBest) {
  const auto policy = played("up_ts_sparse", Knowledge(kActions, kVariables));
  const Explanation shown = policy->explain();
  double sum = 0.0;
  for (const ActionExplanation& about : shown.actions) sum += *about.probability_best;
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_EQ(*shown.actions[1].probability_best, 1.0);
}

/// If no action moves anything, all are best in most sweeps, and none may be called the best.
TEST(SparseExplanation, ActionsThatDoTheSameShareTheProbabilityOfBeingTheBest) {
  for (const char* spec : {"up_ts_sparse", "up_ts_sparse_bl"}) {
    SCOPED_TRACE(spec);
    const auto policy = make_policy(spec, with_baseline());
    const Stream noise(7, 0, Purpose::kTest);
    std::vector<double> y(kVariables);
    for (std::uint32_t t = 0; t < 60; ++t) {
      noise.normals(t, 0, y);
      for (ActionId a = 0; a < kActions; ++a) policy->observe(a, Payoffs::dense(y));
    }
    double sum = 0.0;
    for (const ActionExplanation& about : policy->explain().actions) {
      EXPECT_GT(*about.probability_best, 0.15);
      EXPECT_LT(*about.probability_best, 0.35);
      sum += *about.probability_best;
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

TEST(SparseExplanation, WaitsForFeedbackOfEveryAction) {
  const auto policy = make_policy("up_ts_sparse", Knowledge(2, 3));
  policy->observe(0, Payoffs::dense(std::vector<double>{1.0, 2.0, 3.0}));
  const Explanation shown = policy->explain();
  for (const ActionExplanation& about : shown.actions) {
    EXPECT_FALSE(about.inclusion.has_value());
    EXPECT_FALSE(about.estimate.value.has_value());
  }
}

}  // namespace
}  // namespace updraft
