// Normal draws are normal. Seeds are fixed; each test rejects a correct sampler with probability
// 1e-6.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/statistics.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using updraft::testing::agrees;
using updraft::testing::fits;
using updraft::testing::kolmogorov_distance;
using updraft::testing::kolmogorov_threshold;
using updraft::testing::normal_tail;

constexpr std::size_t kDraws = 400000;

std::vector<double> draw_normals() {
  std::vector<double> z(kDraws);
  Stream(20240602, 0, Purpose::kTest).normals(0, 0, z);
  return z;
}

TEST(Normal, Moments) {
  double moment[5] = {};
  for (const double z : draw_normals()) {
    double power = 1.0;
    for (double& m : moment) {
      m += power / static_cast<double>(kDraws);
      power *= z;
    }
  }
  const double n = static_cast<double>(kDraws);
  EXPECT_TRUE(agrees(moment[1], 0.0, std::sqrt(1.0 / n), 4));
  EXPECT_TRUE(agrees(moment[2], 1.0, std::sqrt(2.0 / n), 4));
  EXPECT_TRUE(agrees(moment[3], 0.0, std::sqrt(15.0 / n), 4));
  EXPECT_TRUE(agrees(moment[4], 3.0, std::sqrt(96.0 / n), 4));
}

TEST(Normal, DistributionFunction) {
  std::vector<double> z = draw_normals();
  std::sort(z.begin(), z.end());
  const double distance = kolmogorov_distance(z, [](double x) { return normal_tail(-x); });
  EXPECT_LT(distance, kolmogorov_threshold(kDraws));
}

TEST(Normal, BinsOutToTheTails) {
  // Cells of a tenth from -4.5 to 4.5, and the two ends.
  constexpr int kCells = 92;
  const auto edge = [](int cell) { return -4.5 + 0.1 * (cell - 1); };  // lower, of cell >= 1
  std::vector<std::uint64_t> counts(kCells, 0);
  for (const double z : draw_normals()) {
    const double cell = std::floor((z + 4.5) / 0.1) + 1.0;
    ++counts[static_cast<std::size_t>(std::clamp(cell, 0.0, kCells - 1.0))];
  }
  std::vector<double> expected(kCells);
  for (int c = 0; c < kCells; ++c) {
    const double upper = c == kCells - 1 ? 1.0 : normal_tail(-edge(c + 1));
    const double lower = c == 0 ? 0.0 : normal_tail(-edge(c));
    expected[static_cast<std::size_t>(c)] = static_cast<double>(kDraws) * (upper - lower);
  }
  EXPECT_TRUE(fits(counts, expected));
}

}  // namespace
}  // namespace updraft
