// What the paper and its theorems say, seen in simulations with fixed seeds.
#include <gtest/gtest.h>

#include <algorithm>

#include "updraft/instance.h"
#include "updraft/simulate.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

std::vector<PolicyResult> play(const std::shared_ptr<const Instance>& instance,
                               const std::vector<std::string>& specs, std::uint32_t rounds) {
  std::vector<PolicySpec> parsed;
  for (const std::string& spec : specs) parsed.push_back(PolicySpec::parse(spec));
  return simulate(instance, parsed, {.rounds = rounds, .runs = 20, .seed = 1}).policies;
}

TEST(Claims, UpliftPoliciesBeatUcbOnCriteo) {
  const auto results =
      play(load_instance("criteo"),
           {"ucb(alpha=7e-7)", "up_ucb_bl(alpha=8e-5)", "up_ucb(alpha=8e-5)"}, 1000);
  const double ucb = results[0].final_regret.mean;
  EXPECT_LT(results[1].final_regret.mean, 0.6 * ucb);
  EXPECT_LT(results[2].final_regret.mean, 0.6 * ucb);
}

TEST(Claims, UpliftPoliciesBeatUcbOnGaussian) {
  const auto results = play(load_instance("gaussian"),
                            {"ucb(alpha=3)", "up_ucb_bl(alpha=3)", "up_ucb(alpha=3)"}, 20000);
  const double ucb = results[0].final_regret.mean;
  EXPECT_LE(results[1].final_regret.mean, 0.25 * ucb);
  EXPECT_LE(results[2].final_regret.mean, 0.25 * ucb);
}

/// The regret of every run lies below the bound of its policy, with the alpha that delta gives.
/// The bounds hold with probability 0.95 each; with these seeds they hold for all runs.
void expect_below_bounds(const InstanceDefinition& definition, std::uint32_t rounds,
                         bool bounds_must_say_something) {
  const auto instance = std::make_shared<Instance>(definition);
  const BoundInputs inputs = BoundInputs::of(*instance, rounds, 0.05);
  std::vector<BoundInfo> checked;
  std::vector<std::string> specs;
  for (const BoundInfo& bound : bounds()) {
    if (!bound.upper) continue;
    checked.push_back(bound);
    specs.push_back(std::string(bound.name) + "(delta=0.05)");
  }
  ASSERT_EQ(checked.size(), 8u);
  const auto results = play(instance, specs, rounds);
  const auto gaps = instance->gaps();
  const double trivial = rounds * *std::max_element(gaps.begin(), gaps.end());
  for (std::size_t p = 0; p < checked.size(); ++p) {
    const double bound = checked[p].evaluate(inputs);
    const auto& regrets = results[p].final_regrets;
    EXPECT_LT(*std::max_element(regrets.begin(), regrets.end()), bound) << checked[p].name;
    EXPECT_GT(*std::min_element(regrets.begin(), regrets.end()), 0.0) << checked[p].name;
    if (bounds_must_say_something) {
      EXPECT_LT(bound, trivial) << checked[p].name;
    }
  }
}

TEST(Claims, RegretOnShippedHardInstancesIsBelowTheBounds) {
  expect_below_bounds(load_instance("hard-affected")->definition(), 5000, false);
  expect_below_bounds(load_instance("hard-reward")->definition(), 5000, false);
}

TEST(Claims, RegretOnSmallHardInstancesIsBelowBoundsThatSaySomething) {
  const HardOptions options{.variables = 3, .affected = {1, 1, 1}, .gaps = {0.0, 1.0, 2.0}};
  expect_below_bounds(hard_affected(options), 20000, true);
  expect_below_bounds(hard_reward(options), 20000, true);
}

}  // namespace
}  // namespace updraft
