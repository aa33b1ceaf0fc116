// Decisions that were worked out on paper.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/rounds.h"

namespace updraft::testing {
namespace {

const Stream kPolicyStream(1, 0, Purpose::kPolicy);

using Ids = std::vector<VariableId>;

/// Action 0 was taken where x = 2, 2, 2, 1, 1, 1 paid 4, 5, 5, 1, 1, 2, the first three affected;
/// action 1 where x = 2, 2 paid 6 and 7.5, both affected. With lambda = 1:
///   V(0) = 1 + 12 + 3 = 16,  theta(0) = (28 + 4) / 16 = 2,   ||x|| = |x| / 4
///   V(1) = 1 + 8 = 9,        theta(1) = (12 + 15) / 9 = 3,   ||x|| = |x| / 3
///   baseline, learnt from the unaffected: V = 1 + 3 = 4, theta = 4 / 4 = 1, ||x|| = |x| / 2
void teach_two_rounds(Policy& policy) {
  const std::vector<double> first = {2.0, 2.0, 2.0, 1.0, 1.0, 1.0};
  const std::vector<double> second = {2.0, 2.0};
  const std::vector<VariableSet> first_sets = {VariableSet::from_ids({0, 1, 2}), VariableSet()};
  const std::vector<VariableSet> second_sets = {VariableSet(), VariableSet::from_ids({0, 1})};
  teach(policy, {.features = first, .width = 1, .affected = first_sets}, 0,
        std::vector<double>{4.0, 5.0, 5.0, 1.0, 1.0, 2.0});
  teach(policy, {.features = second, .width = 1, .affected = second_sets}, 1,
        std::vector<double>{6.0, 7.5});
}

constexpr ContextualShape kShape{.features = 1, .actions = 2};

/// With beta = 12:
///   x            1         -2         4
///   action 0   2 +- 3    -4 +- 6    8 +- 12
///   action 1   3 +- 4    -6 +- 8   12 +- 16
///   baseline   1 +- 6    -2 +- 12   4 +- 24
const std::vector<double> kFeatures = {1.0, -2.0, 4.0};

Explanation explained(const std::string& spec, const std::vector<double>& baseline,
                      const std::vector<VariableSet>& sets) {
  const auto policy = make_contextual(spec, kShape);
  teach_two_rounds(*policy);
  const Round context{.features = kFeatures, .width = 1, .baseline = baseline, .affected = sets};
  Explanation shown = policy->explain(context);
  EXPECT_TRUE(shown.actions[select_action(*policy, context, kPolicyStream)].chosen);
  return shown;
}

void expect_about(const ActionExplanation& about, double index, double uplift, double margin) {
  EXPECT_NEAR(about.index, index, 1e-12);
  EXPECT_NEAR(about.uplift.value(), uplift, 1e-12);
  EXPECT_NEAR(about.interval.value().low, uplift - margin, 1e-12);
  EXPECT_NEAR(about.interval.value().high, uplift + margin, 1e-12);
  EXPECT_FALSE(about.difference);
}

/// The same of the difference to the action that plays baseline.
void expect_compared(const ActionExplanation& about, double index, double difference,
                     double margin) {
  EXPECT_NEAR(about.index, index, 1e-12);
  EXPECT_NEAR(about.difference.value().estimate, difference, 1e-12);
  EXPECT_NEAR(about.difference->interval.low, difference - margin, 1e-12);
  EXPECT_NEAR(about.difference->interval.high, difference + margin, 1e-12);
  EXPECT_FALSE(about.uplift || about.interval);
}

// upper(0) = 5, 2, 20; upper(1) = 7, 2, 28; upper of the baseline = 7, 10, 28.
TEST(ContextByHand, SetsGivenAndBaselineLearnt) {
  Explanation shown = explained("lin_up_ucb(beta=12)", {},
                                {VariableSet::from_ids({0}), VariableSet::from_ids({1})});
  expect_about(shown.actions[0], 5.0 - 7.0, 2.0 - 1.0, 3.0 + 6.0);
  expect_about(shown.actions[1], 2.0 - 10.0, -6.0 + 2.0, 8.0 + 12.0);
  EXPECT_TRUE(shown.actions[0].chosen);
  EXPECT_FALSE(shown.actions[0].identified || shown.actions[0].padding || shown.reference_action);
  EXPECT_EQ(shown.actions[0].pulls, 1u);
  EXPECT_NEAR(shown.actions[0].reward.value(), 2.0 * (1.0 - 2.0 + 4.0), 1e-12);
  EXPECT_NEAR(shown.actions[1].reward.value(), 3.0 * (1.0 - 2.0 + 4.0), 1e-12);

  shown = explained("lin_up_ucb(beta=12)", {},
                    {VariableSet::from_ids({0, 2}), VariableSet::from_ids({0})});
  expect_about(shown.actions[0], -2.0 - 8.0, 1.0 + 4.0, 9.0 + 36.0);
  expect_about(shown.actions[1], 0.0, 2.0, 4.0 + 6.0);
  EXPECT_TRUE(shown.actions[1].chosen);
}

TEST(ContextByHand, SetsGivenAndBaselineKnown) {
  const Explanation shown = explained("lin_up_ucb_bl(beta=12)", {4.0, 5.0, 19.0},
                                      {VariableSet::from_ids({0, 2}), VariableSet::from_ids({1})});
  expect_about(shown.actions[0], 1.0 + 1.0, -2.0 - 11.0, 3.0 + 12.0);
  expect_about(shown.actions[1], -3.0, -11.0, 8.0);
  EXPECT_TRUE(shown.actions[0].chosen);
}

// Individual indices -1, -3, 1 for action 0 and 1, -3, 9 for action 1. The intervals of action 0
// end at 5, 2 and 20, so that the first two are identified; those of action 1 at 7, 2, 28, so that
// the second is.
TEST(ContextByHand, BaselineAndLKnown) {
  const std::vector<double> baseline = {6.0, 5.0, 19.0};
  const double of_action_0[] = {-4.0, -4.0, -3.0};
  const double of_action_1[] = {-3.0, -3.0 + 9.0, -3.0 + 9.0 + 1.0};
  const Ids padding_1[] = {{}, {2}, {0, 2}};
  for (std::size_t l = 1; l <= 3; ++l) {
    const Explanation shown =
        explained("lin_up_ucb_bl(beta=12, max_affected=" + std::to_string(l) + ")", baseline, {});
    expect_about(shown.actions[0], of_action_0[l - 1], (2.0 - 6.0) + (-4.0 - 5.0), 3.0 + 6.0);
    expect_about(shown.actions[1], of_action_1[l - 1], -6.0 - 5.0, 8.0);
    EXPECT_EQ(shown.actions[0].identified->ids(), (Ids{0, 1}));
    EXPECT_EQ(shown.actions[0].padding->ids(), l == 3 ? Ids{2} : Ids{});
    EXPECT_EQ(shown.actions[1].identified->ids(), (Ids{1}));
    EXPECT_EQ(shown.actions[1].padding->ids(), padding_1[l - 1]);
    EXPECT_TRUE(shown.actions[1].chosen);
  }
}

// Baselines exactly at the ends of the intervals of action 0 identify nothing.
TEST(ContextByHand, IntervalsAreClosed) {
  const Explanation shown =
      explained("lin_up_ucb_bl(beta=12, max_affected=1)", {5.0, -10.0, 20.0}, {});
  EXPECT_TRUE(shown.actions[0].identified->empty());
  EXPECT_EQ(shown.actions[0].padding->ids(), (Ids{1}));
  expect_about(shown.actions[0], 12.0, 0.0, 0.0);
}

// Both actions have one round, so that action 0 plays baseline. Individual indices 2, 0, 8 for
// action 1, of which at most 2L = 2 pad, and 0 does not.
TEST(ContextByHand, OnlyLKnown) {
  Explanation shown = explained("lin_up_ucb(beta=12, max_affected=1)", {}, {});
  EXPECT_EQ(shown.reference_action, 0u);
  expect_compared(shown.actions[0], 0.0, 0.0, 0.0);
  expect_compared(shown.actions[1], 2.0 + 8.0, 0.0, 0.0);
  EXPECT_EQ(shown.actions[1].padding->ids(), (Ids{0, 2}));
  EXPECT_TRUE(shown.actions[1].chosen);

  // With beta = 0.12 all intervals are disjoint, and all three count although 2L = 2.
  shown = explained("lin_up_ucb(beta=0.12, max_affected=1)", {}, {});
  expect_compared(shown.actions[1], 1.01 - 1.98 + 4.04, 1.0 - 2.0 + 4.0, 7 * (0.03 + 0.04));
  EXPECT_EQ(shown.actions[1].identified->ids(), (Ids{0, 1, 2}));
  EXPECT_TRUE(shown.actions[1].padding->empty());
}

// The action with most feedback plays baseline. No individual index of action 0 is positive, so
// that both indices are 0, and the lowest id goes first.
TEST(ContextByHand, TheActionWithMostFeedbackPlaysBaseline) {
  const auto policy = make_contextual("lin_up_ucb(beta=12, max_affected=1)", kShape);
  teach_two_rounds(*policy);
  const std::vector<double> zero = {0.0};  // teaches nothing, and counts
  teach(*policy, {.features = zero, .width = 1}, 1, zero);
  const Round context{.features = kFeatures, .width = 1};
  const Explanation shown = policy->explain(context);
  EXPECT_EQ(shown.reference_action, 1u);
  EXPECT_EQ(shown.actions[0].index, 0.0);
  EXPECT_EQ(shown.actions[1].index, 0.0);
  EXPECT_EQ(select_action(*policy, context, kPolicyStream), 0u);
}

// Nothing has been unaffected: the ridge alone speaks, 0 +- 12 |x|. The index takes it for what it
// is, but the payoff of 12 is no uplift.
TEST(ContextByHand, ABaselineThatWasNeverSeenIsAsWideAsTheRidgeLeavesIt) {
  const auto policy = make_contextual("lin_up_ucb(beta=12)", {.features = 1, .actions = 1});
  const std::vector<double> x = {2.0, 2.0};
  const std::vector<VariableSet> sets = {VariableSet::from_ids({0, 1})};
  teach(*policy, {.features = x, .width = 1, .affected = sets}, 0, std::vector<double>{6.0, 7.5});
  const Explanation shown = policy->explain({.features = x, .width = 1, .affected = sets});
  EXPECT_NEAR(shown.actions[0].index, 2.0 * (6.0 + 8.0 - 24.0), 1e-12);
  EXPECT_FALSE(shown.actions[0].uplift || shown.actions[0].interval);
  EXPECT_NEAR(shown.actions[0].reward.value(), 2.0 * 6.0, 1e-12);
}

// The action moves variables of the kind (1, 0) and leaves those of the kind (0, 1) alone: nothing
// tells what the first kind pays without it.
TEST(ContextByHand, TheBaselineOfAKindThatIsAlwaysAffectedIsNotKnown) {
  const auto policy = make_contextual("lin_up_ucb(beta=1)", {.features = 2, .actions = 1});
  const std::vector<double> x = {1.0, 0.0, 0.0, 1.0};
  const auto explained = [&](const VariableSet& affected) {
    const std::vector<VariableSet> sets = {affected};
    return policy->explain({.features = x, .width = 2, .affected = sets}).actions[0];
  };
  const std::vector<VariableSet> taught = {VariableSet::from_ids({0})};
  teach(*policy, {.features = x, .width = 2, .affected = taught}, 0, std::vector<double>{5.5, 1.0});
  EXPECT_FALSE(explained(VariableSet::from_ids({0})).uplift);
  EXPECT_FALSE(explained(VariableSet::from_ids({0, 1})).uplift);
  EXPECT_NEAR(explained(VariableSet::from_ids({1})).uplift.value(), 0.0, 1e-12);
  EXPECT_NEAR(explained(VariableSet::from_ids({0})).reward.value(), 5.5 / 2 + 1.0 / 2, 1e-12);
}

// lambda = 4, B = 2, K = 2, d = 1. Five variables with x = 1 were observed under action 0, and so
// V(0) = 4 + 5 = 9; the context has m = 3 more. Two ellipsoids, one per action:
//   beta = 2 * 2 + sqrt(2 log(2 / 0.5) + log(1 + (5 + 3) / (1 * 4)))
// A decision without feedback teaches nothing and changes nothing. Two more rows, x = 0, under
// action 1: 5 + 2 + 3 rows.
TEST(ContextByHand, TheScheduleOfBeta) {
  const std::vector<double> x = {1.0, -0.5, 0.5};
  const std::vector<double> baseline(3, 0.0);
  const std::vector<VariableSet> sets = {VariableSet::from_ids({1}), VariableSet()};
  const Round context{.features = x, .width = 1, .baseline = baseline, .affected = sets};
  const auto policy = make_contextual("lin_up_ucb_bl(delta=0.5, bound=2, lambda=4)", kShape);
  const std::vector<double> ones(5, 1.0);
  teach(*policy, {.features = ones, .width = 1}, 0, ones);
  const auto expect_beta = [&](double beta) {
    expect_about(policy->explain(context).actions[0], -0.5 * 5.0 / 9.0 + beta * 0.5 / 3.0,
                 -0.5 * 5.0 / 9.0, beta * 0.5 / 3.0);
  };
  expect_beta(4.0 + std::sqrt(2.0 * std::log(4.0) + std::log(3.0)));
  select_action(*policy, context, kPolicyStream);
  expect_beta(4.0 + std::sqrt(2.0 * std::log(4.0) + std::log(3.0)));
  const std::vector<double> nothing(2, 0.0);
  teach(*policy, {.features = nothing, .width = 1}, 1, nothing);
  expect_beta(4.0 + std::sqrt(2.0 * std::log(4.0) + std::log(3.5)));
}

// The same with theta(0) learned, a third ellipsoid: variable 1 of the five was affected, so that
// V(0) of the baseline is 4 + 4 = 8 and its estimate 4 / 8. The affected variable of the context
// has x = -0.5: its uplift is -0.5 (5/9 - 4/8), its width 0.5 (1/3 + 1/sqrt(8)).
TEST(ContextByHand, TheScheduleOfBetaWithTheBaselineLearned) {
  const std::vector<double> x = {1.0, -0.5, 0.5};
  const std::vector<VariableSet> sets = {VariableSet::from_ids({1}), VariableSet()};
  const auto policy = make_contextual("lin_up_ucb(delta=0.5, bound=2, lambda=4)", kShape);
  const std::vector<double> ones(5, 1.0);
  teach(*policy, {.features = ones, .width = 1, .affected = sets}, 0, ones);
  const double beta = 4.0 + std::sqrt(2.0 * std::log(6.0) + std::log(3.0));
  const double uplift = -0.5 * (5.0 / 9.0 - 0.5);
  expect_about(policy->explain({.features = x, .width = 1, .affected = sets}).actions[0],
               uplift + beta * 0.5 * (1.0 / 3.0 - 1.0 / std::sqrt(8.0)), uplift,
               beta * 0.5 * (1.0 / 3.0 + 1.0 / std::sqrt(8.0)));
}

// V(0) = 4 + 5 = 9 and theta(0) = 5 / 9 as above. All three variables count, whatever is affected:
//   index = 5/9 (1 - 0.5 + 0.5) + 12 (1 + 0.5 + 0.5) / 3
TEST(ContextByHand, TheSumOfAllUpperBounds) {
  const auto policy = make_contextual("lin_ucb(beta=12, lambda=4)", kShape);
  const std::vector<double> ones(5, 1.0);
  teach(*policy, {.features = ones, .width = 1}, 0, ones);
  const std::vector<double> x = {1.0, -0.5, 0.5};
  const auto shown = policy->explain({.features = x, .width = 1}).actions[0];
  EXPECT_NEAR(shown.index, 5.0 / 9.0 + 8.0, 1e-12);
  EXPECT_FALSE(shown.uplift || shown.interval || shown.identified || shown.padding);
}

// Late feedback: untried actions first, those offered least, the lowest id among equals.
TEST(ContextByHand, ActionsWithoutFeedbackGoFirst) {
  const auto policy =
      make_contextual("lin_up_ucb(beta=1, max_affected=1)", {.features = 1, .actions = 3});
  const Round context{.features = kFeatures, .width = 1};
  const auto select = [&] { return select_action(*policy, context, kPolicyStream); };
  EXPECT_EQ(select(), 0u);
  EXPECT_EQ(select(), 1u);
  EXPECT_EQ(select(), 2u);
  EXPECT_EQ(select(), 0u);
  teach(*policy, context, 1, kFeatures);
  const auto shown = policy->explain(context).actions;
  EXPECT_TRUE(std::isinf(shown[0].index) && std::isinf(shown[2].index));
  EXPECT_TRUE(shown[2].chosen);
  EXPECT_EQ(shown[0].reason, "has no feedback yet; another without any goes first");
  EXPECT_EQ(shown[1].reason, "others have no feedback yet");
  EXPECT_EQ(shown[2].reason, "has no feedback yet");
  EXPECT_EQ(select(), 2u);
  EXPECT_EQ(select(), 0u);
}

}  // namespace
}  // namespace updraft::testing
