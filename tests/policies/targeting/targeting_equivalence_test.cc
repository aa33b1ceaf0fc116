// The fast targeting policies decide, and explain themselves, as the plain references do.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "policies/targeting/targeting_duel.h"
#include "support/knowledge.h"

namespace updraft::testing {

namespace {

constexpr std::uint32_t kCases = 100;
constexpr std::uint32_t kRounds = 60;

struct Contender {
  std::string policy;
  std::string model;  ///< linear, exact or online
};

void PrintTo(const Contender& contender, std::ostream* out) {
  *out << contender.policy << ", " << contender.model;
}

class TargetingEquivalence : public ::testing::TestWithParam<Contender> {
 protected:
  static TargetingDuel duel(std::uint32_t number) {
    return TargetingDuel(GetParam().policy, GetParam().model, number);
  }

  /// Linear models: none, where no two individuals are alike. Otherwise rarely.
  static void expect_rarely_different(const TargetingTally& tally) {
    record({{"decisions", tally.decisions},
            {"individuals", tally.individuals},
            {"treated", tally.treated},
            {"near_ties", tally.near_ties},
            {"near_ties_among_alike", tally.near_ties_among_alike}});
    EXPECT_GT(tally.treated, tally.decisions) << "decisions must be worth comparing";
    if (GetParam().model == "linear") {
      EXPECT_EQ(tally.near_ties, 0u);
    }
    EXPECT_LE(static_cast<double>(tally.near_ties + tally.near_ties_among_alike),
              0.01 * static_cast<double>(tally.decisions));
  }
};

TEST_P(TargetingEquivalence, SameDecisionsWithPromptFeedback) {
  expect_rarely_different(played<TargetingTally>({.end = kCases, .rounds = kRounds}, duel, prompt));
}

TEST_P(TargetingEquivalence, SameDecisionsWithLateFeedbackOutOfOrder) {
  expect_rarely_different(
      played<TargetingTally>({.first = kCases, .end = 2 * kCases, .rounds = kRounds}, duel, late));
}

/// explain() of a pool against the reference.
void check_explanation(const TargetingDuel& duel, const MadeRound& pool) {
  const auto shown = individuals(duel.fast(), pool.view());
  const auto estimates = duel.reference().estimates(pool.view());
  ASSERT_EQ(shown.size(), estimates.size());
  const auto tolerance = static_cast<double>(duel.tolerance(pool));
  const auto widths = static_cast<double>(duel.reference().interval_widths(pool.view()));
  Matrix indices(estimates.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    SCOPED_TRACE("individual " + std::to_string(i));
    const IndividualExplanation& about = shown[i];
    EXPECT_FALSE(about.reason.empty());
    ASSERT_GE(about.treatment, 1u);
    ASSERT_LE(about.treatment, estimates[i].size());
    Real best = estimates[i][0].index;
    for (const TreatmentEstimate& estimate : estimates[i]) best = std::max(best, estimate.index);
    const TreatmentEstimate& expected = estimates[i][about.treatment - 1];
    EXPECT_NEAR(static_cast<double>(expected.index), static_cast<double>(best), tolerance);
    EXPECT_NEAR(about.index, static_cast<double>(expected.index), tolerance);
    const auto uplift = static_cast<double>(expected.uplift);
    const double margin = widths * static_cast<double>(expected.width);
    const double precise = tolerance + 1e-9 * margin;
    EXPECT_NEAR(about.greedy_index, uplift, precise);
    ASSERT_EQ(about.uplift.has_value(), expected.uplift_determined);
    ASSERT_EQ(about.interval.has_value(), expected.uplift_determined);
    if (expected.uplift_determined) {
      EXPECT_NEAR(*about.uplift, uplift, precise);
      EXPECT_NEAR(about.interval->low, uplift - margin, precise);
      EXPECT_NEAR(about.interval->high, uplift + margin, precise);
    }
    ASSERT_EQ(about.payoff.has_value(), expected.payoff_determined);
    ASSERT_EQ(about.payoff_interval.has_value(), expected.payoff_determined);
    if (expected.payoff_determined) {
      const auto payoff = static_cast<double>(expected.payoff);
      const double payoff_margin = widths * static_cast<double>(expected.payoff_width);
      EXPECT_NEAR(*about.payoff, payoff, precise);
      EXPECT_NEAR(about.payoff_interval->low, payoff - payoff_margin, precise);
      EXPECT_NEAR(about.payoff_interval->high, payoff + payoff_margin, precise);
    }
    for (std::size_t z = 1; z <= estimates[i].size(); ++z) {
      const bool taken = about.chosen && about.treatment == z;
      indices[i].push_back(estimates[i][z - 1].index + (taken ? tolerance : -tolerance));
    }
  }
  const auto chosen = duel.reference().chosen(indices, duel.targeting().shape.budget);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    EXPECT_EQ(shown[i].chosen ? shown[i].treatment : 0, chosen[i]) << "individual " << i;
  }
}

TEST_P(TargetingEquivalence, SameExplanations) {
  if (GetParam().policy == "random") GTEST_SKIP() << "has nothing to explain";
  TargetingTally tally;
  play_cases(
      {.first = 2 * kCases, .end = 2 * kCases + 40, .rounds = kRounds / 2}, duel,
      [](std::uint32_t number) { return number % 2 == 0 ? 0u : 5u; }, tally,
      [&](const TargetingDuel& duel, std::uint32_t round, const MadeRound& pool) {
        if (round < 6 || round % 7 == 0) check_explanation(duel, pool);
      });
}

std::vector<Contender> contenders() {
  std::vector<Contender> result;
  for (const PolicyInfo& info : policies(PolicyKind::kTargeting)) {
    if (!must_have_a_reference(info)) continue;
    const std::string name(info.name);
    result.push_back({name, "linear"});
    if (!info.has_parameter("model")) continue;
    result.push_back({name, "exact"});
    result.push_back({name, "online"});
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Policies, TargetingEquivalence, ::testing::ValuesIn(contenders()),
                         [](const auto& tested) {
                           return tested.param.policy + "_" + tested.param.model;
                         });

}  // namespace

}  // namespace updraft::testing
