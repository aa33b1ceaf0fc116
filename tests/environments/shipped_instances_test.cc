#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "support/refusal.h"
#include "updraft/instance.h"

namespace updraft {
namespace {

using testing::refusal;

TEST(ShippedInstances, AreNamedAndValid) {
  std::vector<std::string> names;
  for (const ShippedInstance& shipped : shipped_instances()) {
    names.emplace_back(shipped.name);
    const Instance instance(shipped.make());
    EXPECT_EQ(instance.name(), shipped.name);
    EXPECT_EQ(instance.definition().summary, shipped.summary);
    EXPECT_EQ(instance.definition(), shipped.make());
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "gaussian",      "gaussian-weak", "criteo",      "marketing", "discounts",
                       "movies",        "hard-affected", "hard-reward", "dense",     "alternating",
                       "one-moves-all", "identical",     "heavy-tails", "rare",      "two-actions",
                       "one-variable",  "steady",        "seasonal",    "trend",     "flip",
                       "wear-out",      "walk"}));
}

/// A policy on the reward must have something to learn: no gap is lost in the noise, none stands
/// out of it.
TEST(ShippedInstances, ThoseThatMisleadHaveGapsOfTheSizeOfTheNoise) {
  for (const char* name : {"dense", "alternating", "one-moves-all", "identical", "heavy-tails",
                           "rare", "two-actions", "one-variable"}) {
    SCOPED_TRACE(name);
    const auto instance = load_instance(name);
    const double sd = instance->noise_sd();
    EXPECT_GE(instance->min_gap(), 0.05 * sd);
    for (const double gap : instance->gaps()) EXPECT_LE(gap, sd);
  }
}

TEST(ShippedInstances, ThoseThatMisleadAreWhatTheyAreCalled) {
  const auto dense = load_instance("dense");
  EXPECT_EQ(dense->affected()->of(dense->best_action()).size(), dense->variables());
  const auto alternating = load_instance("alternating");
  for (ActionId a = 0; a < alternating->actions(); ++a) {
    int raised = 0;
    for (const double mean : alternating->means(a)) raised += mean > 10.0 ? 1 : 0;
    EXPECT_EQ(raised, 32);
  }
  const auto one = load_instance("one-moves-all");
  for (ActionId a = 0; a < one->actions(); ++a) {
    const std::size_t affected = one->affected()->of(a).size();
    EXPECT_EQ(affected, one->gaps()[a] == 0.0 ? 64u : one->uplifts()[a] == 0.0 ? 0u : 6u);
  }
  const auto identical = load_instance("identical");
  EXPECT_EQ(std::count(identical->gaps().begin(), identical->gaps().end(), 0.0), 6);
  EXPECT_EQ(std::get<GaussianNoise>(load_instance("heavy-tails")->noise()).tail_degrees, 3u);
  EXPECT_TRUE(std::holds_alternative<BernoulliNoise>(load_instance("rare")->noise()));
  EXPECT_EQ(load_instance("two-actions")->actions(), 2u);
  EXPECT_EQ(load_instance("one-variable")->variables(), 1u);
}

TEST(ShippedInstances, HaveTheirSegments) {
  const auto segments = [](const char* name) {
    const auto instance = load_instance(name);
    return instance->segments() ? instance->segments()->groups() : 0u;
  };
  EXPECT_EQ(segments("criteo"), 20u);
  EXPECT_EQ(segments("marketing"), 12u);
  EXPECT_EQ(segments("discounts"), 5u);
  EXPECT_EQ(segments("rare"), 10u);
  EXPECT_EQ(segments("movies"), 0u);
  // What an offer moves it moves by whole segments.
  const auto marketing = load_instance("marketing");
  for (ActionId a = 0; a < marketing->actions(); ++a) {
    for (const VariableRange range : marketing->affected()->of(a).ranges()) {
      EXPECT_TRUE(range.begin == 0 || marketing->segments()->group_of(range.begin) !=
                                          marketing->segments()->group_of(range.begin - 1));
    }
  }
}

TEST(ShippedInstances, GaussianIsThePapers) {
  const auto instance = load_instance("gaussian");
  EXPECT_EQ(instance->actions(), 10u);
  EXPECT_EQ(instance->variables(), 100u);
  for (ActionId a = 0; a < 10; ++a) {
    EXPECT_EQ(instance->affected()->of(a).size(), 10u);
    for (const double mean : instance->means(a)) {
      EXPECT_GE(mean, 0.0);
      EXPECT_LE(mean, 1.0);
    }
  }
  EXPECT_GE(instance->min_gap(), 0.18);
  EXPECT_LE(instance->min_gap(), 0.22);
  EXPECT_GE(instance->min_uplift(), 0.1);
  EXPECT_GT(instance->uplifts()[instance->best_action()], 0.0);
  EXPECT_NEAR(instance->noise_sd(), 80.0, 1e-12);
  const auto noise = std::get<GaussianNoise>(instance->noise());
  EXPECT_EQ(noise.variance, 1.0);
  EXPECT_EQ(noise.factor, 6300.0 / 9900.0);
}

/// Experiments refer to these numbers: a change of the generator changes every result.
TEST(ShippedInstances, GaussianStaysAsItIs) {
  const auto instance = load_instance("gaussian");
  EXPECT_EQ(instance->best_action(), 8u);
  EXPECT_NEAR(instance->uplifts()[8], 1.12276, 1e-5);
  EXPECT_NEAR(instance->min_gap(), 0.21392931963045947, 1e-12);
  EXPECT_NEAR(instance->min_uplift(), 0.10290611045203568, 1e-12);
  EXPECT_NEAR(instance->effect_gap(), 0.00196, 5e-6);
}

TEST(ShippedInstances, GaussianWeakHasTheSameMeansAndVariance80) {
  const auto strong = load_instance("gaussian");
  const auto weak = load_instance("gaussian-weak");
  EXPECT_EQ(weak->definition().variables, strong->definition().variables);
  EXPECT_EQ(weak->definition().effects, strong->definition().effects);
  EXPECT_NEAR(weak->noise_sd() * weak->noise_sd(), 80.0, 1e-12);
}

TEST(ShippedInstances, CriteoIsThePapers) {
  const auto instance = load_instance("criteo");
  EXPECT_EQ(instance->actions(), 20u);
  EXPECT_EQ(instance->variables(), 100'000u);
  EXPECT_EQ(instance->max_affected(), 12'654u);
  EXPECT_EQ(instance->affected()->atoms()->groups(), 20u);
  EXPECT_EQ(instance->best_action(), 5u);
  EXPECT_NEAR(instance->uplifts()[5], 143.5, 1e-9);
  EXPECT_NEAR(instance->uplifts()[18], 115.7, 1e-9);
  EXPECT_NEAR(instance->min_gap(), 27.8, 1e-9);
  EXPECT_NEAR(instance->noise_sd(), 56.0, 1.0);
  // The sum of size * untreated rate over the printed clusters.
  EXPECT_NEAR(instance->rewards()[5] - 143.5, 4025.257, 1e-6);
  // The printed uplift of cluster 9 is -6.9 over 4,594 customers.
  EXPECT_NEAR(instance->affected_means(9)[0], 0.289 - 6.9 / 4594.0, 1e-15);
}

TEST(ShippedInstances, MarketingMovesSegmentsOfCustomers) {
  const auto instance = load_instance("marketing");
  EXPECT_EQ(instance->actions(), 8u);
  EXPECT_EQ(instance->variables(), 1000u);
  EXPECT_EQ(instance->definition().variables.size(), 12u);
  std::size_t lowered = 0;
  for (const auto& effects : instance->definition().effects) {
    EXPECT_GE(effects.size(), 1u);
    EXPECT_LE(effects.size(), 3u);
    for (const Effect& effect : effects) {
      const VariableId first = effect.variables.ids().front();
      lowered += effect.means[0] < instance->baseline()[first];
    }
  }
  EXPECT_EQ(lowered, 3u);
  EXPECT_LT(instance->affected()->atoms()->groups(), 13u);  // segments, those left alone in one
  EXPECT_EQ(instance->definition().action_names[instance->best_action()], "family-pack");
  EXPECT_NEAR(instance->uplifts()[1], 394.0, 1e-9);
  EXPECT_NEAR(instance->min_gap(), 60.0, 1e-9);
  EXPECT_NEAR(instance->noise_sd(), 12.0 * std::sqrt(1000.0 + 0.05 * 1000.0 * 999.0), 1e-9);
}

TEST(ShippedInstances, DiscountsTakeSalesFromOtherProducts) {
  const auto instance = load_instance("discounts");
  EXPECT_EQ(instance->actions(), 12u);
  EXPECT_EQ(instance->variables(), 60u);
  for (ActionId a = 0; a < 12; ++a) {
    const auto ids = instance->affected()->of(a).ids();
    std::size_t lowered = 0;
    for (std::size_t j = 0; j < ids.size(); ++j) {
      lowered += instance->affected_means(a)[j] < instance->baseline()[ids[j]];
    }
    const std::size_t products = a < 5 ? 12 : a < 9 ? 15 : 20;
    EXPECT_EQ(ids.size() - lowered, products) << a;
    EXPECT_EQ(lowered, a < 5 ? 4u : 5u) << a;
  }
  EXPECT_EQ(instance->definition().action_names[instance->best_action()], "brand-1");
  EXPECT_NEAR(instance->uplifts()[6], 211.07, 1e-9);
  EXPECT_NEAR(instance->min_gap(), 36.61, 1e-9);
}

TEST(ShippedInstances, DiscountsHaveNoiseOfStoreCategoryAndProduct) {
  const auto instance = load_instance("discounts");
  const auto noise = std::get<GaussianNoise>(instance->noise());
  const std::vector<double>& sales = instance->baseline();
  const auto share = [&](std::size_t i, std::size_t j) {
    return noise.matrix[60 * i + j] / (sales[i] * sales[j]);
  };
  EXPECT_NEAR(share(0, 59), 0.15 * 0.15, 1e-15);
  EXPECT_NEAR(share(0, 11), 0.15 * 0.15 + 0.1 * 0.1, 1e-15);
  EXPECT_NEAR(share(7, 7), 0.15 * 0.15 + 0.1 * 0.1 + 0.25 * 0.25, 1e-15);
  EXPECT_NEAR(instance->noise_sd(), 735.75, 0.01);
}

TEST(ShippedInstances, MoviesAreWatchedByPopularity) {
  const auto instance = load_instance("movies");
  EXPECT_EQ(instance->actions(), 12u);
  EXPECT_EQ(instance->variables(), 1000u);
  EXPECT_TRUE(std::holds_alternative<BernoulliNoise>(instance->noise()));
  const std::vector<double>& rates = instance->baseline();
  for (std::size_t rank = 0; rank < rates.size(); ++rank) {
    const double usual = 1.2 / (static_cast<double>(rank) + 20.0);
    EXPECT_GE(rates[rank], 0.5 * usual - 1e-5) << rank;
    EXPECT_LE(rates[rank], 1.5 * usual + 1e-5) << rank;
  }
  EXPECT_NEAR(std::accumulate(rates.begin(), rates.end(), 0.0), 4.7, 0.1);  // watched by a user
}

TEST(ShippedInstances, RecommendersPromoteMoviesAndTakeViewersFromOthers) {
  const auto instance = load_instance("movies");
  std::size_t fewest = 1000;
  std::size_t most = 0;
  for (ActionId a = 0; a < 12; ++a) {
    const auto ids = instance->affected()->of(a).ids();
    std::size_t promoted = 0;
    for (std::size_t j = 0; j < ids.size(); ++j) {
      const double times = instance->affected_means(a)[j] / instance->baseline()[ids[j]];
      promoted += times > 1.0;
      // 0.8 of the viewers are left, up to five digits of the rates; promotion at most
      // 1 + 1.5 * 5 times.
      EXPECT_TRUE(times > 1.0 ? times < 8.6 : std::abs(times - 0.8) < 0.02) << a << " " << ids[j];
    }
    EXPECT_EQ(ids.size() - promoted, (promoted + 4) / 5) << a;
    fewest = std::min(fewest, promoted);
    most = std::max(most, promoted);
  }
  EXPECT_EQ(fewest, 20u);
  EXPECT_EQ(most, 60u);
}

/// Experiments refer to these numbers: a change of the generator changes every result.
TEST(ShippedInstances, MoviesStayAsTheyAre) {
  const auto instance = load_instance("movies");
  EXPECT_EQ(instance->definition().action_names[instance->best_action()], "because-you-liked");
  EXPECT_NEAR(instance->uplifts()[11], 0.8441, 5e-5);
  EXPECT_NEAR(instance->min_gap(), 0.1593, 5e-5);
  EXPECT_NEAR(instance->noise_sd(), 2.331, 5e-4);
}

TEST(ShippedInstances, HardOnesHaveTheGapsAskedFor) {
  for (const char* name : {"hard-affected", "hard-reward"}) {
    const auto instance = load_instance(name);
    EXPECT_EQ(instance->actions(), 5u);
    EXPECT_EQ(instance->variables(), 20u);
    for (ActionId a = 0; a < 5; ++a) {
      EXPECT_EQ(instance->gaps()[a], 0.5 * a) << name;
      EXPECT_EQ(instance->affected()->of(a).size(), 4u) << name;
    }
  }
  EXPECT_EQ(load_instance("hard-affected")->noise_sd(), 4.0);
  EXPECT_EQ(load_instance("hard-reward")->noise_sd(), 20.0);
}

TEST(ShippedInstances, HardMeansFollowTheConstruction) {
  // Best reward 1 + 2 = 3; action 1 affects 2 variables with mean (3 - 2) / 2 each.
  const HardOptions options{5, {3, 2}, {0.0, 2.0}};
  const Instance affected(hard_affected(options));
  EXPECT_EQ(affected.means(0), (std::vector<double>{1, 1, 1, 0, 0}));
  EXPECT_EQ(affected.means(1), (std::vector<double>{0.5, 0.5, 0, 0, 0}));
  EXPECT_EQ(affected.noise_sd(0), 3.0);
  EXPECT_EQ(affected.noise_sd(1), 2.0);
  const Instance reward(hard_reward(options));
  EXPECT_EQ(reward.means(1), affected.means(1));
  EXPECT_EQ(reward.noise_sd(1), 5.0);
}

TEST(ShippedInstances, HardRefusesOptions) {
  const auto refused = [](const HardOptions& options) {
    const std::string message = refusal([&] { hard_affected(options); });
    EXPECT_EQ(refusal([&] { hard_reward(options); }), message);
    return message;
  };
  EXPECT_EQ(refused({0, {1}, {0.0}}), "variables = 0: must be at least 1");
  EXPECT_EQ(refused({5, {}, {}}), "affected: must have at least one action");
  EXPECT_EQ(refused({5, {1, 2}, {0.0}}),
            "gaps: has 1 numbers; must have one for each of 2 actions");
  EXPECT_EQ(refused({5, {1, 6}, {0.0, 1.0}}),
            "affected[1] = 6: must be from 1 to the number of variables, 5");
  EXPECT_EQ(refused({5, {1, 0}, {0.0, 1.0}}),
            "affected[1] = 0: must be from 1 to the number of variables, 5");
  EXPECT_EQ(refused({5, {1, 2}, {0.0, -1.0}}), "gaps[1] = -1: must be finite and >= 0");
  EXPECT_EQ(refused({5, {1, 2}, {0.0, std::nan("")}}), "gaps[1] = nan: must be finite and >= 0");
  EXPECT_EQ(refused({5, {1, 2}, {0.5, 1.0}}), "gaps = 0.5: the smallest must be 0");
}

}  // namespace
}  // namespace updraft
