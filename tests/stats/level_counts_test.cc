#include "stats/level_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "support/draws.h"

namespace updraft {
namespace {

using testing::Draws;

struct Case {
  std::vector<double> baseline;
  std::vector<std::uint16_t> counts;
  double pulls = 1.0;
  double radius = 0.0;
  std::size_t budget = 0;

  double total() const { return std::accumulate(counts.begin(), counts.end(), 0.0); }

  /// What an index is made of, up to sign.
  double magnitude() const {
    double sum = total() / pulls + static_cast<double>(counts.size()) * radius;
    for (const double b : baseline) sum += std::abs(b);
    return sum;
  }

  /// Identified first, then the largest of the others, by sorting.
  double plain_index() const {
    double index = 0.0;
    std::size_t identified = 0;
    std::vector<double> others;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double mean = counts[i] * (1.0 / pulls);
      const double individual = mean + radius - baseline[i];
      if (baseline[i] < mean - radius || mean + radius < baseline[i]) {
        index += individual;
        ++identified;
      } else {
        others.push_back(individual);
      }
    }
    std::sort(others.begin(), others.end(), std::greater<>());
    const std::size_t padding = budget > identified ? budget - identified : 0;
    for (std::size_t j = 0; j < std::min(padding, others.size()); ++j) index += others[j];
    return index;
  }

  double index_by_variables() const {
    PaddingScratch scratch;
    return updraft::padded_index({.row = PayoffRow(std::span<const std::uint16_t>(counts)),
                                  .pulls = pulls,
                                  .radius = radius,
                                  .baseline_lower = baseline,
                                  .baseline_upper = baseline,
                                  .budget = budget,
                                  .positive_only = false},
                                 scratch)
        .index;
  }
};

Case random_case(std::uint64_t seed) {
  Draws d(seed);
  const std::size_t m = d.integer(1, 300);
  const bool lattice = d.chance(0.3);  // baselines at the very ends of intervals
  std::vector<double> levels;
  while (levels.size() < d.integer(1, LevelCounts::kMostLevels)) {
    levels.push_back(lattice         ? 0.25 * static_cast<double>(d.integer(0, 8))
                     : d.chance(0.1) ? 0.0
                     : d.chance(0.1) ? 1.0
                     : seed % 7 == 0 ? d.uniform(-3.0, 3.0)
                                     : d.uniform(0.0, 1.0));
  }
  Case c;
  c.pulls = lattice ? 4.0 : static_cast<double>(d.integer(1, 200));
  const double kind = d.uniform(0.0, 1.0);
  c.radius = lattice ? 0.25 : kind < 0.2 ? 1e-9 : kind < 0.3 ? 1e5 : d.uniform(0.001, 0.7);
  c.budget = d.chance(0.15) ? 0 : d.chance(0.15) ? m + d.integer(0, 9) : d.integer(0, m);
  const double most = c.pulls * (seed % 5 == 0 ? 6.0 : 1.0);  // beyond 1 per pull
  for (std::size_t i = 0; i < m; ++i) {
    c.baseline.push_back(levels[d.integer(0, levels.size() - 1)]);
    // Some means near the baseline, some anywhere.
    const double near = std::round(c.baseline.back() * c.pulls + d.uniform(-3.0, 3.0));
    c.counts.push_back(static_cast<std::uint16_t>(
        d.chance(0.5) ? std::clamp(near, 0.0, most) : std::floor(d.uniform(0.0, most + 1.0))));
  }
  return c;
}

TEST(LevelCounts, IndexIsThatOfTheVariables) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Case c = random_case(seed);
    LevelCounts levels(2, c.baseline);
    levels.assign(1, c.counts);
    const double index = levels.padded_index(1, c.total(), c.pulls, c.radius, c.budget);
    ASSERT_NEAR(index, c.plain_index(), 1e-9 * c.magnitude()) << "case " << seed;
    ASSERT_NEAR(index, c.index_by_variables(), 1e-9 * c.magnitude()) << "case " << seed;
  }
}

TEST(LevelCounts, FollowsCountsThatGrow) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draws d(seed + 10000);
    Case c = random_case(seed);
    LevelCounts levels(3, c.baseline);
    std::vector<std::vector<std::uint16_t>> counts(3,
                                                   std::vector<std::uint16_t>(c.counts.size(), 0));
    for (int step = 0; step < 200; ++step) {
      const auto action = static_cast<ActionId>(d.integer(0, 2));
      const auto i = static_cast<VariableId>(d.integer(0, c.counts.size() - 1));
      const std::uint16_t before = counts[action][i];
      counts[action][i] += static_cast<std::uint16_t>(d.chance(0.9) ? 1 : d.integer(1, 400));
      levels.raise(action, i, before, counts[action][i]);
    }
    for (ActionId action = 0; action < 3; ++action) {
      c.counts = counts[action];
      const double index = levels.padded_index(action, c.total(), c.pulls, c.radius, c.budget);
      ASSERT_NEAR(index, c.plain_index(), 1e-9 * c.magnitude()) << seed << ", action " << action;
    }
  }
}

TEST(LevelCounts, ExampleByHand) {
  // Means 0, 1/4, 1, 1/2; intervals +- 1/4. Identified: 1 against 0.5. Others: 0.25 (id 0), and 0
  // (id 1, at the end of its interval), 0.25 (id 3).
  const std::vector<double> baseline = {0.0, 0.5, 0.5, 0.5};
  const std::vector<std::uint16_t> counts = {0, 1, 4, 2};
  LevelCounts levels(1, baseline);
  levels.assign(0, counts);
  EXPECT_EQ(levels.padded_index(0, 7.0, 4.0, 0.25, 0), 0.75);
  EXPECT_EQ(levels.padded_index(0, 7.0, 4.0, 0.25, 2), 1.0);
  EXPECT_EQ(levels.padded_index(0, 7.0, 4.0, 0.25, 3), 1.25);
  EXPECT_EQ(levels.padded_index(0, 7.0, 4.0, 0.25, 9), 1.25);
}

TEST(LevelCounts, IsWorthwhileUpTo64Levels) {
  std::vector<double> baseline;
  for (int i = 0; i < 1000; ++i) baseline.push_back(0.01 * (i % 64));
  EXPECT_TRUE(LevelCounts::worthwhile(baseline));
  baseline.push_back(0.0);
  baseline.push_back(-0.0);  // the same level
  EXPECT_TRUE(LevelCounts::worthwhile(baseline));
  baseline.push_back(0.005);
  EXPECT_FALSE(LevelCounts::worthwhile(baseline));
  EXPECT_TRUE(LevelCounts::worthwhile(std::vector<double>{0.5}));
  EXPECT_TRUE(LevelCounts::worthwhile(std::vector<double>(100000, 0.5)));
}

}  // namespace
}  // namespace updraft
