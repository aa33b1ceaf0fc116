#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace updraft::testing {

// Thresholds of statistical tests. Every test has a fixed seed and is never retried, so it either
// always passes or always fails; kRejectionLevel is the probability, over the choice of the seed,
// that a correct sampler fails it. Where one test makes several comparisons, give their number:
// each is then made at kRejectionLevel / comparisons, so that the level holds for all together.
// Nothing here uses the code under test.

/// The probability with which a correct sampler fails one statistical test.
inline constexpr double kRejectionLevel = 1e-6;

/// P(Z > z) of a standard normal Z.
double normal_tail(double z);

/// P(X > statistic) of a chi-square variable with dof > 0 degrees of freedom.
/// Relative error below 1e-9 for dof <= 1e5.
double chi_square_tail(double statistic, double dof);

/// The z with P(|Z| > z) = kRejectionLevel / comparisons: about 4.8916 for one comparison.
double normal_threshold(std::size_t comparisons = 1);

/// The x with P(X > x) = kRejectionLevel / comparisons for a chi-square X. One-sided.
double chi_square_threshold(double dof, std::size_t comparisons = 1);

/// The largest distance between the true and the empirical distribution function of n independent
/// draws that is accepted: sqrt(log(2 / level) / (2 n)). [massart90] Never too small, for any n.
double kolmogorov_threshold(std::size_t n);

/// The largest distance between `cdf`, which must be continuous, and the empirical distribution
/// function of `sorted`, which must be in increasing order.
double kolmogorov_distance(std::span<const double> sorted,
                           const std::function<double(double)>& cdf);

/// Correlation of two samples of one length > 1. For independent samples sqrt(n) times it is
/// close to a standard normal.
double correlation(std::span<const double> x, std::span<const double> y);

/// Pearson's statistic of counts against expected counts. Neighbouring cells are joined until each
/// expects at least 50: the level is then right within a factor of ten, even for two cells.
struct ChiSquare {
  double statistic = 0.0;
  std::size_t cells = 0;  ///< after joining
};

/// The two spans must have the same length and the expected counts the same sum as the counts.
ChiSquare chi_square(std::span<const std::uint64_t> counts, std::span<const double> expected);

/// Whether counts fit expected counts that were fixed beforehand: chi-square with cells - 1
/// degrees of freedom. Fails too where fewer than two cells are left to compare.
///   EXPECT_TRUE(fits(counts, expected));
::testing::AssertionResult fits(std::span<const std::uint64_t> counts,
                                std::span<const double> expected, std::size_t comparisons = 1);

/// The same with equally likely cells.
::testing::AssertionResult fits_evenly(std::span<const std::uint64_t> counts,
                                       std::size_t comparisons = 1);

/// Whether |estimate - truth| <= normal_threshold(comparisons) * standard_error. The estimate must
/// be close to normal (a count: at least 1,000, or give ten times the comparisons) and its standard
/// error > 0.
///   EXPECT_TRUE(agrees(mean, 0.5, std::sqrt(1.0 / 12.0 / n)));
::testing::AssertionResult agrees(double estimate, double truth, double standard_error,
                                  std::size_t comparisons = 1);

/// Whether two samples of equal length, uniform on (0, 1), look independent: no correlation, and
/// the pairs fill an 8 x 8 grid evenly. At least 2,000 pairs.
::testing::AssertionResult look_independent(std::span<const double> x, std::span<const double> y,
                                            std::size_t comparisons = 1);

}  // namespace updraft::testing
