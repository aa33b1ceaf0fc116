// Normals made of two uniforms, against the C library in long double, and the vector twin.

#include "random/box_muller.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "support/vector_targets.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

/// Uniforms as streams make them, odd multiples of 2^-53: ordinary ones, the ends of (0, 1), and
/// the places where the approximations change.
std::vector<double> delicate_uniforms() {
  std::vector<double> values = {0x1p-53, 1.0 - 0x1p-53, 3 * 0x1p-53, 0.5 + 0x1p-53, 0.5 - 0x1p-53};
  for (const double seam : {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, std::sqrt(0.5),
                            std::sqrt(0.125), 0.25 * std::sqrt(0.5)}) {
    const double odd = (2.0 * std::floor(seam * 0x1p52) + 1.0) * 0x1p-53;
    for (int step = -3; step <= 3; ++step) values.push_back(odd + step * 0x1p-52);
  }
  for (double x = 0.4; x > 1e-15; x *= 0.7) {
    values.push_back((2.0 * std::floor(x * 0x1p52) + 1.0) * 0x1p-53);
  }
  std::vector<double> ordinary(200);
  Stream(7, 0, Purpose::kTest).uniforms(0, 0, ordinary);
  values.insert(values.end(), ordinary.begin(), ordinary.end());
  return values;
}

TEST(BoxMuller, AccurateEverywhere) {
  const std::vector<double> values = delicate_uniforms();
  long double worst = 0.0L;
  for (const double u : values) {
    for (const double v : values) {
      const NormalPair pair = normal_pair(u, v);
      const long double radius = std::sqrt(-2.0L * std::log(static_cast<long double>(u)));
      const long double angle = 2.0L * std::numbers::pi_v<long double> * v;
      const long double error = std::max(std::abs(pair.first - radius * std::cos(angle)),
                                         std::abs(pair.second - radius * std::sin(angle)));
      if (!(error <= worst * radius)) worst = error / radius;  // a NaN stays
    }
  }
  EXPECT_LT(static_cast<double>(worst), 1e-15);
}

TEST(BoxMuller, KnownValues) {
  const double e = std::exp(-0.5);  // radius 1
  const NormalPair east = normal_pair(e, 0x1p-53);
  EXPECT_NEAR(east.first, 1.0, 1e-15);
  EXPECT_NEAR(east.second, 0.0, 1e-15);
  const NormalPair north = normal_pair(e, 0.25);
  EXPECT_NEAR(north.first, 0.0, 1e-15);
  EXPECT_NEAR(north.second, 1.0, 1e-15);
  const NormalPair south_west = normal_pair(e, 0.625);
  EXPECT_NEAR(south_west.first, -std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(south_west.second, -std::sqrt(0.5), 1e-15);
}

TEST(BoxMuller, VectorsGiveTheSameBits) {
  const std::vector<double> values = delicate_uniforms();
  std::vector<double> pairs;
  for (std::size_t j = 0; j < 1000; ++j) {
    pairs.push_back(values[j % values.size()]);
    pairs.push_back(values[(j * 7 + 3) % values.size()]);
  }
  testing::for_each_vector_target([&](const std::string& target) {
    for (const std::size_t first : {0u, 1u, 2u, 3u}) {  // pairs: other alignments
      for (std::size_t count = 0; count <= 40; ++count) {
        std::vector<double> mixed(pairs.begin() + 2 * first, pairs.begin() + 2 * (first + count));
        std::vector<double> u, v;
        for (std::size_t j = 0; j < count; ++j) {
          u.push_back(mixed[2 * j]);
          v.push_back(mixed[2 * j + 1]);
        }
        normal_pairs(mixed);
        normal_pairs(u, v);
        for (std::size_t j = 0; j < count; ++j) {
          const NormalPair pair = normal_pair(pairs[2 * (first + j)], pairs[2 * (first + j) + 1]);
          ASSERT_EQ(mixed[2 * j], pair.first) << target << ' ' << first << ' ' << j;
          ASSERT_EQ(mixed[2 * j + 1], pair.second) << target << ' ' << first << ' ' << j;
          ASSERT_EQ(u[j], pair.first) << target << ' ' << first << ' ' << j;
          ASSERT_EQ(v[j], pair.second) << target << ' ' << first << ' ' << j;
        }
      }
    }
  });
}

}  // namespace
}  // namespace updraft
