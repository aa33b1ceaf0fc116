// probability_best is what it says, over instances that are drawn.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "support/statistics.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft::testing {
namespace {

constexpr std::uint32_t kActions = 6;

/// Correlated normal noise; each action moves 10 of 60 variables by one number, whose standard
/// deviation over the draws is `effect`.
std::shared_ptr<const Instance> drawn(std::uint32_t run, double effect) {
  const Stream stream(2026, run, Purpose::kInstance);
  InstanceDefinition definition;
  definition.variables.push_back({60, 0.0});
  for (std::uint32_t a = 0; a < kActions; ++a) {
    const std::array range = {VariableRange{8 * a, 8 * a + 10}};
    definition.action_names.push_back("action-" + std::to_string(a));
    definition.effects.push_back(
        {{VariableSet::from_ranges(range), {effect * stream.normal(0, a)}}});
  }
  GaussianNoise noise;
  noise.covariance = GaussianNoise::Covariance::kFactor;
  noise.factor = 0.6;
  definition.noise = noise;
  return std::make_shared<const Instance>(definition);
}

/// What policies say after so many rounds per action, in rotation.
struct Design {
  double effect = 0.0;
  std::uint32_t rounds_per_action = 0;
  std::uint32_t runs = 0;
};

struct Seen {
  /// If the claims p(a) of a run are right, the claim for the action that is the best is on average
  /// the sum of p(a)^2. By how much it is more: < 0 if claims are too sure, > 0 if too cautious.
  double caution = 0.0;
  double error = 0.0;  ///< standard error of it
  double held = 0.0;   ///< share of the runs in which the first action's interval held its uplift
};

Seen play(const std::string& spec, const Design& design) {
  const double runs = design.runs;
  double sum = 0.0;
  double squares = 0.0;
  double held = 0.0;
  for (std::uint32_t run = 0; run < design.runs; ++run) {
    const auto instance = drawn(run, design.effect);
    const std::uint32_t rounds = design.rounds_per_action * kActions;
    const auto policy = make_policy(spec, instance->knowledge(rounds));
    InstanceEnvironment environment(prepare_payoffs(instance), 2026, run);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const ActionId action = round % kActions;
      policy->observe(action, environment.draw(round, action, policy->resolution()));
    }
    const Explanation explanation = policy->explain();
    double more = *explanation.actions[instance->best_action()].probability_best;
    for (const ActionExplanation& about : explanation.actions) {
      more -= *about.probability_best * *about.probability_best;
    }
    sum += more;
    squares += more * more;
    const auto [low, high] = *explanation.actions[0].interval;
    const double uplift = instance->uplifts()[0];
    held += low <= uplift && uplift <= high;
  }
  const double mean = sum / runs;
  return {mean, std::sqrt((squares / runs - mean * mean) / runs), held / runs};
}

class Calibration : public ::testing::TestWithParam<std::string> {};

/// The noise is well known by now, and uplifts are drawn as large as the standard error of their
/// estimates: there the prior, which is learnt from six estimates, is neither too narrow nor too
/// wide. At level 1e-6 this is to within 0.023.
TEST_P(Calibration, ClaimsAreRightAsOftenAsTheySay) {
  const Seen seen = play(GetParam(), {.effect = 0.03, .rounds_per_action = 60, .runs = 1500});
  EXPECT_TRUE(agrees(seen.caution, 0.0, seen.error));
}

/// After 5 rounds per action there are twice as many rounds as atoms and little more. What the
/// policy adds to the noise for having learnt the control variates is then too much by half
/// (docs/policies/up_ts.md): intervals are too long and claims too cautious, never too sure.
TEST_P(Calibration, IsCautiousAsLongAsControlVariatesAreHardlyKnown) {
  const Seen seen = play(GetParam(), {.effect = 0.1, .rounds_per_action = 5, .runs = 1000});
  EXPECT_GT(seen.caution, -normal_threshold() * seen.error);
  EXPECT_GT(seen.held, 0.95 - normal_threshold() * std::sqrt(0.95 * 0.05 / 1000.0));
}

INSTANTIATE_TEST_SUITE_P(Policies, Calibration, ::testing::Values("up_ts_bl", "up_ts"),
                         [](const auto& policy) { return policy.param; });

}  // namespace
}  // namespace updraft::testing
