#include "support/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace updraft::testing {
namespace {

constexpr double kSmallestExpected = 50.0;
constexpr std::size_t kGrid = 8;
constexpr std::size_t kSmallestPairs = 2000;

/// The x in [0, high] with tail(x) = level, for a decreasing tail.
double solve_tail(const std::function<double(double)>& tail, double level, double high) {
  double low = 0.0;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    (tail(middle) > level ? low : high) = middle;
  }
  return high;
}

/// P(a, x) by its power series, for x < a + 1. [DLMF 8.11.4]
double lower_gamma(double a, double x) {
  double term = 1.0 / a;
  double sum = term;
  for (double n = a + 1.0; term > sum * 1e-17; n += 1.0) {
    term *= x / n;
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

/// Q(a, x) by its continued fraction, evaluated forwards, for x >= a + 1. [DLMF 8.9.2]
double upper_gamma(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1.0 - a;
  double c = 1.0 / kTiny;
  double d = 1.0 / b;
  double fraction = d;
  for (double i = 1.0; i < 1e6; i += 1.0) {
    const double numerator = -i * (i - a);
    b += 2.0;
    d = numerator * d + b;
    d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + numerator / c;
    c = std::abs(c) < kTiny ? kTiny : c;
    fraction *= d * c;
    if (std::abs(d * c - 1.0) < 1e-16) break;
  }
  return fraction * std::exp(a * std::log(x) - x - std::lgamma(a));
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double normal_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

double chi_square_tail(double statistic, double dof) {
  if (statistic <= 0.0) return 1.0;
  const double a = 0.5 * dof;
  const double x = 0.5 * statistic;
  return x < a + 1.0 ? 1.0 - lower_gamma(a, x) : upper_gamma(a, x);
}

double normal_threshold(std::size_t comparisons) {
  const double level = 0.5 * kRejectionLevel / static_cast<double>(comparisons);
  return solve_tail(normal_tail, level, 30.0);
}

double chi_square_threshold(double dof, std::size_t comparisons) {
  const double level = kRejectionLevel / static_cast<double>(comparisons);
  const auto tail = [dof](double x) { return chi_square_tail(x, dof); };
  return solve_tail(tail, level, dof + 40.0 * std::sqrt(dof) + 400.0);
}

double kolmogorov_threshold(std::size_t n) {
  return std::sqrt(std::log(2.0 / kRejectionLevel) / (2.0 * static_cast<double>(n)));
}

double kolmogorov_distance(std::span<const double> sorted,
                           const std::function<double(double)>& cdf) {
  const double n = static_cast<double>(sorted.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double p = cdf(sorted[i]);
    const double below = static_cast<double>(i) / n;
    const double above = static_cast<double>(i + 1) / n;
    distance = std::max({distance, p - below, above - p});
  }
  return distance;
}

double correlation(std::span<const double> x, std::span<const double> y) {
  const double mean_x = mean_of(x);
  const double mean_y = mean_of(y);
  double xx = 0.0;
  double yy = 0.0;
  double xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / std::sqrt(xx * yy);
}

ChiSquare chi_square(std::span<const std::uint64_t> counts, std::span<const double> expected) {
  std::vector<double> cell_counts;
  std::vector<double> cell_expected;
  bool open = false;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!open) {
      cell_counts.push_back(0.0);
      cell_expected.push_back(0.0);
    }
    cell_counts.back() += static_cast<double>(counts[i]);
    cell_expected.back() += expected[i];
    open = cell_expected.back() < kSmallestExpected;
  }
  if (open && cell_counts.size() > 1) {  // what is left at the end joins the cell before it
    cell_counts[cell_counts.size() - 2] += cell_counts.back();
    cell_expected[cell_expected.size() - 2] += cell_expected.back();
    cell_counts.pop_back();
    cell_expected.pop_back();
  }
  ChiSquare result{0.0, cell_counts.size()};
  for (std::size_t i = 0; i < cell_counts.size(); ++i) {
    const double difference = cell_counts[i] - cell_expected[i];
    result.statistic += difference * difference / cell_expected[i];
  }
  return result;
}

::testing::AssertionResult fits(std::span<const std::uint64_t> counts,
                                std::span<const double> expected, std::size_t comparisons) {
  if (counts.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << counts.size() << " counts, " << expected.size() << " expected counts";
  }
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double total_expected = std::accumulate(expected.begin(), expected.end(), 0.0);
  if (!(std::abs(total - total_expected) <= 1e-6 * total)) {
    return ::testing::AssertionFailure()
           << "counts sum to " << total << ", expected counts to " << total_expected;
  }
  const ChiSquare result = chi_square(counts, expected);
  if (result.cells < 2) return ::testing::AssertionFailure() << "fewer than two cells to compare";
  const double dof = static_cast<double>(result.cells - 1);
  const double threshold = chi_square_threshold(dof, comparisons);
  const bool ok = result.statistic <= threshold;  // a NaN fails
  return (ok ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
         << "chi-square " << result.statistic << " with " << dof << " degrees of freedom, accepted "
         << "up to " << threshold;
}

::testing::AssertionResult fits_evenly(std::span<const std::uint64_t> counts,
                                       std::size_t comparisons) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const std::vector<double> expected(counts.size(), total / static_cast<double>(counts.size()));
  return fits(counts, expected, comparisons);
}

::testing::AssertionResult agrees(double estimate, double truth, double standard_error,
                                  std::size_t comparisons) {
  const double accepted = normal_threshold(comparisons) * standard_error;
  const bool ok = standard_error > 0.0 && std::abs(estimate - truth) <= accepted;
  return (ok ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
         << estimate << " against " << truth << ", accepted within " << accepted;
}

::testing::AssertionResult look_independent(std::span<const double> x, std::span<const double> y,
                                            std::size_t comparisons) {
  if (x.size() != y.size() || x.size() < kSmallestPairs) {
    return ::testing::AssertionFailure() << "needs samples of one length >= " << kSmallestPairs;
  }
  const std::size_t parts = 2 * comparisons;  // the correlation and the grid
  const double standard_error = 1.0 / std::sqrt(static_cast<double>(x.size()));
  const auto correlated = agrees(correlation(x, y), 0.0, standard_error, parts);
  if (!correlated) return ::testing::AssertionFailure() << "correlation " << correlated.message();
  std::vector<std::uint64_t> grid(kGrid * kGrid, 0);
  const auto cell = [](double u) {
    return std::min(static_cast<std::size_t>(u * static_cast<double>(kGrid)), kGrid - 1);
  };
  for (std::size_t i = 0; i < x.size(); ++i) ++grid[cell(x[i]) * kGrid + cell(y[i])];
  const auto even = fits_evenly(grid, parts);
  if (!even) return ::testing::AssertionFailure() << "pairs: " << even.message();
  return ::testing::AssertionSuccess();
}

}  // namespace updraft::testing
