#include "data/kmeans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "support/refusal.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

/// Three clouds of 50, 30 and 20 points around (0, 0), (10, 0) and (0, 10).
std::vector<double> three_clouds() {
  const Stream stream(5, 0, Purpose::kTest);
  std::vector<double> rows;
  for (std::uint32_t i = 0; i < 100; ++i) {
    rows.push_back((i >= 50 && i < 80 ? 10.0 : 0.0) + stream.normal(i, 0));
    rows.push_back((i >= 80 ? 10.0 : 0.0) + stream.normal(i, 1));
  }
  return rows;
}

KMeansOptions options_for(std::size_t clusters) {
  KMeansOptions options;
  options.clusters = clusters;
  return options;
}

TEST(KMeans, FindsSeparateClouds) {
  const KMeansResult found = cluster_rows(three_clouds(), 2, options_for(3));
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.sizes, (std::vector<std::size_t>{50, 30, 20}));
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(found.cluster_of[i], i < 50 ? 0u : i < 80 ? 1u : 2u) << i;
  }
  EXPECT_NEAR(found.centres[2], 10.0, 1.0);
  EXPECT_NEAR(found.centres[5], 10.0, 1.0);
}

TEST(KMeans, CentresAreMeansAndRowsAreNearest) {
  const std::vector<double> rows = three_clouds();
  const KMeansResult found = cluster_rows(rows, 2, options_for(7));
  ASSERT_TRUE(found.converged);
  double inertia = 0.0;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto distance = [&](std::size_t k) {
      return std::pow(rows[2 * i] - found.centres[2 * k], 2) +
             std::pow(rows[2 * i + 1] - found.centres[2 * k + 1], 2);
    };
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_LE(distance(found.cluster_of[i]), distance(k) + 1e-9);
    }
    inertia += distance(found.cluster_of[i]);
  }
  EXPECT_NEAR(found.inertia, inertia, 1e-9 * inertia);
}

TEST(KMeans, TheSameSeedGivesTheSameClusters) {
  KMeansOptions options = options_for(6);
  const KMeansResult one = cluster_rows(three_clouds(), 2, options);
  const KMeansResult two = cluster_rows(three_clouds(), 2, options);
  EXPECT_EQ(one.cluster_of, two.cluster_of);
  EXPECT_EQ(one.centres, two.centres);
}

TEST(KMeans, MoreRestartsAreNeverWorse) {
  KMeansOptions options = options_for(8);
  options.restarts = 1;
  const double one = cluster_rows(three_clouds(), 2, options).inertia;
  options.restarts = 10;
  EXPECT_LE(cluster_rows(three_clouds(), 2, options).inertia, one);
}

TEST(KMeans, OtherSeedsStartElsewhere) {
  std::set<double> inertias;  // of the local optima that one start leads to
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    KMeansOptions options = options_for(8);
    options.restarts = 1;
    options.seed = seed;
    inertias.insert(cluster_rows(three_clouds(), 2, options).inertia);
  }
  EXPECT_GT(inertias.size(), 5u);
}

TEST(KMeans, RestartsStartElsewhere) {
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    KMeansOptions options = options_for(8);
    options.seed = seed;
    options.restarts = 1;
    const double one = cluster_rows(three_clouds(), 2, options).inertia;
    options.restarts = 10;
    better += cluster_rows(three_clouds(), 2, options).inertia < one;
  }
  EXPECT_GT(better, 10u);
}

/// A start that takes rows far from all centres so far finds clouds that lie far apart at once.
TEST(KMeans, StartsAreFarFromAllCentres) {
  const Stream stream(6, 0, Purpose::kTest);
  std::vector<double> rows;
  for (std::uint32_t i = 0; i < 120; ++i) {
    rows.push_back((i % 2 == 0 ? 0.0 : 1e4) + stream.normal(i, 0));
    rows.push_back((i % 3 == 0 ? 0.0 : i % 3 == 1 ? 1e4 : 2e4) + stream.normal(i, 1));
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    KMeansOptions options = options_for(6);
    options.restarts = 1;
    options.seed = seed;
    EXPECT_EQ(cluster_rows(rows, 2, options).sizes, std::vector<std::size_t>(6, 20)) << seed;
  }
}

TEST(KMeans, NoClusterIsEmptyWhereManyRowsAreEqual) {
  std::vector<double> rows(1000, 0.0);
  for (std::size_t i = 0; i < 9; ++i) rows[i] = 1e-9 * static_cast<double>(i + 1);
  rows[500] = 1e6;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    KMeansOptions options = options_for(11);
    options.restarts = 1;
    options.seed = seed;
    const KMeansResult found = cluster_rows(rows, 1, options);
    EXPECT_EQ(std::count(found.sizes.begin(), found.sizes.end(), 0u), 0) << seed;
  }
}

TEST(KMeans, RefusesMoreClustersThanDifferentRows) {
  const std::vector<double> rows = {1, 1, 2, 2, 3, 3, 3};
  EXPECT_EQ(cluster_rows(rows, 1, options_for(3)).inertia, 0.0);
  EXPECT_EQ(testing::refusal([&] { cluster_rows(rows, 1, options_for(4)); }),
            "clusters = 4: must be at most 3, the number of different rows; further clusters would "
            "be empty");
  EXPECT_EQ(testing::refusal([&] { cluster_rows(rows, 1, options_for(0)); }),
            "clusters = 0: must be at least 1");
}

TEST(Standardised, HasMeanZeroAndVarianceOne) {
  const std::vector<double> rows = {1, 0.1, 3, 0.1, 5, 0.1};
  const std::vector<double> scaled = standardised(rows, 2);
  EXPECT_NEAR(scaled[0], -std::sqrt(1.5), 1e-12);
  EXPECT_NEAR(scaled[2], 0.0, 1e-12);
  EXPECT_NEAR(scaled[4], std::sqrt(1.5), 1e-12);
  for (const std::size_t at : {1u, 3u, 5u}) EXPECT_EQ(scaled[at], 0.0);
}

}  // namespace
}  // namespace updraft
