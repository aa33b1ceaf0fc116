// The normal quantile against the C library's error function in long double.

#include "random/normal_quantile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace updraft {
namespace {

/// (P(Z <= x) - p) / (density at x), to first order the error of x as a quantile of p. Each branch
/// compares numbers that are small where the answer is delicate.
long double error_of(double x, double p) {
  const long double z = static_cast<long double>(x) / std::numbers::sqrt2_v<long double>;
  const long double pl = p;
  const long double density = std::exp(-z * z) / std::sqrt(2.0L * std::numbers::pi_v<long double>);
  if (std::abs(p - 0.5) < 0.25) return (0.5L * std::erf(z) - (pl - 0.5L)) / density;
  if (p < 0.5) return (0.5L * std::erfc(-z) - pl) / density;
  return ((1.0L - pl) - 0.5L * std::erfc(z)) / density;
}

double worst_relative_error(const std::vector<double>& ps) {
  long double worst = 0.0L;
  for (const double p : ps) {
    const double x = normal_quantile(p);
    const long double error = std::abs(error_of(x, p) / x);
    if (!(error <= worst)) worst = error;  // a NaN stays
  }
  return static_cast<double>(worst);
}

TEST(NormalQuantile, AccurateInTheCentre) {
  std::vector<double> ps;
  for (int i = 1; i < 100000; ++i) ps.push_back((i + 0.37) / 100001.0);
  EXPECT_LT(worst_relative_error(ps), 1e-15);
}

TEST(NormalQuantile, AccurateBesideOneHalf) {
  std::vector<double> ps;
  for (double distance = 0.2; distance > 1e-16; distance *= 0.97) {
    ps.push_back(0.5 + distance);
    ps.push_back(0.5 - distance);
  }
  EXPECT_LT(worst_relative_error(ps), 1e-15);
}

TEST(NormalQuantile, AccurateInTheTails) {
  std::vector<double> ps = {0x1p-53, 1.0 - 0x1p-53, 3 * 0x1p-53, 0x1p-1022, 0x1p-1074};
  for (double p = 0.1; p > 1e-320; p *= 0.93) ps.push_back(p);
  for (double p = 0.1; p > 1e-16; p *= 0.993) ps.push_back(1.0 - p);
  EXPECT_LT(worst_relative_error(ps), 1e-15);
}

// Where one approximation hands over to the next: p = 0.075 and p = exp(-25).
TEST(NormalQuantile, AccurateAtTheSeams) {
  std::vector<double> ps;
  for (const double seam : {0.075, 0.925, 1.3887943864964021e-11, 1.0 - 1.3887943864964021e-11}) {
    double low = seam;
    double high = seam;
    for (int i = 0; i < 200; ++i) {
      ps.push_back(low = std::nextafter(low, 0.0));
      ps.push_back(high = std::nextafter(high, 1.0));
    }
  }
  EXPECT_LT(worst_relative_error(ps), 1e-15);
}

TEST(NormalQuantile, TabulatedValues) {
  EXPECT_DOUBLE_EQ(normal_quantile(0.975), 1.959963984540054);
  EXPECT_DOUBLE_EQ(normal_quantile(0.25), -0.6744897501960817);
  EXPECT_DOUBLE_EQ(normal_quantile(0.001), -3.090232306167814);
  EXPECT_DOUBLE_EQ(normal_quantile(1e-20), -9.262340089798408);
}

TEST(NormalQuantile, OddAroundOneHalf) {
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  for (double p = 0x1p-53; p < 0.5; p = p * 1.7 + 0x1p-53) {
    const double exact = std::floor(p * 0x1p53) * 0x1p-53;  // 1 - exact is exact too
    EXPECT_EQ(normal_quantile(exact), -normal_quantile(1.0 - exact)) << exact;
  }
}

TEST(NormalQuantile, OutsideTheOpenInterval) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(normal_quantile(0.0), -infinity);
  EXPECT_EQ(normal_quantile(1.0), infinity);
  for (const double p : {-0.1, 1.1, -infinity, infinity, std::nan("")}) {
    EXPECT_TRUE(std::isnan(normal_quantile(p))) << p;
  }
}

}  // namespace
}  // namespace updraft
