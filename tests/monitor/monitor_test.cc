// A monitor beside a policy that a program plays, without a service.

#include "updraft/monitor.h"

#include <gtest/gtest.h>

#include <random>

#include "monitor/payoff_statistics.h"
#include "monitor/variable_uplifts.h"
#include "updraft/registry.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Two actions on three variables. As declared, action 0 moves variable 0, and action 1 variable 1.
Knowledge declared() {
  Knowledge knowledge(2, 3);
  knowledge.set_affected({VariableSet::from_ids({0}), VariableSet::from_ids({1})});
  knowledge.set_baseline({0.0, 0.0, 0.0});
  return knowledge;
}

/// Normal payoffs; action 1 adds 1 to variable 1 and `outside` to variable 2.
void play(Policy& policy, Monitor& monitor, int rounds, double outside) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;
  const Stream stream(1, 0, Purpose::kPolicy);
  for (int round = 0; round < rounds; ++round) {
    const ActionId action = policy.select(stream);
    monitor.decided(action);
    monitor.look(policy);
    std::vector<double> payoffs = {noise(random), noise(random), noise(random)};
    if (action == 1) {
      payoffs[1] += 1.0;
      payoffs[2] += outside;
    }
    policy.observe(action, Payoffs::dense(payoffs));
    monitor.observed(action, Payoffs::dense(payoffs));
    monitor.look(policy);
  }
}

TEST(Monitor, WarnsOfVariablesOutsideTheSets) {
  for (const double outside : {0.0, 2.0}) {
    const auto policy = make_policy("up_ucb_bl(alpha=1)", declared());
    Monitor monitor(*policy, policy->knowledge());
    play(*policy, monitor, 600, outside);
    const auto found = monitor.warnings(*policy, policy->explain());
    ASSERT_EQ(found.size(), outside == 0.0 ? 0u : 1u);
    if (found.empty()) continue;
    EXPECT_EQ(found[0].kind, AssumptionWarning::Kind::kOutsideDeclared);
    EXPECT_TRUE(found[0].message.starts_with("Action 1 seems to move 1 variable outside"))
        << found[0].message;
    EXPECT_NE(found[0].message.find("most of all 2:"), std::string::npos) << found[0].message;
    EXPECT_NE(found[0].advice.find("Make a new policy whose affected sets have these variables, or "
                                   "one with max_affected in place of sets (up_ucb_l)."),
              std::string::npos)
        << found[0].advice;
    const std::vector<std::string> names = {"mail", "call"};
    EXPECT_TRUE(
        monitor.warnings(*policy, policy->explain(), {.actions = names})[0].message.starts_with(
            "Action '"));
  }
}

TEST(Monitor, KeepsEstimatesOverTime) {
  const auto policy = make_policy("up_ucb(alpha=1)", declared());
  Monitor monitor(*policy, policy->knowledge());
  EXPECT_EQ(monitor.quantity(), Quantity::kUplift);
  EXPECT_FALSE(monitor.variable_uplifts().has_value());
  play(*policy, monitor, 20, 0.0);
  const auto& points = monitor.history().points();
  ASSERT_EQ(points.size(), 40u);  // a decision and payoffs a round
  EXPECT_EQ(points[20].event, 21u);
  EXPECT_EQ(points[20].decided, 11u);
  EXPECT_EQ(points[20].complete, 10u);
  const Explanation now = policy->explain();
  for (ActionId action = 0; action < 2; ++action) {
    EXPECT_EQ(points.back().estimates[action], now.actions[action].estimate);
    EXPECT_EQ(monitor.chosen()[action], policy->pulls(action));
  }
  EXPECT_EQ(monitor.statistics()->rounds(), 20u);
  EXPECT_TRUE(monitor.variable_uplifts()->of(1, 1).has_value());
}

TEST(Monitor, ComesBackFromItsBytes) {
  const auto policy = make_policy("up_ucb(alpha=1)", declared());
  Monitor monitor(*policy, policy->knowledge());
  play(*policy, monitor, 50, 1.0);
  const auto bytes = [](const Monitor& kept) {
    StateWriter writer;
    kept.write_counts(writer);
    kept.write_history(writer);
    return writer.bytes();
  };
  const std::string kept = bytes(monitor);
  Monitor again(*policy, policy->knowledge());
  StateReader reader(kept);
  again.read_counts(reader);
  again.read_history(reader);
  reader.finish();
  EXPECT_EQ(bytes(again), kept);
  EXPECT_EQ(again.history().points().back().estimates, monitor.history().points().back().estimates);
}

TEST(Monitor, OfGroupsHasMeanPayoffs) {
  Monitor monitor(2);
  monitor.decided(1);
  for (const double payoff : {1.0, 3.0}) monitor.paid(1, payoff);
  monitor.look(nullptr, {.event = 1, .decided = 1, .complete = 1});
  EXPECT_EQ(monitor.statistics(), nullptr);
  EXPECT_FALSE(monitor.variable_uplifts().has_value());
  const auto means = monitor.mean_payoffs();
  EXPECT_FALSE(means[0].value);
  EXPECT_EQ(means[1].value, 2.0);
  EXPECT_NEAR(means[1].interval->high, 2.0 + 1.959964, 1e-6);
  EXPECT_EQ(monitor.history().points()[0].estimates, means);
}

}  // namespace
}  // namespace updraft
