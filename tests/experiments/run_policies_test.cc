#include "experiments/run_policies.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "updraft/instance_environment.h"
#include "updraft/simulate.h"
#include "updraft/variable_set.h"

namespace updraft {
namespace {

VariableSet ids(std::vector<VariableId> list) { return VariableSet::from_ids(list); }

/// 4 actions, 40 variables, overlapping sets.
std::shared_ptr<const Instance> small_bernoulli() {
  return std::make_shared<Instance>(
      InstanceDefinition{.name = "small",
                         .summary = "",
                         .action_names = {"a", "b", "c", "d"},
                         .variables = {{10, 0.25}, {20, 0.5}, {10, 0.125}},
                         .effects = {{{ids({0, 1, 2, 3, 14}), {0.75}}},
                                     {{ids({1, 3, 16, 35}), {0.5, 0.375, 0.25, 0.625}}},
                                     {{ids({20, 21, 22}), {1.0}}},
                                     {}},
                         .noise = BernoulliNoise{}});
}

/// Every resolution, and policies that draw.
std::vector<PolicySpec> all_kinds() {
  std::vector<PolicySpec> specs;
  for (const char* text : {"ucb(alpha=0.05)", "ts(sigma2=0.05)", "up_ucb_bl(alpha=0.3)",
                           "up_ucb(alpha=0.3)", "up_ucb_l_bl(alpha=0.3)", "up_ucb_l(alpha=0.3)",
                           "up_ucb_obs(alpha=0.3, observations=20)", "ts(sigma2=0.2)"}) {
    specs.push_back(PolicySpec::parse(text));
  }
  return specs;
}

std::vector<double> regrets(const Outcome& outcome) {
  std::vector<double> all;
  for (const Measures& sums : outcome.curve) all.push_back(sums.regret);
  return all;
}

void expect_same_together_as_alone(const std::shared_ptr<const Instance>& instance,
                                   std::uint32_t rounds) {
  SCOPED_TRACE(instance->name() + ", rounds: " + std::to_string(rounds));
  const auto workload = make_workload(instance, {.rounds = rounds, .seed = 7, .curve_points = 11});
  const std::vector<PolicySpec> specs = all_kinds();
  for (const std::uint32_t run : {0u, 3u}) {
    TaskControl control;
    const std::vector<Outcome> together = run_policies(*workload, specs, run, control);
    EXPECT_EQ(control.rounds_done(), rounds * specs.size());
    ASSERT_EQ(together.size(), specs.size());
    for (std::size_t p = 0; p < specs.size(); ++p) {
      const std::vector<Outcome> alone = run_policies(*workload, {&specs[p], 1}, run, control);
      ASSERT_EQ(alone.size(), 1u);
      EXPECT_EQ(regrets(together[p]), regrets(alone[0])) << specs[p].text();
      EXPECT_EQ(together[p].pulls, alone[0].pulls) << specs[p].text();
      EXPECT_EQ(alone[0].curve.size(), std::min<std::size_t>(11, rounds));
      double pulls = 0.0;
      for (const double n : alone[0].pulls) pulls += n;
      EXPECT_EQ(pulls, rounds);
    }
  }
}

TEST(RunPolicies, AnOutcomeDoesNotDependOnOtherPolicies) {
  for (const auto& instance : {load_instance("gaussian"), small_bernoulli()}) {
    const InstanceEnvironment environment(prepare_payoffs(instance), 7, 0);
    const std::uint32_t block = environment.block_rounds(Resolution::variables());
    for (const std::uint32_t rounds : {1u, block - 1, block, 5 * block + 3, 613u}) {
      if (rounds > 0) expect_same_together_as_alone(instance, rounds);
    }
  }
}

TEST(RunPolicies, ACancelledRunEndsWithoutAnOutcome) {
  const auto workload =
      make_workload(small_bernoulli(), {.rounds = 1000, .seed = 7, .curve_points = 11});
  const std::vector<PolicySpec> specs = all_kinds();
  TaskControl control;
  control.cancel();
  EXPECT_THROW(run_policies(*workload, specs, 0, control), Cancelled);
  EXPECT_LT(control.rounds_done(), 1000u);
}

}  // namespace
}  // namespace updraft
