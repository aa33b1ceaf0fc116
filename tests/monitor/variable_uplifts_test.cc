// Uplifts of single variables: the sums behind them, and intervals that hold all at once.

#include "monitor/variable_uplifts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "service/played_campaign.h"

namespace updraft {
namespace {

using testing::coin;
using testing::normal;

Knowledge two_sets(std::size_t variables = 4) {
  Knowledge knowledge(2, variables);
  knowledge.set_affected({VariableSet::from_ids({0, 1}), VariableSet::from_ids({2})});
  return knowledge;
}

TEST(PayoffStatistics, AreThoseOfThePayoffs) {
  PayoffStatistics statistics(2, 3, nullptr);
  statistics.add(0, Payoffs::dense(std::vector<double>{1, 2, 3}));
  statistics.add(0, Payoffs::dense(std::vector<double>{2, 0.5, 3}));
  const std::vector<VariableId> ids = {2};
  statistics.add(1, Payoffs::sparse(ids, std::vector<double>{-4}));
  statistics.add(1, Payoffs::sparse(ids, std::vector<double>{-2}));
  EXPECT_EQ(statistics.rounds(), 4u);
  EXPECT_EQ(statistics.rounds(1), 2u);
  EXPECT_EQ(statistics.least(), -4.0);
  EXPECT_EQ(statistics.largest(), 3.0);
  EXPECT_NEAR(statistics.mean(), (6.0 + 5.5 - 6.0) / 12.0, 1e-15);
  // Rewards 6 and 5.5, -4 and -2, two degrees of freedom.
  EXPECT_NEAR(*statistics.reward_variance(), (0.125 + 2.0) / 2.0, 1e-12);
  // Within actions: 0.5, 1.125 and 2.
  EXPECT_NEAR(*statistics.typical_sd(), std::sqrt((0.5 + 1.125 + 2.0) / 2.0 / 3.0), 1e-12);
}

TEST(PayoffStatistics, KeepDeclaredEffectsApart) {
  const Knowledge knowledge = two_sets();
  PayoffStatistics statistics(2, 4, knowledge.affected());
  statistics.add(0, Payoffs::dense(std::vector<double>{3, 1, 2, 1}));
  const std::vector<VariableId> ids = {0, 2, 3};
  statistics.add(1, Payoffs::sparse(ids, std::vector<double>{5, 6, 7}));
  const auto squares = [&](bool affected) {
    std::vector<double> out;
    for (VariableId i = 0; i < 4; ++i) out.push_back(statistics.squares(i, affected));
    return out;
  };
  EXPECT_EQ(squares(true), (std::vector<double>{9, 1, 36, 0}));
  EXPECT_EQ(squares(false), (std::vector<double>{25, 0, 4, 50}));
}

TEST(PayoffStatistics, KeepNoVariablesWhereThereAreTooMany) {
  EXPECT_TRUE(PayoffStatistics(20, 100'000, nullptr).per_variable());
  PayoffStatistics large(50, 100'000, nullptr);
  EXPECT_FALSE(large.per_variable());
  const std::vector<VariableId> ids = {7};
  large.add(3, Payoffs::sparse(ids, std::vector<double>{2}));
  EXPECT_EQ(large.rewards(3).sum, 2.0);
  EXPECT_EQ(large.least(), 0.0);
}

TEST(VariableUplifts, AreHeldAgainstActionsThatLeaveAVariableAlone) {
  const Knowledge knowledge = two_sets();
  PayoffStatistics statistics(2, 4, knowledge.affected());
  statistics.add(0, Payoffs::dense(std::vector<double>{3, 1, 0, 1}));
  statistics.add(0, Payoffs::dense(std::vector<double>{1, 1, 0, 2}));
  statistics.add(1, Payoffs::dense(std::vector<double>{1, 0, 5, 6}));
  const VariableUplifts uplifts(knowledge, statistics);
  EXPECT_DOUBLE_EQ(uplifts.of(0, 0)->uplift(), 2.0 - 1.0);
  EXPECT_DOUBLE_EQ(uplifts.of(1, 3)->uplift(), 6.0 - 1.5);  // its own rounds do not count
  EXPECT_EQ(uplifts.baseline_text(),
            "the other actions that are declared not to affect the variable");
  EXPECT_TRUE(uplifts.of(0, 0)->over_nothing);
  EXPECT_FALSE(uplifts.of(0, 2));  // nobody else leaves it alone
  EXPECT_TRUE(uplifts.tells_uplifts());
  EXPECT_FALSE(uplifts.tells_differences());

  const double reach = uplifts.of(0, 0)->interval.high - uplifts.of(0, 0)->uplift();
  const auto l = [](double n) { return std::log(4.0 * 8.0 * n * (n + 1.0) / 0.001); };
  const double own = 2.0;           // of 3 and 1
  const double rest = 6 * 6 / 4.0;  // one payoff says nothing, so as large as the range allows
  EXPECT_NEAR(
      reach,
      std::sqrt(2 * own * l(2) / 2) + 6.0 * l(2) / 6 + std::sqrt(2 * rest * l(1)) + 6.0 * l(1) / 3,
      1e-9);
}

// Both actions affect variable 1, so that its payoffs under one are held against those under the
// other: by Bernstein, with the variance within the actions, (2 + 0.5) / 2.
TEST(VariableUplifts, OfWhatAllActionsAffectAreDifferencesToTheFirst) {
  Knowledge knowledge(2, 2);
  knowledge.set_affected({VariableSet::from_ids({1}), VariableSet::from_ids({0, 1})});
  PayoffStatistics statistics(2, 2, knowledge.affected());
  for (const double payoff : {5.0, 7.0}) {
    statistics.add(0, Payoffs::dense(std::vector<double>{1, payoff}));
  }
  for (const double payoff : {9.0, 10.0}) {
    statistics.add(1, Payoffs::dense(std::vector<double>{3, payoff}));
  }
  const VariableUplifts uplifts(knowledge, statistics);
  EXPECT_TRUE(uplifts.tells_uplifts());
  EXPECT_TRUE(uplifts.tells_differences());
  EXPECT_TRUE(uplifts.of(1, 0)->over_nothing);
  const VariableUplift difference = *uplifts.of(1, 1);
  EXPECT_FALSE(difference.over_nothing);
  EXPECT_DOUBLE_EQ(difference.mean, 9.5);
  EXPECT_DOUBLE_EQ(difference.uplift(), 3.5);
  const double l = std::log(4.0 * 4.0 * 2.0 * 3.0 / 0.001);
  const double reach = std::sqrt(2.0 * 1.25 * l / 2.0) + 9.0 * l / 6.0;
  EXPECT_NEAR(difference.interval.high, 3.5 + 2.0 * reach, 1e-9);
  EXPECT_NEAR(difference.interval.low, 3.5 - 2.0 * reach, 1e-9);
  const VariableUplift itself = *uplifts.of(0, 1);
  EXPECT_EQ(itself.uplift(), 0.0);
  EXPECT_EQ(itself.interval.high, 0.0);
}

TEST(VariableUplifts, WithoutSetsAndBaselineAreDifferencesToTheOthers) {
  const Knowledge knowledge(2, 2);
  PayoffStatistics statistics(2, 2, nullptr);
  statistics.add(0, Payoffs::dense(std::vector<double>{1, 2}));
  statistics.add(1, Payoffs::dense(std::vector<double>{1, 5}));
  const VariableUplifts uplifts(knowledge, statistics);
  EXPECT_FALSE(uplifts.tells_uplifts());
  EXPECT_TRUE(uplifts.tells_differences());
  EXPECT_EQ(uplifts.of(1, 1)->uplift(), 3.0);
  EXPECT_FALSE(uplifts.of(1, 1)->over_nothing);
}

TEST(VariableUplifts, UseADeclaredBaselineAsItIs) {
  Knowledge knowledge = two_sets();
  knowledge.set_baseline({0.5, 0.5, 0.5, 0.5});
  PayoffStatistics statistics(2, 4, knowledge.affected());
  for (int round = 0; round < 2; ++round) {
    statistics.add(0, Payoffs::dense(std::vector<double>{3, 1, 0, 1}));
  }
  const VariableUplifts uplifts(knowledge, statistics);
  EXPECT_DOUBLE_EQ(uplifts.of(0, 0)->uplift(), 2.5);
  EXPECT_FALSE(uplifts.of(1, 0));  // no rounds
}

/// How many variables of a campaign that is as declared are called surprising after any of its
/// rounds.
std::size_t false_alarms(std::uint64_t seed, int rounds, const testing::Pays& pays) {
  const Knowledge knowledge = two_sets(200);
  PayoffStatistics statistics(2, 200, knowledge.affected());
  std::mt19937_64 random(seed);
  std::size_t alarms = 0;
  for (int round = 0; round < rounds; ++round) {
    // Mostly one action, as of a policy that has nearly made up its mind.
    const ActionId action = random() % 20 == 0 ? 1 : 0;
    std::vector<double> payoffs(200);
    for (VariableId i = 0; i < 200; ++i) payoffs[i] = pays(action, i, random);
    statistics.add(action, Payoffs::dense(payoffs));
    if (round % 10 != 0 && round > 30) continue;
    const VariableUplifts uplifts(knowledge, statistics);
    alarms += uplifts.surprising(0).size() + uplifts.surprising(1).size();
  }
  return alarms;
}

// At a level of 0.001 a campaign, 30 campaigns of each kind have no false alarm with 97 %.
TEST(VariableUplifts, RaiseNoFalseAlarms) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    EXPECT_EQ(false_alarms(seed, 200,
                           [](ActionId, VariableId, std::mt19937_64& random) {
                             return normal(random, 3.0);
                           }),
              0u);
    EXPECT_EQ(false_alarms(seed, 200,
                           [](ActionId, VariableId, std::mt19937_64& random) {
                             return coin(random, 0.01);  // rare
                           }),
              0u);
    EXPECT_EQ(false_alarms(seed, 200,
                           [](ActionId, VariableId, std::mt19937_64& random) {
                             return coin(random, 0.02) * std::exp(normal(random));  // skewed
                           }),
              0u);
  }
}

// An action may quieten what it affects, and be taken nearly always: what others pay is as noisy as
// before.
TEST(VariableUplifts, AreAsUncertainAsTheRoundsTheyAreOf) {
  Knowledge knowledge(3, 100);
  VariableSet all = VariableSet::from_ranges(std::vector<VariableRange>{{0, 100}});
  knowledge.set_affected({all, VariableSet::from_ids({0}), VariableSet::from_ids({1})});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PayoffStatistics statistics(3, 100, knowledge.affected());
    std::mt19937_64 random(seed);
    for (int round = 0; round < 5000; ++round) {
      const ActionId action = round % 50 == 0 ? 1 : round % 50 == 1 ? 2 : 0;
      std::vector<double> payoffs(100, 0.0);
      if (action != 0) {
        for (double& payoff : payoffs) payoff = coin(random, 0.5);
      }
      statistics.add(action, Payoffs::dense(payoffs));
    }
    const VariableUplifts uplifts(knowledge, statistics);
    EXPECT_EQ(uplifts.surprising(1).size() + uplifts.surprising(2).size(), 0u);
  }
}

TEST(VariableUplifts, FindWhatWasNotDeclared) {
  const Knowledge knowledge = two_sets(200);
  PayoffStatistics statistics(2, 200, knowledge.affected());
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto action = static_cast<ActionId>(round % 2);
    std::vector<double> payoffs(200);
    for (VariableId i = 0; i < 200; ++i) payoffs[i] = normal(random);
    if (action == 1) payoffs[2] += 1.0;   // declared
    if (action == 1) payoffs[77] += 1.0;  // not
    if (action == 0) payoffs[78] -= 1.0;  // not
    statistics.add(action, Payoffs::dense(payoffs));
  }
  const VariableUplifts uplifts(knowledge, statistics);
  // Held against each other, two actions cannot tell whose doing it was.
  EXPECT_EQ(uplifts.surprising(1), (std::vector<VariableId>{77, 78}));
  for (ActionId action = 0; action < 2; ++action) {
    std::vector<VariableId> all;
    for (VariableId i = 0; i < 200; ++i) {
      const std::optional<VariableUplift> uplift = uplifts.of(action, i);
      const bool outside = !knowledge.affected()->of(action).contains(i);
      if (outside && uplift && uplift->excludes_zero()) all.push_back(i);
    }
    EXPECT_EQ(uplifts.surprising(action), all);
  }
  const VariableUplift found = *uplifts.of(1, 77);
  EXPECT_NEAR(found.uplift(), 1.0, 0.2);
  EXPECT_TRUE(found.interval.low < 1.0 && 1.0 < found.interval.high);
}

}  // namespace
}  // namespace updraft
