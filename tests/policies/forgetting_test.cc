#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "updraft/instance_environment.h"
#include "updraft/monitor.h"
#include "updraft/registry.h"
#include "updraft/state.h"

namespace updraft {
namespace {

/// Plays rounds `begin` to `end` - 1 and returns the actions.
std::vector<ActionId> play(Policy& policy, InstanceEnvironment& environment, std::uint32_t begin,
                           std::uint32_t end) {
  const Stream stream(1, 0, Purpose::kPolicy);
  std::vector<ActionId> taken;
  for (std::uint32_t round = begin; round < end; ++round) {
    taken.push_back(policy.select(stream));
    policy.observe(taken.back(), environment.draw(round, taken.back(), policy.resolution()));
  }
  return taken;
}

InstanceEnvironment environment_of(const std::shared_ptr<const Instance>& instance) {
  return {prepare_payoffs(instance), 1, 0};
}

std::unique_ptr<Policy> policy_of(const char* spec, const Instance& instance) {
  const PolicySpec parsed = PolicySpec::parse(spec);
  return make_policy(parsed, knowledge_for(parsed, instance.knowledge(1000)));
}

TEST(Forgetting, DecidesAsWithoutUntilAChangeIsFound) {
  for (const char* name : {"steady", "discounts", "rare"}) {
    const auto instance = load_instance(name);
    for (const char* policy : {"up_ts", "up_ts_bl"}) {
      const auto plain = policy_of(policy, *instance);
      const auto forgetful =
          policy_of((std::string(policy) + "(forgetting=auto)").c_str(), *instance);
      InstanceEnvironment first = environment_of(instance);
      InstanceEnvironment second = environment_of(instance);
      EXPECT_EQ(play(*plain, first, 0, 400), play(*forgetful, second, 0, 400)) << name;
      EXPECT_TRUE(forgetful->explain().changes.empty()) << name;
    }
  }
}

TEST(Forgetting, FindsTheFlipAndSaysSo) {
  const auto instance = load_instance("flip");
  for (const char* spec : {"up_ts(forgetting=auto)", "up_ts_bl(forgetting=auto)"}) {
    SCOPED_TRACE(spec);
    const auto policy = policy_of(spec, *instance);
    InstanceEnvironment environment = environment_of(instance);
    play(*policy, environment, 0, 1000);
    EXPECT_TRUE(policy->explain().changes.empty());
    const std::vector<ActionId> taken = play(*policy, environment, 1000, 2000);
    const Explanation explanation = policy->explain(Detail::kCheap);
    ASSERT_EQ(explanation.changes.size(), 1u);
    const FoundChange& change = explanation.changes.front();
    EXPECT_EQ(change.action, 1u);
    EXPECT_FALSE(change.of_baseline);
    EXPECT_NEAR(static_cast<double>(change.round), 1001.0, 12.0);
    EXPECT_LT(change.found, 1060u);
    EXPECT_NEAR(change.before, 4.0, 1.0);
    EXPECT_NEAR(change.after, -2.0, 2.0);
    EXPECT_GT(std::count(taken.begin(), taken.end(), ActionId{3}), 600);
    EXPECT_NEAR(*explanation.actions[1].uplift, -2.0, 2.0);
  }
}

/// All actions in turn, so that there is something to tell a baseline that rises at once from an
/// effect that does.
Explanation after_rotation(const std::vector<Change>& changes) {
  InstanceDefinition definition = load_instance("steady")->definition();
  definition.changes = changes;
  const auto instance = std::make_shared<const Instance>(definition);
  const std::unique_ptr<Policy> policy = policy_of("up_ts(forgetting=auto)", *instance);
  InstanceEnvironment environment = environment_of(instance);
  for (std::uint32_t round = 0; round < 800; ++round) {
    const ActionId action = round % 5;
    policy->observe(action, environment.draw(round, action, policy->resolution()));
  }
  return policy->explain(Detail::kCheap);
}

TEST(Forgetting, TellsABaselineFromAnEffect) {
  const VariableRange of_c[] = {{8, 12}};
  const Explanation baseline = after_rotation({{.action = {},
                                                .variables = VariableSet::from_ranges(of_c),
                                                .course = Trend{400, 401, 1.5}}});
  ASSERT_FALSE(baseline.changes.empty());
  for (const FoundChange& change : baseline.changes) EXPECT_TRUE(change.of_baseline);
  const Explanation effect =
      after_rotation({{.action = 2, .variables = {}, .course = Flip{400, 4.0}}});
  ASSERT_FALSE(effect.changes.empty());
  for (const FoundChange& change : effect.changes) {
    EXPECT_EQ(change.action, 2u);
    EXPECT_FALSE(change.of_baseline);
  }
  // A block of the action's latest rounds has up to 8, one in 5 of all.
  EXPECT_NEAR(static_cast<double>(effect.changes[0].round), 401.0, 40.0);
}

TEST(Forgetting, TheMonitorWarns) {
  const auto instance = load_instance("flip");
  const auto policy = policy_of("up_ts(forgetting=auto)", *instance);
  InstanceEnvironment environment = environment_of(instance);
  Monitor monitor(*policy, policy->knowledge());
  const Stream stream(1, 0, Purpose::kPolicy);
  for (std::uint32_t round = 0; round < 1100; ++round) {
    const ActionId action = policy->select(stream);
    const Payoffs payoffs = environment.draw(round, action, Resolution::variables());
    policy->observe(action, payoffs);
    monitor.decided(action);
    monitor.observed(action, payoffs);
  }
  const std::vector<AssumptionWarning> warnings = monitor.warnings(
      *policy, policy->explain(Detail::kCheap), {.actions = instance->definition().action_names});
  const auto found = std::find_if(warnings.begin(), warnings.end(), [](const auto& warning) {
    return warning.kind == AssumptionWarning::Kind::kEffectChanged;
  });
  ASSERT_NE(found, warnings.end());
  EXPECT_EQ(kind_name(found->kind), "effect_changed");
  EXPECT_EQ(found->action, ActionId{1});
  EXPECT_TRUE(found->message.starts_with("The effect of 'b' fell from ")) << found->message;
  EXPECT_NE(found->message.find(" around decision 1"), std::string::npos) << found->message;
}

TEST(Forgetting, ARestoredPolicyGoesOnAlike) {
  const auto instance = load_instance("flip");
  for (const std::uint32_t stop : {3u, 700u, 1300u}) {
    const auto policy = policy_of("up_ts(forgetting=auto)", *instance);
    InstanceEnvironment environment = environment_of(instance);
    play(*policy, environment, 0, stop);
    std::stringstream file;
    save_policy(*policy, file);
    const auto restored = load_policy(file);
    InstanceEnvironment again = environment_of(instance);
    EXPECT_EQ(play(*policy, environment, stop, stop + 500),
              play(*restored, again, stop, stop + 500));
    EXPECT_EQ(policy->explain().changes.size(), restored->explain().changes.size());
  }
}

}  // namespace
}  // namespace updraft
