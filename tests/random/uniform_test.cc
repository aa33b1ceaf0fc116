// Uniforms are uniform and serially uncorrelated. Seeds are fixed; each test rejects a correct
// generator with probability 1e-6.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/statistics.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using updraft::testing::agrees;
using updraft::testing::fits_evenly;
using updraft::testing::look_independent;

constexpr std::size_t kDraws = 400000;

std::vector<double> draw_uniforms() {
  std::vector<double> u(kDraws);
  Stream(20240601, 0, Purpose::kTest).uniforms(0, 0, u);
  return u;
}

TEST(Uniform, FillsBinsEvenly) {
  std::vector<std::uint64_t> counts(1000, 0);
  for (const double u : draw_uniforms()) ++counts[static_cast<std::size_t>(u * 1000.0)];
  EXPECT_TRUE(fits_evenly(counts));
}

TEST(Uniform, FillsBinsOfItsLowBitsEvenly) {
  std::vector<std::uint64_t> counts(256, 0);
  for (const double u : draw_uniforms()) {
    ++counts[static_cast<std::uint64_t>(u * 0x1p52) % counts.size()];
  }
  EXPECT_TRUE(fits_evenly(counts));
}

TEST(Uniform, EveryBitOfAWordIsFair) {
  const Stream stream(77, 0, Purpose::kTest);
  constexpr std::size_t kWords = 100000;
  std::vector<std::uint64_t> ones(64, 0);
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint64_t word = stream.bits(0, i);
    for (std::size_t b = 0; b < 64; ++b) ones[b] += word >> b & 1;
  }
  const double standard_error = 0.5 / std::sqrt(static_cast<double>(kWords));
  for (std::size_t b = 0; b < 64; ++b) {
    const double share = static_cast<double>(ones[b]) / static_cast<double>(kWords);
    EXPECT_TRUE(agrees(share, 0.5, standard_error, 64)) << "bit " << b;
  }
}

TEST(Uniform, MeanAndVariance) {
  const std::vector<double> u = draw_uniforms();
  const double n = static_cast<double>(u.size());
  double sum = 0.0;
  double squares = 0.0;
  for (const double x : u) {
    sum += x - 0.5;
    squares += (x - 0.5) * (x - 0.5);
  }
  EXPECT_TRUE(agrees(sum / n, 0.0, std::sqrt(1.0 / 12.0 / n), 2));
  EXPECT_TRUE(agrees(squares / n, 1.0 / 12.0, std::sqrt(1.0 / 180.0 / n), 2));
}

TEST(Uniform, NoSerialDependence) {
  const std::vector<double> u = draw_uniforms();
  for (const std::size_t lag : {1, 2, 3, 4, 64, 1000}) {
    const std::span<const double> all(u);
    EXPECT_TRUE(look_independent(all.first(kDraws - lag), all.subspan(lag), 6)) << "lag " << lag;
  }
}

}  // namespace
}  // namespace updraft
