#include "updraft/people_holdout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/refusal.h"
#include "support/statistics.h"
#include "updraft/registry.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using testing::refusal;

TEST(PeopleHoldout, RefusesSharesThatCannotBe) {
  EXPECT_EQ(refusal([] { PeopleHoldout(0.0); }), "holdout.share = 0: must be > 0 and at most 0.9");
  EXPECT_EQ(refusal([] { PeopleHoldout(0.1, 0.6); }), "holdout.error = 0.6: must be in (0, 0.5]");
  EXPECT_EQ(refusal([] { PeopleHoldout(0.9); }), "(accepted)");
}

/// The mean gain of docs/stopping.md, by plain loops.
TEST(PeopleHoldout, IsThatOfThePlainFormula) {
  constexpr double kShare = 0.25;
  PeopleHoldout holdout(kShare);
  const Stream stream(54, 0, Purpose::kTest);
  double sums[2] = {}, counts[2] = {}, total = 0.0, counted = 0.0;
  for (std::uint32_t t = 0; t < 40; ++t) {
    const std::vector<Treatment> chosen = {1, 0, 1};
    std::vector<Treatment> given = chosen;
    std::vector<double> paid(3);
    for (std::size_t i = 0; i < 3; ++i) {
      if (given[i] != 0 && stream.uniform(t, 10 + i) < kShare) given[i] = 0;
      paid[i] = 5.0 + stream.normal(t, i) + given[i];
      if (chosen[i] == 0) continue;
      const int kind = given[i];
      double predicted = 0.0;
      if (counts[0] > 0.0 && counts[1] > 0.0) {
        predicted = kShare * sums[1] / counts[1] + (1.0 - kShare) * sums[0] / counts[0];
      } else {
        predicted = (sums[0] + sums[1]) / std::max(1.0, counts[0] + counts[1]);
      }
      if (counts[0] + counts[1] > 0.0) {
        total += (paid[i] - predicted) * (kind == 1 ? 1.0 / (1.0 - kShare) : -1.0 / kShare);
        counted += 1.0;
      }
      sums[kind] += paid[i];
      counts[kind] += 1.0;
    }
    holdout.observed(chosen, given, paid);
  }
  ASSERT_GT(counts[0], 10.0);
  EXPECT_EQ(holdout.gain().counted, 79u);
  EXPECT_NEAR(*holdout.gain().estimate.value, total / counted, 1e-9);
}

/// Each person whom the policy chose is left out with the share, and nobody else is treated.
TEST(PeopleHoldout, LeavesAShareOfTheChosenUntreated) {
  const auto policy = make_policy("random", Knowledge(TargetingShape{.features = 1, .budget = 40}));
  const PeopleHoldout holdout(0.3);
  const std::vector<double> features(100, 1.0);
  const Round pool{.features = features, .width = 1};
  const Stream stream(1, 0, Purpose::kPolicy);
  std::vector<std::uint64_t> counts(2, 0);
  for (int t = 0; t < 100; ++t) {
    const PeopleDecision made = holdout.decide(*policy, pool, stream);
    for (std::size_t i = 0; i < 100; ++i) {
      if (made.chosen[i] == 0) {
        ASSERT_EQ(made.decision.treatments[i], 0u);
        continue;
      }
      ++counts[made.decision.treatments[i] == 0 ? 0 : 1];
    }
  }
  EXPECT_EQ(counts[0] + counts[1], 4000u);
  EXPECT_TRUE(testing::fits(counts, std::vector<double>{1200.0, 2800.0}));
  EXPECT_EQ(policy->decisions(), 100u);
  Knowledge plain(2, 2);
  plain.set_reward_prior({0.0, 1.0});
  const auto other = make_policy("ucb(alpha=1)", plain);
  EXPECT_NE(refusal([&] { holdout.decide(*other, Round{}, stream); }).find("does not choose"),
            std::string::npos);
}

TEST(PeopleHoldout, RefusesWhatCannotHaveBeenDone) {
  PeopleHoldout holdout(0.5);
  const std::vector<Treatment> chosen = {1, 0, 2};
  const std::vector<double> payoffs = {1.0, 2.0, 3.0};
  const auto said = [&](std::vector<Treatment> given, std::vector<double> paid) {
    return refusal([&] { holdout.observed(chosen, given, paid); });
  };
  EXPECT_EQ(said({1, 0}, payoffs),
            "payoffs = 3: must be one for each person, as treatments are: 3");
  EXPECT_EQ(said({1, 1, 0}, payoffs), "treatments[1] = 1: must be 0 or what the policy chose, 0");
  EXPECT_EQ(said({1, 0, 0}, {1.0, 2.0, NAN}), "payoffs[2] = nan: must be finite");
  EXPECT_EQ(holdout.gain().counted, 0u);
  EXPECT_EQ(said({1, 0, 0}, payoffs), "(accepted)");
  EXPECT_EQ(holdout.gain().counted, 1u);  // the first person only sets the level
  EXPECT_EQ(holdout.gain().held_out, 1u);
}

/// Runs whose payoffs drift and share noise: at all times in all but a share of 0.1 the gain
/// of those chosen is inside, people with larger payoffs being chosen.
TEST(PeopleHoldout, HoldsTheTruthAtAllTimes) {
  constexpr std::uint32_t kRuns = 400, kRounds = 60, kPeople = 10;
  double outside = 0.0;
  double width = 0.0;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    PeopleHoldout holdout(0.25, 0.1);
    const Stream stream(3, run, Purpose::kTest);
    double truth = 0.0;
    double counted = -1.0;
    bool inside = true;
    for (std::uint32_t t = 0; t < kRounds; ++t) {
      std::vector<Treatment> chosen(kPeople, 0), given(kPeople, 0);
      std::vector<double> payoffs(kPeople);
      const double level = 0.05 * t + 2.0 * stream.normal(t, 100);
      for (std::uint32_t i = 0; i < kPeople; ++i) {
        const double own = stream.normal(t, i);
        const double uplift = 0.5 + 0.3 * own;
        chosen[i] = own > 0.0 ? 1 : 0;
        given[i] = chosen[i] == 1 && stream.uniform(t, 200 + i) >= 0.25 ? 1 : 0;
        payoffs[i] = level + own + (given[i] == 1 ? uplift : 0.0);
        if (chosen[i] == 0) continue;
        if (counted >= 0.0) truth += uplift;
        counted += 1.0;
      }
      holdout.observed(chosen, given, payoffs);
      const Gain now = holdout.gain();
      if (!now.estimate.interval) continue;
      inside = inside && now.estimate.interval->low <= truth / counted &&
               truth / counted <= now.estimate.interval->high;
      if (t + 1 == kRounds) width += now.estimate.interval->high - now.estimate.interval->low;
    }
    outside += inside ? 0.0 : 1.0;
  }
  EXPECT_LE(outside, 0.1 * kRuns + testing::normal_threshold() * std::sqrt(0.09 * kRuns));
  EXPECT_GE(outside, 1.0);
  EXPECT_LT(width / kRuns, 4.0);
}

TEST(PeopleHoldout, ComparesWithTheModelAndIsTheSameAfterSaving) {
  PeopleHoldout holdout(0.5);
  for (std::uint32_t t = 0; t < 200; ++t) {
    const Treatment given = t % 2;
    holdout.observed(std::vector<Treatment>{1}, std::vector<Treatment>{given},
                     std::vector<double>{given + 0.01 * (t % 7)}, 5.0);
  }
  const Gain gain = holdout.gain();
  EXPECT_EQ(gain.by_model, 5.0);
  EXPECT_TRUE(gain.disagree);
  EXPECT_NEAR(*gain.estimate.value, 1.0, 0.1);
  StateWriter writer;
  holdout.write(writer);
  PeopleHoldout other(0.5);
  StateReader reader(writer.bytes());
  other.read(reader);
  reader.finish();
  EXPECT_EQ(other.gain().estimate, gain.estimate);
  EXPECT_EQ(other.gain().held_out, 100u);
}

}  // namespace
}  // namespace updraft
