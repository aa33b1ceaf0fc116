#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "environments/random_walk.h"
#include "support/statistics.h"
#include "updraft/instance_environment.h"

namespace updraft {
namespace {

VariableSet range(VariableId begin, VariableId end) {
  const VariableRange one[] = {{begin, end}};
  return VariableSet::from_ranges(one);
}

/// Three actions on 7 variables, the sets of the first two overlap; the last does nothing.
InstanceDefinition still() {
  InstanceDefinition definition;
  definition.name = "changing";
  definition.action_names = {"a", "b", "c"};
  definition.variables = {{3, 1.0}, {4, 2.0}};
  definition.effects = {{{range(0, 2), {2.0}}}, {{range(1, 4), {3.0, 0.5, 4.0}}}, {}};
  definition.noise = GaussianNoise{.covariance = GaussianNoise::Covariance::kFactor, .factor = 0.5};
  return definition;
}

InstanceDefinition with(std::vector<Change> changes) {
  InstanceDefinition definition = still();
  definition.changes = std::move(changes);
  return definition;
}

InstanceEnvironment environment(const InstanceDefinition& definition, std::uint32_t run = 3) {
  return {prepare_payoffs(std::make_shared<const Instance>(definition)), 11, run};
}

/// What changes add to every variable in a round, as the payoffs show: noise does not depend on the
/// means.
std::vector<double> added(const InstanceDefinition& definition, std::uint32_t round,
                          ActionId action) {
  InstanceEnvironment changing = environment(definition);
  InstanceEnvironment same = environment(still());
  const Payoffs after = changing.draw(round, action, Resolution::variables());
  const Payoffs before = same.draw(round, action, Resolution::variables());
  std::vector<double> out;
  for (std::size_t i = 0; i < after.values().size(); ++i) {
    out.push_back(after.values()[i] - before.values()[i]);
  }
  return out;
}

void expect_added(const std::vector<Change>& changes, std::uint32_t round, ActionId action,
                  const std::vector<double>& expected) {
  SCOPED_TRACE(round);
  const std::vector<double> found = added(with(changes), round, action);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

TEST(ChangingMeans, SeasonsTakeTurns) {
  const std::vector<Change> changes = {
      {.action = {}, .variables = range(2, 4), .course = Season{{0.0, 1.5, -2.0}, 2}}};
  const std::vector<double> levels = {0.0, 0.0, 1.5, 1.5, -2.0, -2.0, 0.0, 0.0, 1.5};
  for (std::uint32_t round = 0; round < levels.size(); ++round) {
    expect_added(changes, round, 0, {0, 0, levels[round], levels[round], 0, 0, 0});
  }
}

TEST(ChangingMeans, TrendsRiseFromOneRoundToAnother) {
  const std::vector<Change> changes = {
      {.action = {}, .variables = {}, .course = Trend{10, 20, 5.0}}};
  for (const auto& [round, by] : std::vector<std::pair<std::uint32_t, double>>{
           {0, 0.0}, {10, 0.0}, {11, 0.5}, {19, 4.5}, {20, 5.0}, {1000, 5.0}}) {
    expect_added(changes, round, 1, std::vector<double>(7, by));
  }
}

/// The effect of b is +2 on variable 1, -0.5 on 2 and +2 on 3.
TEST(ChangingMeans, EffectsStartEndFlipAndWearOff) {
  const auto of_b = [](const Change::Course& course) {
    return std::vector<Change>{{.action = 1, .variables = {}, .course = course}};
  };
  const auto times = [](double factor) {
    const double share = factor - 1.0;
    return std::vector<double>{0, 2 * share, -0.5 * share, 2 * share, 0, 0, 0};
  };
  expect_added(of_b(Start{5}), 4, 1, times(0.0));
  expect_added(of_b(Start{5}), 5, 1, times(1.0));
  expect_added(of_b(Start{5}), 4, 0, std::vector<double>(7, 0.0));
  expect_added(of_b(End{5}), 4, 1, times(1.0));
  expect_added(of_b(End{5}), 5, 1, times(0.0));
  expect_added(of_b(Flip{5}), 4, 1, times(1.0));
  expect_added(of_b(Flip{5}), 5, 1, times(-1.0));
  expect_added(of_b(Flip{5, 0.25}), 6, 1, times(0.25));
  expect_added(of_b(WearOff{5, 4.0, 0.2}), 5, 1, times(1.0));
  expect_added(of_b(WearOff{5, 4.0, 0.2}), 9, 1, times(0.6));
  expect_added(of_b(WearOff{5, 4.0, 0.2}), 11, 1, times(0.2 + 0.8 * std::exp2(-1.5)));
  expect_added(of_b(WearOff{5, 4.0, 0.0}), 4294967295, 1, times(0.0));
}

TEST(ChangingMeans, ChangesOfAnEffectMultiply) {
  const std::vector<Change> changes = {{.action = 0, .variables = {}, .course = Flip{3, -2.0}},
                                       {.action = 0, .variables = {}, .course = Flip{6, 0.5}}};
  expect_added(changes, 7, 0, {-2, -2, 0, 0, 0, 0, 0});
}

/// Changes of every kind at once, so that sums and regret have everything in them.
std::vector<Change> every_kind() {
  return {{.action = {}, .variables = range(0, 5), .course = Season{{0.5, -1.0}, 1}},
          {.action = {}, .variables = {}, .course = Trend{0, 40, 3.0}},
          {.action = {}, .variables = range(1, 2), .course = Walk{0.5, 0.0}},
          {.action = 0, .variables = {}, .course = Walk{0.3, 0.01}},
          {.action = 0, .variables = {}, .course = WearOff{5, 9.0, 0.1}},
          {.action = 1, .variables = {}, .course = Start{4}},
          {.action = 1, .variables = {}, .course = Flip{12, -0.5}},
          {.action = 1, .variables = {}, .course = End{30}}};
}

TEST(ChangingMeans, SumsAgreeAtEveryResolution) {
  InstanceEnvironment drawn = environment(with(every_kind()));
  const auto& atoms = drawn.instance().affected()->atoms();
  for (std::uint32_t round = 0; round < 40; ++round) {
    const ActionId action = round % 3;
    const double total = drawn.draw(round, action, Resolution::total()).reward();
    const Payoffs groups = drawn.draw(round, action, Resolution::groups(atoms));
    const std::vector<double> sums(groups.values().begin(), groups.values().end());
    EXPECT_NEAR(total, std::accumulate(sums.begin(), sums.end(), 0.0), 1e-11);
    std::vector<double> summed(sums.size());
    atoms->sum_dense(drawn.draw(round, action, Resolution::variables()).values(), summed);
    for (std::size_t g = 0; g < sums.size(); ++g) EXPECT_NEAR(sums[g], summed[g], 1e-11);
  }
}

/// The noise of a round is common to all actions, so differences of rewards are those of uplifts.
TEST(ChangingMeans, RegretIsAgainstTheBestActionOfTheRound) {
  InstanceEnvironment drawn = environment(with(every_kind()));
  std::size_t best_before = 3;
  std::size_t changes_of_best = 0;
  for (std::uint32_t round = 0; round < 60; ++round) {
    std::vector<double> rewards;
    for (ActionId a = 0; a < 3; ++a) {
      rewards.push_back(drawn.draw(round, a, Resolution::total()).reward());
    }
    const std::vector<double> uplifts(drawn.uplifts_in(round).begin(),
                                      drawn.uplifts_in(round).end());
    EXPECT_EQ(uplifts[2], 0.0);
    const auto best = std::max_element(rewards.begin(), rewards.end());
    drawn.begin(round);
    for (ActionId a = 0; a < 3; ++a) {
      EXPECT_NEAR(uplifts[a], rewards[a] - rewards[2], 1e-11);
      Measures sums;
      drawn.draw(round + 7, a, Resolution::total());  // does not move the round that is measured
      drawn.measure({.action = a}, sums);
      EXPECT_NEAR(sums.regret, *best - rewards[a], 1e-11);
      EXPECT_EQ(sums.best, sums.regret == 0.0 ? 1.0 : 0.0);
    }
    const auto now = static_cast<std::size_t>(best - rewards.begin());
    changes_of_best += now != best_before ? 1 : 0;
    best_before = now;
  }
  EXPECT_GT(changes_of_best, 2u);
}

TEST(ChangingMeans, InstancesWithoutChangesKeepTheirMeasures) {
  InstanceEnvironment same = environment(still());
  EXPECT_EQ(same.uplifts_in(5).data(), same.instance().uplifts().data());
  EXPECT_EQ(same.gaps_in(5).data(), same.instance().gaps().data());
}

TEST(RandomWalk, DoesNotDependOnTheOrderOfRounds) {
  const Stream stream(5, 2, Purpose::kWalk);
  for (const Walk& walk : {Walk{0.5, 0.0}, Walk{0.5, 0.02}}) {
    RandomWalk jumping(walk, stream, 4);
    EXPECT_EQ(jumping.at(0), 0.0);
    for (const std::uint32_t round : {7u, 3u, 4294967295u, 0u, 1000u, 999u, 1u, 2147483648u, 7u}) {
      EXPECT_EQ(jumping.at(round), RandomWalk(walk, stream, 4).at(round)) << round;
    }
    RandomWalk steady(walk, stream, 4);
    for (std::uint32_t round = 0; round < 300; ++round) {
      EXPECT_EQ(steady.at(round), RandomWalk(walk, stream, 4).at(round)) << round;
    }
  }
}

TEST(RandomWalk, DependsOnRunAndPlace) {
  const Walk walk{1.0, 0.0};
  const double value = RandomWalk(walk, Stream(5, 2, Purpose::kWalk), 4).at(10);
  EXPECT_NE(value, RandomWalk(walk, Stream(6, 2, Purpose::kWalk), 4).at(10));
  EXPECT_NE(value, RandomWalk(walk, Stream(5, 3, Purpose::kWalk), 4).at(10));
  EXPECT_NE(value, RandomWalk(walk, Stream(5, 2, Purpose::kWalk), 5).at(10));
}

/// The steps w(t) - (1 - pull) w(t - 1) must be independent normals with the variance of a step:
/// their mean, their mean square and the products of neighbours, 8 paths of 2,000 rounds, at the
/// rejection level of tests/support/statistics.h.
TEST(RandomWalk, HasIndependentStepsOfTheGivenSize) {
  for (const Walk& walk : {Walk{0.5, 0.0}, Walk{0.5, 0.02}, Walk{2.0, 0.9}}) {
    SCOPED_TRACE(walk.pull);
    double sum = 0.0;
    double squares = 0.0;
    double products = 0.0;
    double count = 0.0;
    for (std::uint32_t run = 0; run < 8; ++run) {
      RandomWalk path(walk, Stream(1, run, Purpose::kWalk), 0);
      double before = 0.0;
      double last = 0.0;
      for (std::uint32_t round = 1; round <= 2000; ++round) {
        const double now = path.at(round);
        const double z = (now - (1.0 - walk.pull) * before) / walk.step;
        sum += z;
        squares += z * z;
        products += z * last;
        count += 1.0;
        before = now;
        last = z;
      }
    }
    const double limit = testing::normal_threshold(9);
    EXPECT_LT(std::abs(sum) / std::sqrt(count), limit);
    EXPECT_LT(std::abs(squares - count) / std::sqrt(2.0 * count), limit);
    EXPECT_LT(std::abs(products) / std::sqrt(count), limit);
  }
}

/// Far apart, too: w(t) has the variance step^2 t, over 2,000 paths.
TEST(RandomWalk, SpreadsAsItShould) {
  for (const std::uint32_t round : {1u, 37u, 4096u, 4294967295u}) {
    double squares = 0.0;
    for (std::uint32_t run = 0; run < 2000; ++run) {
      const double value = RandomWalk({2.0, 0.0}, Stream(9, run, Purpose::kWalk), 1).at(round);
      squares += value * value / (4.0 * round);
    }
    EXPECT_LT(std::abs(squares - 2000.0) / std::sqrt(4000.0), testing::normal_threshold(4))
        << round;
  }
}

}  // namespace
}  // namespace updraft
