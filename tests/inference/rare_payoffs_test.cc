#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "inference/contrasts.h"
#include "inference/count_floor.h"
#include "inference/gain_variance.h"
#include "support/statistics.h"
#include "updraft/evidence.h"
#include "updraft/people_holdout.h"

namespace updraft {
namespace {

VariableSet first_variable() { return VariableSet::from_ids(std::vector<VariableId>{0}); }

/// Payoffs of one variable: 0 or 1, or amounts.
struct RareBandit {
  bool amounts = false;
  std::uint64_t seed = 61;

  double pay(std::uint32_t run, std::uint32_t round, double rate) const {
    const Stream stream(seed, run, Purpose::kTest);
    if (!(stream.uniform(round, 10) < rate)) return 0.0;
    return amounts ? std::exp(0.8 * stream.normal(round, 0)) : 1.0;
  }
};

double most_of(double share, double runs) {
  return share * runs + testing::normal_threshold() * std::sqrt(share * (1.0 - share) * runs);
}

TEST(CountFloor, IsTheVarianceWithFourMoreCounts) {
  CountUnit counts(1);
  EXPECT_EQ(count_floor(counts, 10.0, 0.0), 0.0);
  const double paid = 2.5;
  counts.add({&paid, 1});
  EXPECT_DOUBLE_EQ(count_floor(counts, 12.0, 0.0), 6.25 * 0.2 * 0.8);
  EXPECT_DOUBLE_EQ(count_floor(counts, 12.0, 2.5), 6.25 * 0.8 * 0.2);
  const double more = 5.0;
  counts.add({&more, 1});
  EXPECT_DOUBLE_EQ(count_floor(counts, 10.0, 0.5), 6.25 * 6.0 / 10.0);
  EXPECT_DOUBLE_EQ(count_floor(counts, 10.0, 250.0), 6.25 * 34.0 / 10.0);
  const double amount = -0.1;
  counts.add({&amount, 1});
  EXPECT_EQ(count_floor(counts, 10.0, 0.5), 0.0);
}

/// 12 held-out rounds, of which none paid, and 30 others, of which 20 paid 0.5 or 1.7.
TEST(GainVariance, OfAmountsThatHaveNotComeIsThatOfTheOthers) {
  GainVariance variance;
  for (int t = 0; t < 12; ++t) variance.add(true, 0.0, -4.0);
  for (int t = 0; t < 30; ++t) {
    EXPECT_FALSE(variance.least(12 + t).has_value() && t > 1 && t < 20) << t;
    variance.add(false, t >= 20 ? 0.0 : t % 2 == 0 ? 0.5 : 1.7, 2.0);
  }
  const double square = (0.25 + 2.89) / 2.0;
  const auto of_rate = [&](double rate) { return rate * square - rate * rate * 1.1 * 1.1; };
  const double least = (of_rate(4.0 / 20.0) * 12.0 * 16.0 + of_rate(24.0 / 38.0) * 30.0 * 4.0) / 42;
  ASSERT_TRUE(variance.least(42).has_value());
  EXPECT_NEAR(*variance.least(42), least, 1e-12);
  GainVariance dense;
  for (int t = 0; t < 40; ++t) dense.add(t % 2 == 0, 80.0 - 0.3 * t * t, 2.0);
  EXPECT_EQ(dense.least(40), 0.0);
}

// Guardrails.

Evidence guarded(double baseline, bool control, double error) {
  Knowledge declared(3, 1);
  declared.set_baseline({baseline});
  EvidenceOptions options{.error = error};
  if (control) options.shares.control = 0;
  options.guardrails = {{.name = "buy", .variables = first_variable()}};
  return {declared, options};
}

TEST(RarePayoffs, ZerosRaiseNoAlarm) {
  Evidence evidence = guarded(0.02, false, 0.05);
  const double none = 0.0;
  for (ActionId t = 0; t < 60; ++t) evidence.observed(t % 3, Payoffs::dense({&none, 1}));
  EXPECT_TRUE(evidence.alarms().empty());
  const double one = 1.0;
  evidence.observed(0, Payoffs::dense({&one, 1}));
  for (ActionId t = 0; t < 60; ++t) evidence.observed(t % 3, Payoffs::dense({&none, 1}));
  EXPECT_TRUE(evidence.alarms().empty());
}

/// Of 200 runs in which nothing falls, at most a share of 0.05 has an alarm.
TEST(RarePayoffs, RarelyRaiseAFalseAlarm) {
  constexpr std::uint32_t kRuns = 200, kRounds = 600;
  for (const double rate : {0.02, 0.1}) {
    for (const bool amounts : {false, true}) {
      for (const bool control : {false, true}) {
        const RareBandit bandit{.amounts = amounts};
        double wrong = 0.0;
        for (std::uint32_t run = 0; run < kRuns; ++run) {
          Evidence evidence = guarded(rate * (amounts ? std::exp(0.32) : 1.0), control, 0.05);
          for (std::uint32_t t = 0; t < kRounds && evidence.alarms().empty(); ++t) {
            const double paid = bandit.pay(run, t, rate);
            evidence.observed(t % 3, Payoffs::dense({&paid, 1}));
          }
          wrong += evidence.alarms().empty() ? 0.0 : 1.0;
        }
        EXPECT_LE(wrong, most_of(0.05, kRuns)) << rate << amounts << control;
      }
    }
  }
}

/// A rate that falls from 0.5 to 0.05 under action 1 is found within 300 rounds.
TEST(RarePayoffs, RaiseTheAlarmIfTheyFall) {
  for (const bool amounts : {false, true}) {
    for (const bool control : {false, true}) {
      Evidence evidence = guarded(0.5 * (amounts ? std::exp(0.32) : 1.0), control, 0.05);
      for (std::uint32_t t = 0; t < 300; ++t) {
        const double paid = RareBandit{.amounts = amounts}.pay(0, t, t % 3 == 1 ? 0.05 : 0.5);
        evidence.observed(t % 3, Payoffs::dense({&paid, 1}));
      }
      ASSERT_EQ(evidence.alarms().size(), 1u) << amounts << control;
      EXPECT_EQ(evidence.alarms()[0].action, 1u);
    }
  }
}

/// Half of the rounds should pay, and few do: the variance is that of the half.
TEST(RarePayoffs, VaryAtLeastAsTheBaselineDoes) {
  Evidence evidence = guarded(0.5, false, 0.05);
  for (std::uint32_t t = 0; t < 300; ++t) {
    const double paid = t % 10 == 0 ? 1.0 : 0.0;
    evidence.observed(t % 3, Payoffs::dense({&paid, 1}));
  }
  ASSERT_EQ(evidence.alarms().size(), 3u);
  const double log = std::log(3.0 / 0.05) + 0.5 * std::log(1.0 + 100.0 / 2.0);
  const double reach =
      std::sqrt(0.25 * 102.0) / 100.0 * std::sqrt(297.0 * (std::exp(2.0 * log / 297.0) - 1.0));
  EXPECT_NEAR(evidence.alarms()[0].change, -0.4, 1e-12);
  EXPECT_NEAR(evidence.alarms()[0].interval.high, -0.4 + reach, 1e-9);
}

// Gain.

constexpr RoundShares kShares{.control = 0, .holdout = 0.1};

/// A round of a policy that always wants action 1.
SharedDecision wants_one(const Stream& stream, std::uint32_t round) {
  SharedDecision shared;
  shared.candidate = 1;
  shared.whose = round_of(kShares, stream, round);
  shared.decision.action = shared.whose == RoundOf::kHoldout ? 0 : 1;
  return shared;
}

TEST(RarePayoffs, ZerosSayNothingOfTheGain) {
  Knowledge declared(2, 1);
  declared.set_affected({first_variable(), first_variable()});
  Evidence evidence(declared, {.shares = kShares});
  PeopleHoldout people(0.5);
  const Stream stream(62, 0, Purpose::kTest);
  const double none = 0.0;
  for (std::uint32_t t = 0; t < 300; ++t) {
    evidence.observed(wants_one(stream, t), Payoffs::dense({&none, 1}));
    people.observed(std::vector<Treatment>{1}, std::vector<Treatment>{t % 2}, {&none, 1});
  }
  EXPECT_GE(evidence.gain()->held_out, Gain::kLeastHeldOut);
  EXPECT_FALSE(evidence.gain()->estimate.interval.has_value());
  EXPECT_FALSE(evidence.gain()->by_sets.interval.has_value());
  EXPECT_GE(people.gain().held_out, Gain::kLeastHeldOut);
  EXPECT_FALSE(people.gain().estimate.interval.has_value());
}

/// Held-out rounds pay more often, and weigh nine times as much, but have not paid yet in many
/// runs while the others have. At most a share of 0.05 of 200 runs leaves the truth out
/// at some time; and in most there is an interval in the end.
TEST(RarePayoffs, HoldTheTrueGainAtAllTimes) {
  constexpr std::uint32_t kRuns = 200, kRounds = 1200;
  Knowledge declared(2, 1);
  declared.set_affected({first_variable(), first_variable()});
  for (const bool amounts : {false, true}) {
    const RareBandit bandit{.amounts = amounts};
    const double rates[2] = {amounts ? 0.1 : 0.02, amounts ? 0.025 : 0.008};
    const double truth = (rates[1] - rates[0]) * (amounts ? std::exp(0.32) : 1.0);
    double outside[2] = {};
    double shown = 0.0;
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      Evidence evidence(declared, {.shares = kShares});
      bool inside[2] = {true, true};
      for (std::uint32_t t = 0; t < kRounds; ++t) {
        const SharedDecision shared = wants_one(Stream(63, run, Purpose::kPolicy), t);
        const double paid = bandit.pay(run, t, rates[shared.decision.action]);
        evidence.observed(shared, Payoffs::dense({&paid, 1}));
        const Gain now = *evidence.gain();
        const IntervalEstimate* both[2] = {&now.estimate, &now.by_sets};
        for (int j = 0; j < 2; ++j) {
          const auto& interval = both[j]->interval;
          inside[j] =
              inside[j] && (!interval || (interval->low <= truth && truth <= interval->high));
        }
      }
      for (int j = 0; j < 2; ++j) outside[j] += inside[j] ? 0.0 : 1.0;
      shown += evidence.gain()->estimate.interval ? 1.0 : 0.0;
    }
    for (int j = 0; j < 2; ++j) EXPECT_LE(outside[j], most_of(0.05, kRuns)) << amounts << j;
    EXPECT_GE(shown, 0.9 * kRuns);
  }
}

/// The same for people, a tenth of whom are held out.
TEST(RarePayoffs, HoldTheTrueGainOfPeopleAtAllTimes) {
  constexpr std::uint32_t kRuns = 200, kPeople = 1200;
  constexpr double kRates[2] = {0.02, 0.008};
  double outside = 0.0;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    PeopleHoldout holdout(0.1);
    bool inside = true;
    for (std::uint32_t t = 0; t < kPeople; ++t) {
      const Treatment given = wants_one(Stream(63, run, Purpose::kPolicy), t).decision.action;
      const double paid = RareBandit{}.pay(run, t, kRates[given]);
      holdout.observed(std::vector<Treatment>{1}, std::vector<Treatment>{given}, {&paid, 1});
      const auto interval = holdout.gain().estimate.interval;
      const double truth = kRates[1] - kRates[0];
      inside = inside && (!interval || (interval->low <= truth && truth <= interval->high));
    }
    outside += inside ? 0.0 : 1.0;
  }
  EXPECT_LE(outside, most_of(0.05, kRuns));
}

// Contrasts.

/// If nearly every round has a payoff that the noise model does not expect, the model is fitted at
/// most once per 0.5 % more rounds, and yet more often than once per 2 %.
TEST(RarePayoffs, DoNotFitTheNoiseModelInEveryRound) {
  constexpr VariableId kVariables = 40;
  std::vector<VariableSet> sets;
  for (VariableId i = 0; i < kVariables; ++i) {
    sets.push_back(VariableSet::from_ids(std::vector<VariableId>{i}));
  }
  Contrasts contrasts(std::make_shared<const AffectedSets>(sets, kVariables));
  const Stream stream(64, 0, Purpose::kTest);
  std::vector<double> sums(contrasts.moments().atoms());
  int fits = 0;
  double known = 0.0;
  for (std::uint32_t t = 0; t < 2000; ++t) {
    for (std::size_t g = 0; g < sums.size(); ++g) {
      sums[g] = stream.uniform(t, g) < 0.02 ? 1.0 : 0.0;
    }
    contrasts.add(t % kVariables, sums);
    if (contrasts.degrees() == known) continue;
    known = contrasts.degrees();
    if (t >= 1000) ++fits;
  }
  EXPECT_LE(fits, 1.0 + std::log(2.0) / 0.005);
  EXPECT_GE(fits, 2.0 * std::log(2.0) / 0.02);
}

}  // namespace
}  // namespace updraft
