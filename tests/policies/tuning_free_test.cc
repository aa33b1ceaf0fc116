// The policies that learn the noise keep their heads whatever the noise is: constant, perfectly
// correlated, on any scale, in fewer rounds than there are atoms.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/reference_policy.h"
#include "reference/tally.h"
#include "support/bandit.h"
#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft::testing {

namespace {

void expect_finite(const std::optional<double>& value, const char* what) {
  EXPECT_TRUE(std::isfinite(value.value_or(0.0))) << what << " = " << *value;
}

void expect_interval(double estimate, double error, Interval interval) {
  for (const double number : {estimate, error, interval.low, interval.high}) {
    EXPECT_TRUE(std::isfinite(number)) << number;
  }
  EXPECT_GE(error, 0.0);
  EXPECT_LE(interval.low, estimate);
  EXPECT_GE(interval.high, estimate);
}

/// Every number that is shown is finite, and the probabilities are some. Errors, intervals and
/// probabilities are shown once something is known of the noise.
void expect_sane(const Explanation& shown) {
  double probabilities = 0.0;
  for (const ActionExplanation& about : shown.actions) {
    expect_finite(about.index, "index");
    expect_finite(about.radius, "radius");
    expect_finite(about.reward, "reward");
    expect_finite(about.uplift, "uplift");
    ASSERT_TRUE(about.reward && about.weights && about.difference);
    for (const double weight : *about.weights) expect_finite(weight, "weight");
    const bool uplift_known = about.uplift && shown.noise_known;
    ASSERT_EQ(about.interval.has_value(), uplift_known);
    ASSERT_EQ(about.standard_error.has_value(), uplift_known);
    ASSERT_EQ(about.difference->standard_error.has_value(), shown.noise_known);
    ASSERT_EQ(about.probability_best.has_value(), shown.noise_known);
    if (!shown.noise_known) continue;
    expect_interval(about.difference->estimate, *about.difference->standard_error,
                    about.difference->interval);
    if (uplift_known) expect_interval(*about.uplift, *about.standard_error, *about.interval);
    EXPECT_GE(*about.probability_best, 0.0);
    EXPECT_LE(*about.probability_best, 1.0);
    probabilities += *about.probability_best;
  }
  EXPECT_NEAR(probabilities, shown.noise_known ? 1.0 : 0.0, 1e-9);
  ASSERT_TRUE(shown.shrinkage && shown.degrees_of_freedom);
  EXPECT_GE(*shown.shrinkage, 1e-8);
  EXPECT_LE(*shown.shrinkage, 1.0);
  EXPECT_GE(*shown.degrees_of_freedom, 1u);
}

class TuningFree : public ::testing::TestWithParam<std::string> {
 protected:
  /// Plays `rounds` rounds next to the reference, whose decisions must be the same.
  static std::unique_ptr<Policy> play(const Bandit& bandit, std::uint32_t rounds) {
    auto policy = make_policy(GetParam(), bandit.knowledge());
    const auto reference = make_reference(policy->spec(), bandit.knowledge());
    Tally tally;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const ActionId action = policy->select(kPolicyStream);
      if (action >= bandit.actions()) {
        ADD_FAILURE() << "no such action: " << action;
        break;
      }
      EXPECT_TRUE(
          tally.judge(*reference, kPolicyStream, action, RandomCase::Payoffs::kDeterministic))
          << "round " << round;
      reference->offer(action);
      const std::vector<double> payoffs = bandit.payoffs(round, action);
      policy->observe(action, Payoffs::dense(payoffs));
      reference->observe(action, payoffs);
      if (round + 1 >= bandit.actions() && round % 50 < 3) expect_sane(policy->explain());
      if (HasFailure()) break;
    }
    expect_sane(policy->explain());
    return policy;
  }

  /// The estimated uplifts are within 6 standard errors and `slack` of the truth.
  static void expect_right(const Policy& policy, const Bandit& bandit, double slack = 0.0) {
    const Explanation shown = policy.explain();
    for (ActionId a = 0; a < bandit.actions(); ++a) {
      const ActionExplanation& about = shown.actions[a];
      EXPECT_NEAR(about.uplift.value(), bandit.truth(a), 6.0 * *about.standard_error + slack) << a;
    }
    expect_right_differences(shown, bandit, slack);
  }

  static void expect_right_differences(const Explanation& shown, const Bandit& bandit,
                                       double slack) {
    EXPECT_EQ(shown.reference_action, 0u);
    for (ActionId a = 0; a < bandit.actions(); ++a) {
      const RewardDifference& difference = shown.actions[a].difference.value();
      EXPECT_NEAR(difference.estimate, bandit.truth(a) - bandit.truth(0),
                  6.0 * *difference.standard_error + slack)
          << a;
    }
    EXPECT_EQ(*shown.actions[0].difference->standard_error, 0.0);
  }

  /// The same, but nothing tells the baseline unless the policy was told: then no uplift is shown.
  static void expect_no_uplift(const Policy& policy, const Bandit& bandit) {
    if (policy.knowledge().baseline() != nullptr) return expect_right(policy, bandit);
    const Explanation shown = policy.explain();
    for (const ActionExplanation& about : shown.actions) {
      EXPECT_FALSE(about.uplift || about.standard_error || about.interval);
    }
    expect_right_differences(shown, bandit, 0.0);
  }
};

TEST_P(TuningFree, AtomsThatDoNotVary) {
  // One of them affected by two actions, one by none.
  Bandit bandit = overlapping();
  bandit.noise = [](std::uint32_t round, VariableId i) {
    return i == 1 || i == 3 ? 0.0 : kNoise.normal(round, i);
  };
  expect_right(*play(bandit, 300), bandit);
}

TEST_P(TuningFree, VariationBeyondTheDigitsOfADoubleIsNone) {
  for (const double size : {1e-12, 1e-14}) {
    Bandit bandit = overlapping();
    bandit.baseline[3] = 1.0;
    bandit.noise = [&](std::uint32_t round, VariableId i) {
      return i == 3 ? size * kNoise.normal(round, 0) : kNoise.normal(round, i);
    };
    const auto policy = play(bandit, 300);
    const double weight = policy->explain().actions[0].weights->at(3);
    if (size == 1e-12) {
      EXPECT_LT(weight, -0.8e12);  // variable 3 tells the noise of variable 0
    } else {
      EXPECT_EQ(weight, 0.0);
    }
  }
}

TEST_P(TuningFree, PayoffsThatAreConstantAltogether) {
  Bandit bandit = overlapping();
  bandit.noise = [](std::uint32_t, VariableId) { return 0.0; };
  const auto policy = play(bandit, 300);
  for (const ActionExplanation& about : policy->explain().actions) {
    EXPECT_LT(*about.standard_error, 1e-9);
  }
  expect_right(*policy, bandit, 1e-8);
  EXPECT_EQ(policy->pulls(1), 298u);  // the best, as soon as all were taken
}

TEST_P(TuningFree, PerfectlyCorrelatedAtoms) {
  for (const double factor : {3.0, -1.0}) {
    SCOPED_TRACE(factor);
    Bandit bandit = {.baseline = {1.0, -2.0}, .affected = {ids({0}), ids({1})}};
    bandit.noise = [&](std::uint32_t round, VariableId i) {
      return kNoise.normal(round, 0) * (i == 0 ? 1.0 : factor);
    };
    expect_right(*play(bandit, 300), bandit);
    // The same beside atoms that are not.
    Bandit beside = overlapping();
    beside.noise = [&](std::uint32_t round, VariableId i) {
      return kNoise.normal(round, i / 2) * (i % 2 == 0 ? 1.0 : factor);
    };
    expect_right(*play(beside, 300), beside);
  }
}

/// Variable i is affected by the actions that are the bits of i, so each is an atom of its own.
Bandit all_combinations(std::size_t actions, std::size_t variables) {
  Bandit bandit;
  bandit.baseline.assign(variables, 1.0);
  for (ActionId a = 0; a < actions; ++a) {
    std::vector<VariableId> own;
    for (VariableId i = 0; i < variables; ++i) {
      if ((i >> a) % 2 == 1) own.push_back(i);
    }
    bandit.affected.push_back(ids(own));
  }
  return bandit;
}

TEST_P(TuningFree, FewerRoundsThanAtoms) {
  const Bandit bandit = all_combinations(6, 60);
  const auto policy = play(bandit, 10);
  EXPECT_EQ(policy->explain().actions[0].weights->size(), 60u);
  expect_right(*policy, bandit);
}

TEST_P(TuningFree, AThousandAtoms) {
  const Bandit bandit = all_combinations(10, 1000);
  const auto policy = make_policy(GetParam() + "(refit=1)", bandit.knowledge());
  for (std::uint32_t round = 0; round < 12; ++round) {
    const ActionId action = policy->select(kPolicyStream);
    ASSERT_LT(action, 10u);
    policy->observe(action, Payoffs::dense(bandit.payoffs(round, action)));
  }
  expect_sane(policy->explain());
}

TEST_P(TuningFree, AtomsThatAllActionsAffect) {
  // Nothing tells the baseline of variable 0, which is far from 0.
  Bandit bandit = {.baseline = {50.0, 1.0, 2.0}, .affected = {ids({0, 1}), ids({0, 2})}};
  expect_no_uplift(*play(bandit, 300), bandit);
  Bandit only = {.baseline = {-20.0}, .affected = {ids({0}), ids({0}), ids({0})}};
  expect_no_uplift(*play(only, 300), only);
}

TEST_P(TuningFree, ActionsThatAffectNothing) {
  Bandit bandit = {.baseline = {0.0, 1.0}, .affected = {ids({}), ids({0}), ids({})}};
  const auto policy = play(bandit, 300);
  const Explanation shown = policy->explain();
  for (const ActionId a : {0u, 2u}) {
    EXPECT_EQ(*shown.actions[a].uplift, 0.0);
    EXPECT_EQ(*shown.actions[a].standard_error, 0.0);
  }
  expect_right(*policy, bandit);
  play({.baseline = {0.0, 1.0}, .affected = {ids({}), ids({})}}, 50);
}

TEST_P(TuningFree, IdenticalActionsAreBothPlayed) {
  Bandit bandit = {.baseline = {0.0, 1.0}, .affected = {ids({0}), ids({0}), ids({1})}};
  bandit.uplift = [](ActionId a, VariableId) { return a < 2 ? 1.0 : -1.0; };
  const auto policy = play(bandit, 300);
  for (const ActionId a : {0u, 1u}) EXPECT_GT(policy->pulls(a), 15u) << a;
}

TEST_P(TuningFree, LargeBaselinesCostNoDigits) {
  Bandit bandit = overlapping();
  bandit.baseline = {1e12, -1e12, 3e12, 1e12};
  const auto policy = play(bandit, 300);
  expect_right(*policy, bandit);
  for (const ActionExplanation& about : policy->explain().actions) {
    EXPECT_LT(*about.standard_error, 2.0);
  }
}

TEST_P(TuningFree, OneVariable) {
  const Bandit one = {.baseline = {3.0}, .affected = {ids({0}), ids({})}};
  expect_right(*play(one, 300), one);
  const Bandit both = {.baseline = {3.0}, .affected = {ids({0}), ids({0})}};
  expect_no_uplift(*play(both, 300), both);
}

TEST_P(TuningFree, OneAction) {
  for (const auto& only : {ids({}), ids({1}), ids({0, 1})}) {
    const Bandit bandit = {.baseline = {3.0, 4.0}, .affected = {only}};
    const auto policy = play(bandit, 300);
    EXPECT_EQ(policy->explain().actions[0].probability_best, 1.0);
    only.empty() ? expect_right(*policy, bandit) : expect_no_uplift(*policy, bandit);
  }
}

TEST_P(TuningFree, ScalesFarApart) {
  // sds 1e-6 and 1e6; what is seen of the small atom must not drown in the large one.
  Bandit bandit = {.baseline = {0.0, 0.0, 0.0}, .affected = {ids({0}), ids({1}), ids({})}};
  bandit.uplift = [](ActionId a, VariableId) { return a == 0 ? 1e-5 : -1e6; };
  bandit.noise = [](std::uint32_t round, VariableId i) {
    return kNoise.normal(round, i) * (i == 0 ? 1e-6 : i == 1 ? 1e6 : 1.0);
  };
  const auto policy = play(bandit, 300);
  expect_right(*policy, bandit);
  EXPECT_LT(*policy->explain().actions[0].standard_error, 1e-6);
}

/// Two actions on a variable each: what is unknown of an action's baseline shrinks by taking the
/// other. In how many of 200 runs was the better one taken in at most 2 % of 1,000 rounds?
int starved_runs(const std::string& spec) {
  Knowledge knowledge(2, 2);
  knowledge.set_affected({ids({0}), ids({1})});
  const Stream noise(11, 0, Purpose::kTest);
  int starved = 0;
  for (std::uint32_t run = 0; run < 200; ++run) {
    const auto policy = make_policy(spec, knowledge);
    const Stream stream(11, run, Purpose::kPolicy);
    for (std::uint32_t round = 0; round < 1000; ++round) {
      const ActionId action = policy->select(stream);
      std::vector<double> y(2);
      noise.normals(round, 2 * run, y);
      y[action] += action == 0 ? 0.5 : 1.0;
      policy->observe(action, Payoffs::dense(y));
    }
    starved += policy->pulls(1) <= 20;
  }
  return starved;
}

/// What docs/policies/up_ucb_cv.md says of the radius.
TEST(Starving, HappensWithTheWholeRadiusOnly) {
  EXPECT_GT(starved_runs("up_ucb_cv(radius=whole)"), 20);
  EXPECT_LE(starved_runs("up_ucb_cv"), 1);
  EXPECT_EQ(starved_runs("up_ts"), 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, TuningFree,
                         ::testing::Values("up_ts", "up_ts_bl", "up_ucb_cv", "up_ucb_cv_bl"),
                         [](const auto& policy) { return policy.param; });

}  // namespace

}  // namespace updraft::testing
