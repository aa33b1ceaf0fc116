#include "updraft/instance_environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;

VariableSet ids(std::vector<VariableId> list) { return VariableSet::from_ids(list); }

/// 3 actions, 7 variables, overlapping sets, several rates within an atom.
InstanceDefinition small(Noise noise) {
  return {.name = "small",
          .summary = "",
          .action_names = {"a", "b", "c"},
          .variables = {{3, 0.25}, {1, 0.5}, {3, 0.125}},
          .effects = {{{ids({0, 1, 4}), {0.75}}},
                      {{ids({1, 3, 6}), {0.5, 0.25, 0.625}}},
                      {{ids({2}), {1.0}}}},
          .noise = std::move(noise)};
}

GaussianNoise matrix_noise() {
  // Rows of a factor F; the covariance F F' has rank 5 of 7.
  GaussianNoise noise;
  noise.covariance = GaussianNoise::Covariance::kMatrix;
  noise.variance = 0.5;
  const double factor[7][5] = {{1, 0, 0, 0, 0},     {0.5, 0.5, 0, 0, 0}, {0, 0.25, 1, 0, 0},
                               {0, 0, -0.5, 1, 0},  {0, 0, 0, 0.5, 1},   {1, 0.5, 0, 0, 0.25},
                               {-0.5, 0, 0.5, 0, 1}};
  for (const auto& row : factor) {
    for (const auto& column : factor) {
      noise.matrix.push_back(std::inner_product(row, row + 5, column, 0.0));
    }
  }
  return noise;
}

std::vector<std::shared_ptr<const Instance>> instances() {
  using Covariance = GaussianNoise::Covariance;
  std::vector<Noise> noises = {
      BernoulliNoise{},
      GaussianNoise{.covariance = Covariance::kIdentity, .variance = 0.5},
      GaussianNoise{.covariance = Covariance::kFactor, .variance = 2.0, .factor = 0.75},
      GaussianNoise{.covariance = Covariance::kFactor, .factor = 1.0},
      GaussianNoise{.covariance = Covariance::kSharedByAffected, .variance = 4.0},
      matrix_noise()};
  std::vector<std::shared_ptr<const Instance>> result;
  for (const Noise& noise : noises) result.push_back(std::make_shared<Instance>(small(noise)));
  for (const ShippedInstance& shipped : shipped_instances()) {
    result.push_back(load_instance(std::string(shipped.name)));
  }
  return result;
}

std::vector<double> dense(const Payoffs& payoffs, std::size_t variables) {
  if (payoffs.kind() == Payoffs::Kind::kDense) {
    return {payoffs.values().begin(), payoffs.values().end()};
  }
  std::vector<double> y(variables, 0.0);
  for (std::size_t j = 0; j < payoffs.ids().size(); ++j) y[payoffs.ids()[j]] = payoffs.values()[j];
  return y;
}

TEST(InstanceEnvironment, SumsAgreeAtEveryResolution) {
  for (const auto& instance : instances()) {
    InstanceEnvironment environment(prepare_payoffs(instance), 11, 3);
    const auto& atoms = instance->affected()->atoms();
    for (std::uint32_t round = 0; round < 20; ++round) {
      const ActionId action = round % instance->actions();
      const double total = environment.draw(round, action, Resolution::total()).reward();
      const Payoffs drawn = environment.draw(round, action, Resolution::groups(atoms));
      const std::vector<double> sums(drawn.values().begin(), drawn.values().end());
      const std::vector<double> y =
          dense(environment.draw(round, action, Resolution::variables()), instance->variables());
      const double scale = 1e-12 * static_cast<double>(instance->variables());
      EXPECT_NEAR(total, std::accumulate(sums.begin(), sums.end(), 0.0), 100 * scale)
          << instance->name();
      std::vector<double> summed(sums.size());
      atoms->sum_dense(y, summed);
      for (std::size_t g = 0; g < sums.size(); ++g) {
        EXPECT_NEAR(sums[g], summed[g], 100 * scale) << instance->name() << " atom " << g;
      }
    }
  }
}

TEST(InstanceEnvironment, DrawsAreAFunctionOfSeedRunRoundAndAction) {
  for (const auto& instance : instances()) {
    const auto law = prepare_payoffs(instance);
    const auto draw = [&](std::uint64_t seed, std::uint32_t run, std::uint32_t round) {
      InstanceEnvironment environment(law, seed, run);
      return dense(environment.draw(round, 1, Resolution::variables()), instance->variables());
    };
    EXPECT_EQ(draw(5, 2, 9), draw(5, 2, 9));
    // 0/1 payoffs of 7 variables may coincide by chance, but not all eight of them.
    const auto different = [&](auto draw_of) {
      std::set<std::vector<double>> seen;
      for (std::uint32_t j = 0; j < 8; ++j) seen.insert(draw_of(j));
      return seen.size();
    };
    EXPECT_GT(different([&](std::uint32_t j) { return draw(5 + j, 2, 9); }), 4u)
        << "seeds, " << instance->name();
    EXPECT_GT(different([&](std::uint32_t j) { return draw(5, 20 + j, 9); }), 4u)
        << "runs, " << instance->name();
    EXPECT_GT(different([&](std::uint32_t j) { return draw(5, 2, 90 + j); }), 4u)
        << "rounds, " << instance->name();
  }
}

TEST(InstanceEnvironment, PayoffsDoNotDependOnTheOrderOfDraws) {
  for (const auto& instance : instances()) {
    const auto law = prepare_payoffs(instance);
    const auto& atoms = instance->affected()->atoms();
    const auto equal_atoms = std::make_shared<const Partition>(*atoms);
    std::vector<GroupId> groups(instance->variables(), 0);
    if (groups.size() > 3) std::fill_n(groups.begin(), 3, 1);
    const auto halves = std::make_shared<const Partition>(Partition::of_groups(groups));
    const std::vector<Resolution> resolutions = {
        Resolution::total(), Resolution::groups(atoms), Resolution::groups(equal_atoms),
        Resolution::groups(halves), Resolution::variables()};
    const auto numbers = [&](InstanceEnvironment& environment, std::uint32_t round, ActionId action,
                             const Resolution& resolution) -> std::vector<double> {
      const Payoffs payoffs = environment.draw(round, action, resolution);
      if (payoffs.kind() == Payoffs::Kind::kTotal) return {payoffs.reward()};
      if (payoffs.kind() == Payoffs::Kind::kSparse) return dense(payoffs, instance->variables());
      return {payoffs.values().begin(), payoffs.values().end()};
    };
    // Within a block, at its ends, between blocks of 64 and of 8, back and forth.
    InstanceEnvironment jumping(law, 3, 1);
    std::size_t draw = 0;
    for (const std::uint32_t round :
         {5u, 0u, 63u, 64u, 63u, 1000u, 7u, 8u, 1001u, 4294967295u, 5u}) {
      for (std::size_t j = 0; j < resolutions.size(); ++j, draw += 3) {
        const Resolution& resolution = resolutions[draw % resolutions.size()];
        const auto action = static_cast<ActionId>(draw % instance->actions());
        InstanceEnvironment fresh(law, 3, 1);
        ASSERT_EQ(numbers(jumping, round, action, resolution),
                  numbers(fresh, round, action, resolution))
            << instance->name() << ", round " << round << ", action " << action;
      }
    }
    // Round by round at one resolution, against each round on its own.
    for (const Resolution& resolution : resolutions) {
      InstanceEnvironment steady(law, 3, 1);
      for (std::uint32_t round = 0; round < 70; ++round) {
        const ActionId action = round % instance->actions();
        const std::vector<double> drawn = numbers(steady, round, action, resolution);
        if (round % 9 != 0) continue;
        InstanceEnvironment fresh(law, 3, 1);
        ASSERT_EQ(drawn, numbers(fresh, round, action, resolution))
            << instance->name() << ", round " << round;
      }
    }
  }
}

TEST(InstanceEnvironment, ActionsOfARoundShareTheNoise) {
  for (const auto& instance : instances()) {
    if (std::holds_alternative<BernoulliNoise>(instance->noise())) continue;
    if (instance->effects_change()) continue;  // means are not those of the round
    InstanceEnvironment environment(prepare_payoffs(instance), 1, 1);
    const auto noise = [&](std::uint32_t round, ActionId action) {
      std::vector<double> y =
          dense(environment.draw(round, action, Resolution::variables()), instance->variables());
      const std::vector<double> means = instance->means(action);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] -= means[i];
      return y;
    };
    const AffectedSets& affected = *instance->affected();
    const bool shared = std::get<GaussianNoise>(instance->noise()).covariance ==
                        GaussianNoise::Covariance::kSharedByAffected;
    for (std::uint32_t round = 0; round < 5; ++round) {
      const std::vector<double> first = noise(round, 0);
      const std::vector<double> second = noise(round, 1);
      for (VariableId i = 0; i < first.size(); ++i) {
        if (shared && affected.of(0).contains(i) != affected.of(1).contains(i)) continue;
        EXPECT_NEAR(first[i], second[i], 1e-12) << instance->name();
      }
    }
  }
}

TEST(InstanceEnvironment, BernoulliActionsLeaveOtherCellsAlone) {
  InstanceEnvironment environment(prepare_payoffs(load_instance("criteo")), 1, 1);
  const AffectedSets& affected = *environment.instance().affected();
  for (std::uint32_t round = 0; round < 5; ++round) {
    const auto first = dense(environment.draw(round, 3, Resolution::variables()), 100000);
    const auto second = dense(environment.draw(round, 12, Resolution::variables()), 100000);
    std::size_t differing = 0;
    for (VariableId i = 0; i < 100000; ++i) {
      const bool differs = first[i] != second[i];
      EXPECT_FALSE(differs && !affected.of(3).contains(i) && !affected.of(12).contains(i));
      differing += differs;
    }
    EXPECT_GT(differing, 0u);
  }
}

TEST(InstanceEnvironment, OtherPartitionsAreSummedFromVariables) {
  const auto partition = std::make_shared<const Partition>(
      std::vector<Partition::Segment>{{{0, 2}, 1}, {{2, 5}, 0}, {{5, 7}, 1}});
  for (const Noise& noise : {Noise(BernoulliNoise{}), Noise(GaussianNoise{})}) {
    const auto instance = std::make_shared<Instance>(small(noise));
    InstanceEnvironment environment(prepare_payoffs(instance), 1, 1);
    const auto y = dense(environment.draw(4, 1, Resolution::variables()), 7);
    std::vector<double> expected(2);
    partition->sum_dense(y, expected);
    const Payoffs drawn = environment.draw(4, 1, Resolution::groups(partition));
    EXPECT_EQ(std::vector<double>(drawn.values().begin(), drawn.values().end()), expected);
  }
}

TEST(InstanceEnvironment, RefusesBadInput) {
  InstanceEnvironment environment(
      prepare_payoffs(std::make_shared<Instance>(small(BernoulliNoise{}))), 1, 1);
  EXPECT_EQ(refusal([&] { environment.draw(0, 3, Resolution::total()); }),
            "action = 3: must be below the number of actions, 3");
  const auto other =
      std::make_shared<const Partition>(std::vector<Partition::Segment>{{{0, 8}, 0}});
  EXPECT_EQ(refusal([&] { environment.draw(0, 0, Resolution::groups(other)); }),
            "variables of partition = 8: must be the number of variables, 7");
  EXPECT_EQ(refusal([&] { environment.observe_baseline(0); }),
            "observations = 0: must be at least 1");
}

}  // namespace
}  // namespace updraft
