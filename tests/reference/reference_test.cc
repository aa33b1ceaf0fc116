// The references against decisions computed by hand. alpha = 0.5, so that radius(a) = 1/sqrt(N(a)):
// 1 after one pull, 0.5 after four.

#include "random/chi_squared.h"
#include "reference/reference_policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "updraft/variable_set.h"

namespace updraft::testing {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Stream kStream(7, 3, Purpose::kTest);

std::unique_ptr<ReferencePolicy> reference(std::string_view spec, const Knowledge& knowledge) {
  return make_reference(PolicySpec::parse(spec), knowledge);
}

VariableSet ids(std::initializer_list<VariableId> list) {
  return VariableSet::from_ids(std::vector<VariableId>(list));
}

void pay(ReferencePolicy& policy, ActionId action, const std::vector<double>& payoffs,
         int times = 1) {
  for (int t = 0; t < times; ++t) policy.observe(action, payoffs);
}

void expect_indices(const ReferencePolicy& policy, const std::vector<double>& expected) {
  const std::vector<double> indices = policy.indices(kStream);
  ASSERT_EQ(indices.size(), expected.size());
  for (std::size_t a = 0; a < expected.size(); ++a) EXPECT_DOUBLE_EQ(indices[a], expected[a]) << a;
}

TEST(Reference, UcbTakesTheLargestMeanRewardPlusRadii) {
  const auto policy = reference("ucb(alpha=0.5)", Knowledge(2, 2));
  pay(*policy, 0, {1.0, 0.0});
  pay(*policy, 1, {2.0, 0.5}, 4);
  expect_indices(*policy, {1.0 + 2 * 1.0, 2.5 + 2 * 0.5});
  EXPECT_EQ(policy->select(kStream), 1u);
}

TEST(Reference, UcbStartsWithEachActionInOrder) {
  const auto policy = reference("ucb(alpha=0.5)", Knowledge(3, 1));
  for (ActionId a = 0; a < 3; ++a) {
    EXPECT_EQ(policy->select(kStream), a);
    pay(*policy, a, {10.0 - a});
  }
  EXPECT_EQ(policy->select(kStream), 0u);
}

TEST(Reference, UcbOffersTheLeastOfferedOfThoseWithoutFeedback) {
  const auto policy = reference("ucb(alpha=0.5)", Knowledge(3, 1));
  for (ActionId a = 0; a < 3; ++a) EXPECT_EQ(policy->select(kStream), a);
  EXPECT_EQ(policy->select(kStream), 0u);  // all offered once, none back
  pay(*policy, 1, {5.0});
  EXPECT_EQ(policy->select(kStream), 2u);  // 0 was offered twice, 1 is no longer infinite
  pay(*policy, 0, {1.0});
  expect_indices(*policy, {2.0, 6.0, kInfinity});
  EXPECT_EQ(policy->select(kStream), 2u);
}

TEST(Reference, TsDrawsFromThePosteriorOfTheReward) {
  // m = 2 and sigma2 = 0.25: noise variance 1.
  Knowledge knowledge(2, 2);
  knowledge.set_reward_prior({1.0, 1.0});
  const auto policy = reference("ts(sigma2=0.25)", knowledge);
  pay(*policy, 0, {1.0, 2.0});
  policy->offer(0);
  policy->offer(0);
  expect_indices(*policy, {2.0 + std::sqrt(0.5) * kStream.normal(2, 0),
                           1.0 + std::sqrt(1.0) * kStream.normal(2, 1)});
  const auto own_prior = reference("ts(sigma2=0.25, prior_mean=3, prior_variance=4)", knowledge);
  pay(*own_prior, 0, {1.0, 2.0});
  expect_indices(*own_prior, {(3.0 + 4.0 * 3.0) / 5.0 + std::sqrt(0.8) * kStream.normal(0, 0),
                              3.0 + 2.0 * kStream.normal(0, 1)});
}

TEST(Reference, TsWithoutParametersLearnsTheNoise) {
  const auto policy = reference("ts", Knowledge(2, 2));
  EXPECT_EQ(policy->select(kStream), 0u);
  EXPECT_EQ(policy->select(kStream), 1u);
  pay(*policy, 0, {1.0, 0.0});
  pay(*policy, 1, {2.0, 3.0});
  expect_indices(*policy, {1.0, 5.0});  // nothing is known of the noise
  EXPECT_EQ(policy->select(kStream), 1u);
  pay(*policy, 1, {4.0, 3.0});  // one degree of freedom: squares 2 about the mean 6
  const double kappa = 1.0 / std::sqrt(chi_squared(kStream, 3, std::uint64_t{1} << 32, 1));
  expect_indices(*policy, {1.0 + kappa * std::sqrt(2.0) * kStream.normal(3, 0),
                           6.0 + kappa * 1.0 * kStream.normal(3, 1)});
}

TEST(Reference, TsLeavesOutWhatIsOutstandingWhileThereAreOthers) {
  Knowledge knowledge(3, 1);
  knowledge.set_reward_prior({0.0, 1.0});
  const auto policy = reference("ts(sigma2=1)", knowledge);
  std::vector<bool> offered(3, false);
  for (int k = 0; k < 3; ++k) offered[policy->select(kStream)] = true;
  EXPECT_EQ(offered, std::vector<bool>(3, true));
  for (ActionId a = 0; a < 3; ++a) {
    EXPECT_DOUBLE_EQ(policy->indices(kStream)[a], kStream.normal(3, a));  // none would be left
  }
  pay(*policy, 1, {0.0});
  EXPECT_EQ(policy->indices(kStream)[0], -kInfinity);
  EXPECT_EQ(policy->select(kStream), 1u);
}

TEST(Reference, UpUcbBlSumsOverTheAffectedVariables) {
  Knowledge knowledge(3, 2);
  knowledge.set_baseline({0.5, 1.0});
  knowledge.set_affected(std::vector<VariableSet>{ids({0, 1}), ids({1}), ids({})});
  const auto policy = reference("up_ucb_bl(alpha=0.5)", knowledge);
  pay(*policy, 0, {2.0, 1.0});
  pay(*policy, 1, {9.0, 3.0}, 4);
  pay(*policy, 2, {9.0, 9.0});
  expect_indices(*policy, {(2 + 1 - 0.5) + (1 + 1 - 1), 3 + 0.5 - 1, 0.0});
  EXPECT_EQ(policy->select(kStream), 0u);
}

TEST(Reference, UpUcbTakesTheBaselineFromRoundsThatLeaveAVariableAlone) {
  // Variable 2 is affected by all, so nothing is subtracted there.
  Knowledge knowledge(2, 3);
  knowledge.set_affected(std::vector<VariableSet>{ids({0, 2}), ids({1, 2})});
  for (const std::string_view spec : {"up_ucb(alpha=0.5)", "up_ucb(alpha=0.5, baseline_bound=ucb)",
                                      "up_ucb(alpha=0.5, baseline_bound=lcb)"}) {
    const auto policy = reference(spec, knowledge);
    pay(*policy, 0, {2.0, 1.0, 1.0});
    pay(*policy, 1, {0.5, 2.0, 1.5}, 4);
    if (spec.find("lcb") == std::string_view::npos) {
      expect_indices(*policy, {(3 - (0.5 + 0.5)) + 2, (2.5 - (1.0 + 1.0)) + 2});
    } else {
      expect_indices(*policy, {(3 - (0.5 - 0.5)) + 2, (2.5 - (1.0 - 1.0)) + 2});
    }
    EXPECT_EQ(policy->select(kStream), 0u);
  }
}

TEST(Reference, UpUcbSubtractsNothingForABaselineNotYetSeen) {
  Knowledge knowledge(2, 2);
  knowledge.set_affected(std::vector<VariableSet>{ids({0}), ids({1})});
  const auto policy = reference("up_ucb(alpha=0.5)", knowledge);
  pay(*policy, 0, {2.0, 5.0});
  expect_indices(*policy, {3.0, kInfinity});
}

TEST(Reference, UpUcbObsSubtractsTheLowerBoundOfTheTable) {
  Knowledge knowledge(2, 2);
  knowledge.set_affected(std::vector<VariableSet>{ids({0}), ids({1})});
  knowledge.set_observations({{4.0, 1.0}, {1.0, 1.0}});
  const auto policy = reference("up_ucb_obs(alpha=0.5)", knowledge);
  pay(*policy, 0, {2.0, 9.0});
  pay(*policy, 1, {9.0, 2.0}, 4);
  expect_indices(*policy, {3 - (1 - 0.5), 2.5 - (1 - 1)});
  EXPECT_EQ(policy->select(kStream), 0u);  // equal: the lowest id
}

TEST(Reference, UpUcbLBlIdentifiesAndPads) {
  Knowledge knowledge(2, 4);
  knowledge.set_baseline({0.0, 0.0, 0.0, 0.0});
  knowledge.set_max_affected(2);
  const auto policy = reference("up_ucb_l_bl(alpha=0.5)", knowledge);
  // Intervals [0.5,1.5], [-0.25,0.75], [-1,0] (the boundary is inside), [-1.5,-0.5].
  pay(*policy, 0, {1.0, 0.25, -0.5, -1.0}, 4);
  // Intervals [-0.25,1.75], [-2.5,-0.5], [-0.75,1.25], [-1,1].
  pay(*policy, 1, {0.75, -1.5, 0.25, 0.0});
  EXPECT_EQ(policy->counted_sets(0)->identified, (std::vector<VariableId>{0, 3}));
  EXPECT_EQ(policy->counted_sets(0)->padding, std::vector<VariableId>{});
  EXPECT_EQ(policy->counted_sets(1)->identified, std::vector<VariableId>{1});
  EXPECT_EQ(policy->counted_sets(1)->padding, std::vector<VariableId>{0});
  expect_indices(*policy, {1.5 - 0.5, -0.5 + 1.75});
  EXPECT_EQ(policy->select(kStream), 1u);

  // With L = 1 the identified set of action 0 is larger than L and still counts in full.
  const auto smaller = reference("up_ucb_l_bl(alpha=0.5, max_affected=1)", knowledge);
  pay(*smaller, 0, {1.0, 0.25, -0.5, -1.0}, 4);
  pay(*smaller, 1, {0.75, -1.5, 0.25, 0.0});
  expect_indices(*smaller, {1.5 - 0.5, -0.5});
}

TEST(Reference, UpUcbLComparesWithTheMostPulledAction) {
  Knowledge knowledge(2, 4);
  knowledge.set_max_affected(1);
  const auto policy = reference("up_ucb_l(alpha=0.5)", knowledge);
  pay(*policy, 1, {0.0, 0.0, 0.0, 0.0}, 4);   // intervals [-0.5, 0.5]
  pay(*policy, 0, {2.0, -1.0, 0.25, -0.25});  // [1,3], [-2,0], [-0.75,1.25], [-1.25,0.75]
  EXPECT_EQ(policy->most_pulled(), 1u);
  EXPECT_EQ(policy->counted_sets(0)->identified, std::vector<VariableId>{0});
  EXPECT_EQ(policy->counted_sets(0)->padding, std::vector<VariableId>{2});  // 2L - 1 = 1
  expect_indices(*policy, {(3 - 0.5) + (1.25 - 0.5), 0.0});
  EXPECT_EQ(policy->select(kStream), 0u);

  // With L = 2 there is room for three, but only two of the rest are positive.
  const auto larger = reference("up_ucb_l(alpha=0.5, max_affected=2)", knowledge);
  pay(*larger, 1, {0.0, 0.0, 0.0, 0.0}, 4);
  pay(*larger, 0, {2.0, -1.0, 0.25, -0.25});
  expect_indices(*larger, {(3 - 0.5) + (1.25 - 0.5) + (0.75 - 0.5), 0.0});
}

TEST(Reference, UpUcbIliftBlKeepsAllVariablesThroughTheFirstKRounds) {
  // n0 = ceil(8/4 * 0.5) = 1, yet the first pull of each action does not threshold.
  Knowledge knowledge(2, 2);
  knowledge.set_baseline({0.0, 0.0});
  knowledge.set_min_uplift(2.0);
  const auto policy = reference("up_ucb_ilift_bl(alpha=0.5)", knowledge);
  pay(*policy, 0, {3.0, -3.0});
  pay(*policy, 1, {2.0, 0.5});
  expect_indices(*policy, {4.0 - 2.0, 3.0 + 1.5});
  EXPECT_EQ(policy->select(kStream), 1u);
  pay(*policy, 1, {2.0, 0.5}, 3);  // |0.5| <= Delta/2
  expect_indices(*policy, {4.0 - 2.0, 2.5});
  EXPECT_EQ(policy->select(kStream), 1u);
}

TEST(Reference, UpUcbLIliftBlThresholdsFromN0PullsOn) {
  Knowledge knowledge(2, 2);
  knowledge.set_baseline({0.0, 0.0});
  knowledge.set_max_affected(1);
  knowledge.set_min_uplift(2.0);
  // n0 = 1: thresholded at once. Both variables of action 0 count, |2 - 0| > 1 alone of action 1.
  const auto policy = reference("up_ucb_l_ilift_bl(alpha=0.5)", knowledge);
  pay(*policy, 0, {3.0, -3.0});
  pay(*policy, 1, {2.0, 0.5});
  expect_indices(*policy, {4.0 - 2.0, 3.0});
  EXPECT_EQ(policy->select(kStream), 1u);
  // n0 = ceil(8 * 0.5) = 4: as up_ucb_l_bl before, [1,3] and [-0.5,1.5] of action 1; at the
  // fourth pull of action 0 both |1| > 1/2 and |-1| > 1/2.
  const auto later = reference("up_ucb_l_ilift_bl(alpha=0.5, min_uplift=1)", knowledge);
  pay(*later, 1, {0.5, 0.75});
  pay(*later, 0, {1.0, -1.0}, 3);
  expect_indices(*later, {0.0 + 2 / std::sqrt(3.0), 1.75});
  pay(*later, 0, {1.0, -1.0});
  expect_indices(*later, {1.5 - 0.5, 1.75});
}

TEST(Reference, UpUcbIliftEliminatesThenComparesWithTheBaselineSets) {
  // n0 = ceil(32/4 * 0.5) = 4; an action is dropped below the best by 4, 2.83, 2.31, 2.
  Knowledge knowledge(3, 2);
  knowledge.set_effect_gap(2.0);
  knowledge.set_horizon(100);
  const auto policy = reference("up_ucb_ilift(alpha=0.5)", knowledge);
  const std::vector<std::vector<double>> payoffs = {{0.0, 0.0}, {3.0, 0.0}, {0.0, 3.5}};
  // Action 0 (3.5 below the best) goes after the second round, the others stay.
  for (const ActionId expected : {0u, 1u, 2u, 0u, 1u, 2u, 1u, 2u, 1u, 2u}) {
    ASSERT_EQ(policy->select(kStream), expected);
    pay(*policy, expected, payoffs[expected]);
  }
  // The intervals of 1 and 2 meet nowhere, and those of the dropped action do not count.
  EXPECT_EQ(policy->counted_sets(1)->identified, (std::vector<VariableId>{0, 1}));
  EXPECT_EQ(policy->counted_sets(2)->identified, (std::vector<VariableId>{0, 1}));
  expect_indices(*policy, {-kInfinity, 3.5 + 0.5, 0.5 + 4.0});
  EXPECT_EQ(policy->select(kStream), 2u);
}

/// Four actions on two variables, at the end of four rounds of elimination; the first action was
/// dropped after two.
std::unique_ptr<ReferencePolicy> at_phase_two(std::string_view spec) {
  Knowledge knowledge(4, 2);
  knowledge.set_effect_gap(2.0);
  auto policy = reference(spec, knowledge);
  for (int round = 0; round < 4; ++round) {
    if (round < 2) pay(*policy, 0, {0.0, 0.0});
    pay(*policy, 1, {3.0, 0.0});
    pay(*policy, 2, {0.0, 3.5});
    pay(*policy, 3, {0.0, 2.0});
  }
  return policy;
}

TEST(Reference, UpUcbIliftHasBaselineSetsOfActiveActions) {
  const auto policy = at_phase_two("up_ucb_ilift(alpha=0.5)");
  // Variable 0: 2 and 3 meet. Variable 1: 1 would meet the dropped action alone.
  EXPECT_EQ(policy->counted_sets(1)->identified, (std::vector<VariableId>{0, 1}));
  EXPECT_EQ(policy->counted_sets(2)->identified, std::vector<VariableId>{1});
  EXPECT_EQ(policy->counted_sets(3)->identified, std::vector<VariableId>{1});
  expect_indices(*policy, {-kInfinity, (3.5 - 0.5) + 0.5, 4.0, 2.5});
}

TEST(Reference, UpUcbIliftAggregatesPhaseTwoAndOneActionOfPhaseOne) {
  const auto policy = at_phase_two("up_ucb_ilift(alpha=0.5, baseline_estimate=aggregated)");
  expect_indices(*policy, {-kInfinity, (3.5 - 0.5) + 0.5, 4.0, 2.5});
  pay(*policy, 2, {1.0, 3.5}, 2);
  pay(*policy, 3, {2.0, 2.0});
  // Of variable 0: four times 0 from action 2, then 1, 1 from action 2 and 2 from action 3.
  expect_indices(*policy, {-kInfinity, (3.5 - (4.0 / 7 + std::sqrt(1.0 / 7))) + 0.5,
                           3.5 + std::sqrt(1.0 / 6), 2.0 + std::sqrt(1.0 / 5)});
}

TEST(Reference, UpUcbPadBlTakesTheLargestWithoutIdentification) {
  Knowledge knowledge(2, 4);
  knowledge.set_baseline({0.0, 0.0, 0.0, 0.0});
  knowledge.set_max_affected(2);
  const auto policy = reference("up_ucb_pad_bl(alpha=0.5)", knowledge);
  pay(*policy, 0, {1.0, 0.25, -0.5, -1.0}, 4);  // upper bounds 1.5, 0.75, 0, -0.5
  pay(*policy, 1, {-3.0, -4.0, -5.0, -2.0});    // -2, -3, -4, -1
  EXPECT_EQ(policy->counted_sets(0)->padding, (std::vector<VariableId>{0, 1}));
  EXPECT_EQ(policy->counted_sets(1)->padding, (std::vector<VariableId>{0, 3}));
  EXPECT_TRUE(policy->counted_sets(1)->identified.empty());
  expect_indices(*policy, {1.5 + 0.75, -1.0 - 2.0});
}

TEST(Reference, UpUcbExploreBlIdentifiesOnceForAll) {
  // n0 = ceil(8 * 0.5) = 4.
  Knowledge knowledge(2, 2);
  knowledge.set_baseline({0.0, 0.0});
  knowledge.set_min_uplift(1.0);
  const auto policy = reference("up_ucb_explore_bl(alpha=0.5)", knowledge);
  for (const ActionId expected : {0u, 1u, 0u, 1u, 0u, 1u}) {
    ASSERT_EQ(policy->select(kStream), expected);
    pay(*policy, expected, expected == 0 ? std::vector{1.0, 0.25} : std::vector{0.0, 0.75});
  }
  expect_indices(*policy, {kInfinity, kInfinity});
  pay(*policy, 0, {1.0, 0.25});
  EXPECT_EQ(policy->select(kStream), 1u);
  pay(*policy, 1, {0.0, 0.75});
  expect_indices(*policy, {1.5, 1.25});
  // Means that would be identified, or would not be any more, later.
  pay(*policy, 0, {-7.0, 10.25});  // -0.6, 2.25
  EXPECT_EQ(policy->counted_sets(0)->identified, std::vector<VariableId>{0});
  expect_indices(*policy, {-0.6 + std::sqrt(1.0 / 5), 1.25});
}

TEST(Reference, BoundsOfEachActionReplaceL) {
  Knowledge knowledge(3, 3);
  knowledge.set_baseline({0.0, 0.0, 0.0});
  knowledge.set_max_affected(std::vector<std::size_t>{2, 0, 1});
  for (const std::string_view spec :
       {"up_ucb_l_bl(alpha=0.5)", "up_ucb_l_bl(alpha=0.5, max_affected=[2, 0, 1])"}) {
    const auto policy = reference(spec, knowledge);
    for (const ActionId a : {0u, 1u, 2u}) pay(*policy, a, {0.25, 0.5, 2.0});  // 2 is identified
    expect_indices(*policy, {3.0 + 1.5, 3.0, 3.0});
    EXPECT_EQ(policy->counted_sets(0)->padding, std::vector<VariableId>{1});
  }
  // Against action 1, with its bound of 0, and then against action 0, with its bound of 2.
  const auto policy = reference("up_ucb_l(alpha=0.5)", knowledge);
  pay(*policy, 1, {0.0, 0.0, 0.0}, 4);
  pay(*policy, 0, {0.25, 0.5, 0.75});
  pay(*policy, 2, {0.25, 0.5, 0.75});
  expect_indices(*policy, {1.25 + 1.0, 0.0, 1.25});
  pay(*policy, 0, {0.25, 0.5, 0.75}, 8);
  const double upper = 1.0 / 3.0;
  expect_indices(*policy, {0.0, 0.0, 3 * (1.0 - upper)});
}

TEST(Reference, UpUcbIliftKeepsAnActionExactlyAtTheBound) {
  Knowledge knowledge(2, 1);
  knowledge.set_effect_gap(2.0);
  knowledge.set_horizon(100);
  const auto policy = reference("up_ucb_ilift(alpha=0.5)", knowledge);
  pay(*policy, 0, {0.0});
  pay(*policy, 1, {2.0});  // 0 + 2*1*1 is not below 2
  EXPECT_TRUE(policy->active(0));
  pay(*policy, 0, {0.0});
  pay(*policy, 1, {2.0});  // 0 + 2*1*0.71 is
  EXPECT_FALSE(policy->active(0));
}

TEST(Reference, UpUcbIliftOffersTheLeastOfferedActiveActionWhileFeedbackIsOut) {
  Knowledge knowledge(2, 1);
  knowledge.set_effect_gap(2.0);
  knowledge.set_horizon(100);
  const auto policy = reference("up_ucb_ilift(alpha=0.5)", knowledge);
  for (const ActionId expected : {0u, 1u, 0u, 1u, 0u}) {
    EXPECT_EQ(policy->select(kStream), expected);
  }
  // Both come back: action 1 is 5 below, and dropped when the first round is complete.
  pay(*policy, 0, {5.0}, 3);
  EXPECT_TRUE(policy->active(1));
  pay(*policy, 1, {0.0});
  EXPECT_FALSE(policy->active(1));
  expect_indices(*policy, {kInfinity, -kInfinity});
  pay(*policy, 0, {5.0});  // four pulls of all active actions: phase II
  expect_indices(*policy, {5.5, -kInfinity});
}

TEST(Reference, AlphaComesFromDeltaAndTheHorizon) {
  Knowledge knowledge(2, 5);  // K = 2, m = 5
  knowledge.set_baseline({0.0, 0.0, 0.0, 0.0, 0.0});
  knowledge.set_affected(std::vector<VariableSet>{ids({0, 1, 2}), ids({})});  // L = 3
  knowledge.set_min_uplift(1.0);
  knowledge.set_effect_gap(1.0);
  knowledge.set_horizon(100);
  const auto alpha = [&](std::string_view spec) {
    return reference_alpha(PolicySpec::parse(spec), knowledge);
  };
  EXPECT_DOUBLE_EQ(alpha("ucb(alpha=0.25)"), 0.25);
  EXPECT_DOUBLE_EQ(alpha("ucb(delta=0.5)"), std::log(800.0));
  EXPECT_DOUBLE_EQ(alpha("ucb(delta=0.5, horizon=10)"), std::log(80.0));
  EXPECT_DOUBLE_EQ(alpha("up_ucb_bl(delta=0.5)"), std::log(800.0));
  EXPECT_DOUBLE_EQ(alpha("up_ucb(delta=0.5)"), std::log(4800.0));
  EXPECT_DOUBLE_EQ(alpha("up_ucb_obs(delta=0.5)"), std::log(4800.0));
  for (const std::string_view spec :
       {"up_ucb_l_bl(delta=0.5)", "up_ucb_l(delta=0.5)", "up_ucb_ilift_bl(delta=0.5)",
        "up_ucb_ilift(delta=0.5)", "up_ucb_l_ilift_bl(delta=0.5)", "up_ucb_pad_bl(delta=0.5)",
        "up_ucb_explore_bl(delta=0.5)"}) {
    EXPECT_DOUBLE_EQ(alpha(spec), std::log(4000.0)) << spec;
  }
  EXPECT_DOUBLE_EQ(alpha("up_ucb_ilift(delta=0.5, baseline_estimate=aggregated)"),
                   std::log(8000.0));
}

TEST(Reference, RefusesToStartWithoutWhatItNeeds) {
  const Knowledge nothing(2, 2);
  for (const std::string_view spec :
       {"ucb(delta=0.5)", "ts(sigma2=1)", "up_ucb_bl(alpha=1)", "up_ucb(alpha=1)",
        "up_ucb_obs(alpha=1)", "up_ucb_l_bl(alpha=1)", "up_ucb_l(alpha=1)",
        "up_ucb_ilift_bl(alpha=1)", "up_ucb_ilift(alpha=1)", "up_ucb_l_ilift_bl(alpha=1)",
        "up_ucb_pad_bl(alpha=1)", "up_ucb_explore_bl(alpha=1)", "up_ts", "up_ts_bl", "up_ucb_cv",
        "up_ucb_cv_bl"}) {
    EXPECT_THROW(reference(spec, nothing), std::invalid_argument) << spec;
  }
}

}  // namespace

}  // namespace updraft::testing
