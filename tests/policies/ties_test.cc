// Among equal indices the lowest id is taken, by every policy that draws nothing.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/knowledge.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

const Stream kStream(1, 0, Purpose::kPolicy);
constexpr std::size_t kActions = 4;
constexpr std::size_t kVariables = 6;

/// Actions that differ in nothing, neither in what is told nor in what they pay.
Knowledge equals() {
  Knowledge knowledge(kActions, kVariables);
  knowledge.set_baseline(std::vector<double>(kVariables, 0.25));
  const VariableSet all = VariableSet::from_ranges(std::vector<VariableRange>{{0, kVariables}});
  knowledge.set_affected(std::vector<VariableSet>(kActions, all));
  knowledge.set_max_affected(2);
  knowledge.set_min_uplift(0.5);
  knowledge.set_horizon(1000);
  knowledge.set_observations(
      {std::vector<double>(kVariables, 20.0), std::vector<double>(kVariables, 0.25)});
  return knowledge;
}

class Ties : public ::testing::TestWithParam<std::string> {};

/// After every action was taken equally often, all are equal again. Counts and fractions take
/// different paths.
TEST_P(Ties, GoToTheLowestId) {
  for (const double payoff : {1.0, 0.375}) {
    const auto policy = make_policy(testing::usable_spec(policy_info(GetParam())), equals());
    const std::vector<double> payoffs(kVariables, payoff);
    for (int round = 0; round < 3; ++round) {
      for (ActionId action = kActions; action-- > 0;) {
        policy->observe(action, Payoffs::dense(payoffs));
        if (round > 0) policy->select(kStream);  // computes what it computes
      }
      EXPECT_EQ(policy->select(kStream), 0u) << "round " << round << ", payoffs " << payoff;
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const PolicyInfo& info : policies(PolicyKind::kPlain)) {
    const std::string name(info.name);
    // Two policies take turns at first; the others learn noise, draw, or are another policy.
    if (name == "up_ucb_ilift" || name == "up_ucb_explore_bl" || name == "auto" ||
        info.traits.learns_noise || info.traits.draws) {
      continue;
    }
    result.push_back(name);
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Policies, Ties, ::testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace updraft
