// What the paper says against the two naive policies, up_ucb_pad_bl and up_ucb_explore_bl.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "updraft/instance.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

std::vector<PolicyResult> play(const InstanceDefinition& definition,
                               const std::vector<std::string>& specs, std::uint32_t rounds) {
  std::vector<PolicySpec> parsed;
  for (const std::string& spec : specs) parsed.push_back(PolicySpec::parse(spec));
  const auto instance = std::make_shared<Instance>(definition);
  return simulate(instance, parsed, {.rounds = rounds, .runs = 20, .seed = 1}).policies;
}

double largest(const PolicyResult& result) {
  return *std::max_element(result.final_regrets.begin(), result.final_regrets.end());
}
double smallest(const PolicyResult& result) {
  return *std::min_element(result.final_regrets.begin(), result.final_regrets.end());
}

/// "plain" moves one of ten variables by 0.5. "mixed" moves one by 1 and another by -3: an uplift
/// of -2, of which only the 1 is among the largest individual indices.
InstanceDefinition one_negative_uplift() {
  InstanceDefinition definition;
  definition.action_names = {"plain", "mixed"};
  definition.variables = {{10, 0.0}};
  definition.noise = GaussianNoise{};
  definition.effects = {{{VariableSet::from_ids({2}), {0.5}}},
                        {{VariableSet::from_ids({0, 1}), {1.0, -3.0}}}};
  return definition;
}

TEST(UpUcbPadBl, OverestimatesWhereAnActionLowersPayoffs) {
  const auto results =
      play(one_negative_uplift(), {"up_ucb_pad_bl(alpha=1)", "up_ucb_l_bl(alpha=1)"}, 2000);
  // Nearly all rounds at a gap of 2.5.
  EXPECT_GT(smallest(results[0]), 0.9 * 2.5 * 2000);
  EXPECT_LT(largest(results[1]), 0.1 * 2.5 * 2000);
}

/// The second action is so much worse that a few pulls tell, long before the n0 = 8 / 0.25^2 alpha
/// that tell which variables it moves.
InstanceDefinition large_gap() {
  InstanceDefinition definition;
  definition.action_names = {"good", "bad"};
  definition.variables = {{4, 0.0}};
  definition.noise = GaussianNoise{};
  definition.effects = {{{VariableSet::from_ids({0}), {0.25}}},
                        {{VariableSet::from_ids({1, 2, 3}), {-5.0}}}};
  return definition;
}

TEST(UpUcbExploreBl, TakesBadActionsUntilTheyAreIdentified) {
  const auto results =
      play(large_gap(), {"up_ucb_explore_bl(alpha=3)", "up_ucb_ilift_bl(alpha=3)"}, 2000);
  const double n0 = 8.0 / 0.0625 * 3.0;  // 384
  EXPECT_EQ(results[0].pulls[1], n0);
  EXPECT_EQ(largest(results[0]), smallest(results[0]));
  EXPECT_DOUBLE_EQ(largest(results[0]), n0 * 15.25);
  EXPECT_LT(largest(results[1]), 0.1 * n0 * 15.25);
}

TEST(UpUcbExploreBl, ShowsInfiniteIndicesWhileItExplores) {
  Knowledge knowledge(2, 2);
  knowledge.set_baseline({0.0, 0.0});
  knowledge.set_min_uplift(1.0);
  const auto policy = make_policy("up_ucb_explore_bl(alpha=0.5)", knowledge);  // n0 = 4
  const std::vector<double> payoffs = {1.0, 0.25};
  for (int round = 0; round < 3; ++round) policy->observe(0, Payoffs::dense(payoffs));
  EXPECT_TRUE(std::isinf(policy->index(0)));
  EXPECT_TRUE(policy->explain().actions[0].identified->empty());
  EXPECT_DOUBLE_EQ(policy->explain().actions[0].uplift.value(), 1.25);
  policy->observe(0, Payoffs::dense(payoffs));
  EXPECT_DOUBLE_EQ(policy->index(0), 1.5);
  EXPECT_EQ(*policy->explain().actions[0].identified, VariableSet::from_ids({0}));
  EXPECT_DOUBLE_EQ(policy->explain().actions[0].uplift.value(), 1.0);
}

TEST(UpUcbPadBl, ShowsRewardAndPaddingAndNoUplift) {
  Knowledge knowledge(2, 3);
  knowledge.set_baseline({0.5, 1.0, 2.0});
  knowledge.set_max_affected(std::vector<std::size_t>{2, 1});
  const auto policy = make_policy("up_ucb_pad_bl(alpha=0.5)", knowledge);
  for (const ActionId action : {0u, 1u}) {
    policy->observe(action, Payoffs::dense(std::vector<double>{1.0, 3.0, 2.25}));
  }
  const Explanation shown = policy->explain();
  EXPECT_DOUBLE_EQ(shown.actions[0].index, (0.5 + 1.0) + (2.0 + 1.0));
  EXPECT_DOUBLE_EQ(shown.actions[1].index, 2.0 + 1.0);
  EXPECT_EQ(*shown.actions[0].padding, VariableSet::from_ids({0, 1}));
  EXPECT_EQ(*shown.actions[1].padding, VariableSet::from_ids({1}));
  EXPECT_TRUE(shown.actions[0].identified->empty());
  EXPECT_FALSE(shown.actions[0].uplift.has_value());
  EXPECT_DOUBLE_EQ(shown.actions[0].reward.value(), 6.25);
}

}  // namespace
}  // namespace updraft
