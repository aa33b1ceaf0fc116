// up_ucb_ilift where feedback comes late: what counts are pulls, never offers. [hsieh22, Alg. 6]

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "updraft/registry.h"

namespace updraft {
namespace {

const Stream kStream(1, 0, Purpose::kPolicy);

std::unique_ptr<Policy> make(std::size_t actions, std::size_t variables, double alpha,
                             double effect_gap) {
  Knowledge knowledge(actions, variables);
  knowledge.set_horizon(1000);
  const PolicySpec spec =
      PolicySpec::parse("up_ucb_ilift").with("alpha", alpha).with("effect_gap", effect_gap);
  return make_policy(spec, knowledge);
}

void pay(Policy& policy, ActionId action, std::vector<double> payoffs) {
  policy.observe(action, Payoffs::dense(payoffs));
}

/// alpha = 1/4 and Delta = 2: phase I takes ceil(32 / 4 * 1/4) = 2 rounds.
TEST(UpUcbIliftLate, ARoundIsCompleteWhenAllActionsHavePaid) {
  const auto policy = make(2, 1, 0.25, 2.0);
  for (const ActionId expected : {0u, 1u, 0u, 1u}) EXPECT_EQ(policy->select(kStream), expected);
  const auto index_after = [](double mean, double rounds) {  // in phase I
    return mean + 2.0 * std::sqrt(2.0 * 0.25 / rounds);
  };
  for (int j = 0; j < 3; ++j) pay(*policy, 0, {1.0});
  EXPECT_DOUBLE_EQ(policy->index(0), index_after(1.0, 1.0)) << "action 1 has not paid";
  EXPECT_EQ(policy->select(kStream), 1u) << "taken least often";
  pay(*policy, 1, {0.25});
  EXPECT_DOUBLE_EQ(policy->index(0), index_after(1.0, 1.0)) << "one round";
  EXPECT_DOUBLE_EQ(policy->index(1), index_after(0.25, 1.0));
  pay(*policy, 1, {0.25});
  EXPECT_EQ(policy->index(0), 0.0) << "phase II: the intervals meet, so nothing is identified";
  EXPECT_EQ(policy->index(1), 0.0);
}

/// alpha = 0.02 and Delta = 0.8: phase I takes one round, and a radius after one pull is 0.2. The
/// variables 1 to 4 pay nothing; they only widen the bounds of phase I, so that nothing is dropped.
TEST(UpUcbIliftLate, TheActionWithMostPullsPlaysBaseline) {
  const auto policy = make(3, 5, 0.02, 0.8);
  pay(*policy, 0, {1.0, 0.0, 0.0, 0.0, 0.0});
  pay(*policy, 1, {0.0, 0.0, 0.0, 0.0, 0.0});
  pay(*policy, 2, {0.05, 0.0, 0.0, 0.0, 0.0});
  EXPECT_NEAR(policy->index(0), 1.0 + 0.2 - (0.0 + 0.2), 1e-12) << "lowest id among equals";
  policy->select(kStream);
  for (int j = 0; j < 3; ++j) pay(*policy, 2, {0.05, 0.0, 0.0, 0.0, 0.0});
  EXPECT_NEAR(policy->index(0), 1.0 + 0.2 - (0.05 + 0.1), 1e-12) << "four pulls";
}

}  // namespace
}  // namespace updraft
