// The streaming passes over doubles with vectors, against plain loops.

#include "stats/padding_scan.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/draws.h"
#include "support/misaligned.h"
#include "support/vector_targets.h"

namespace updraft {
namespace {

using testing::Draws;
using testing::for_each_vector_target;
using testing::Misaligned;

constexpr std::size_t kLongest = 200;

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Sums and a baseline with intervals of one width, on a lattice for some seeds, so that interval
/// ends are often equal.
struct RowCase {
  bool whole = false;
  Misaligned<std::uint16_t> counts;
  Misaligned<double> sums;
  Misaligned<double> lower;
  Misaligned<double> upper;
  double pulls = 0.0;
  double radius = 0.0;
  bool positive_only = false;

  RowCase(std::size_t m, std::uint64_t seed, bool whole_numbers, bool positive)
      : RowCase(m, Draws(seed), seed % 8, seed % 3 == 0, whole_numbers, positive) {}

  PayoffRow row() const { return whole ? PayoffRow(counts.span()) : PayoffRow(sums.span()); }
  PaddingInputs inputs() const {
    return {row(), pulls, radius, lower.span(), upper.span(), 3, positive_only};
  }

 private:
  RowCase(std::size_t m, Draws d, std::size_t start, bool lattice, bool whole_numbers,
          bool positive)
      : whole(whole_numbers),
        counts(m, start, 9999, [&](std::size_t) { return std::uint16_t(d.integer(0, 8)); }),
        sums(m, start, 1e9,
             [&](std::size_t) {
               return lattice ? 0.5 * double(d.integer(0, 32)) - 4.0 : d.uniform(-4.0, 12.0);
             }),
        lower(m, (start + 3) % 8, -1e9, [](std::size_t) { return 0.0; }),
        upper(m, (start + 6) % 8, -1e9, [](std::size_t) { return 0.0; }),
        pulls(lattice ? 4.0 : double(d.integer(1, 9))),
        radius(lattice ? 0.25 : d.uniform(0.01, 0.8)),
        positive_only(positive) {
    const double half = d.chance(0.3) ? 0.0 : lattice ? 0.25 : d.uniform(0.0, 0.5);
    for (std::size_t i = 0; i < m; ++i) {
      const double middle = lattice ? 0.25 * double(d.integer(0, 8)) : d.uniform(-0.5, 2.0);
      lower.span()[i] = middle - half;
      upper.span()[i] = middle + half;
    }
  }
};

struct PlainScan {
  std::size_t identified = 0;
  long double identified_sum = 0.0L;
  std::vector<double> rest;
  long double positive = 0.0L;  // the two parts of the limit
  long double negative = 0.0L;
  long double magnitude = 0.0L;
};

PlainScan plain_scan(const PaddingInputs& in) {
  PlainScan scan;
  const double inverse = 1.0 / in.pulls;
  const double width = in.baseline_upper[0] - in.baseline_lower[0];
  for (std::size_t i = 0; i < in.row.size(); ++i) {
    const double mean = in.row[i] * inverse;
    const double index = mean + in.radius - in.baseline_upper[i];
    scan.magnitude += std::abs(index);
    if (in.baseline_upper[i] < mean - in.radius || mean + in.radius < in.baseline_lower[i]) {
      ++scan.identified;
      scan.identified_sum += index;
    } else if (!in.positive_only || index > 0.0) {
      scan.rest.push_back(index);
    }
    if (index > 0.0) scan.positive += index;
    if (index < -width) scan.negative += static_cast<long double>(index) + width;
  }
  return scan;
}

TEST(ScanPadding, AgreesWithAPlainLoop) {
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> first;  // of the first target
  std::size_t identified = 0, others = 0, left_out = 0;
  for_each_vector_target([&](const std::string& target) {
    std::uint64_t seed = 0;
    for (std::size_t m = 1; m <= kLongest; ++m) {
      for (const bool whole : {false, true}) {
        for (const bool positive_only : {false, true}) {
          SCOPED_TRACE(target + ": m = " + std::to_string(m));
          const RowCase c(m, ++seed, whole, positive_only);
          const PlainScan plain = plain_scan(c.inputs());
          std::vector<double> rest(m + kScanSlack + 8, 77.0);
          double* const to = rest.data() + seed % 5;
          const PaddingScan scan = scan_padding(c.inputs(), to);
          ASSERT_EQ(scan.identified, plain.identified);
          ASSERT_EQ(std::vector<double>(to, to + scan.others), plain.rest);
          for (std::size_t j = 0; j < seed % 5; ++j) ASSERT_EQ(rest[j], 77.0);
          for (double* j = to + m + kScanSlack; j != rest.data() + rest.size(); ++j) {
            ASSERT_EQ(*j, 77.0);
          }
          const double scale = static_cast<double>(plain.magnitude);
          ASSERT_NEAR(scan.identified_sum, static_cast<double>(plain.identified_sum),
                      1e-14 * scale);
          const auto limit = static_cast<double>(plain.positive + plain.negative);
          ASSERT_GE(scan.limit, limit);
          ASSERT_LE(scan.limit, limit + 3e-11 * scale);
          const auto sums = std::pair(bits(scan.identified_sum), bits(scan.limit));
          ASSERT_EQ(first.try_emplace(seed, sums).first->second, sums) << "other bits";
          identified += plain.identified;
          others += plain.rest.size();
          left_out += m - plain.identified - plain.rest.size();
        }
      }
    }
  });
  EXPECT_GT(identified, 10000u);
  EXPECT_GT(others, 10000u);
  EXPECT_GT(left_out, 1000u);
}

TEST(PaddedIndex, LimitIsNotBelowTheIndex) {
  Draws draws(5);
  PaddingScratch scratch;
  std::size_t tight = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    const RowCase c(draws.integer(1, 60), seed, seed % 2 == 0, true);
    PaddingInputs in = c.inputs();
    in.budget = draws.chance(0.3) ? 1000 : draws.integer(0, 60);
    const PaddedIndex padded = padded_index(in, scratch);
    ASSERT_GE(padded.limit, padded.index) << seed;
    tight += padded.limit <= padded.index + 1e-9;
  }
  EXPECT_GT(tight, 100u) << "some limits must be met";
}

/// The baseline of a policy with unknown baseline: sums of an action that is pulled on and on.
struct MovingBaseline {
  std::vector<std::uint16_t> counts;
  std::vector<double> sums;
  bool whole;
  double alpha;
  double pulls;
  std::vector<double> lower;
  std::vector<double> upper;

  MovingBaseline(std::size_t m, bool whole_numbers, Draws& d)
      : counts(m),
        sums(m),
        whole(whole_numbers),
        alpha(std::exp(d.uniform(-14.0, 2.0))),
        pulls(static_cast<double>(d.integer(1, 30))),
        lower(m, 0.0),
        upper(m, 0.0) {
    for (std::size_t i = 0; i < m; ++i) {
      counts[i] = static_cast<std::uint16_t>(d.integer(0, static_cast<std::size_t>(pulls)));
      sums[i] = whole ? counts[i] : d.uniform(-pulls, pulls);
    }
  }

  PayoffRow row() const {
    return whole ? PayoffRow(std::span<const std::uint16_t>(counts))
                 : PayoffRow(std::span<const double>(sums));
  }
  double radius() const { return std::sqrt(2.0 * alpha / pulls); }

  double shift(double old_radius) {
    const PayoffRow moved = row();
    return shift_baseline(
        {.row = moved, .pulls = pulls, .radius = radius(), .width = 2.0 * old_radius}, lower.data(),
        upper.data());
  }

  /// One more pull: few payoffs that are not 0, or many.
  void pull(Draws& d) {
    const double share = d.chance(0.3) ? 0.0 : d.uniform(0.0, 1.0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double payoff = !d.chance(share) ? 0.0 : whole ? 1.0 : d.uniform(-3.0, 3.0);
      sums[i] += payoff;
      counts[i] = static_cast<std::uint16_t>(counts[i] + (whole ? payoff : 0.0));
    }
    pulls += 1.0;
  }
};

TEST(ShiftBaseline, AgreesWithAPlainLoop) {
  std::map<std::uint64_t, std::uint64_t> first;
  for_each_vector_target([&](const std::string& target) {
    std::uint64_t seed = 0;
    for (std::size_t m = 1; m <= kLongest; ++m) {
      for (const bool whole : {false, true}) {
        SCOPED_TRACE(target + ": m = " + std::to_string(m));
        const RowCase c(m, ++seed, whole, true);
        Misaligned<double> lower = c.lower;
        Misaligned<double> upper = c.upper;
        const double width = upper.span()[0] - lower.span()[0];
        const PayoffRow row = c.row();
        const double growth =
            shift_baseline({.row = row, .pulls = c.pulls, .radius = c.radius, .width = width},
                           lower.span().data(), upper.span().data());
        long double positive = 0.0L, negative = 0.0L;
        for (std::size_t i = 0; i < m; ++i) {
          const double mean = row[i] * (1.0 / c.pulls);
          ASSERT_EQ(lower.span()[i], mean - c.radius);
          ASSERT_EQ(upper.span()[i], mean + c.radius);
          const double fall = c.upper.span()[i] - (mean + c.radius);
          if (fall > 0.0) positive += fall;
          if (fall < -width) negative += static_cast<long double>(fall) + width;
        }
        for (std::size_t j = 0; j < lower.start; ++j) ASSERT_EQ(lower.all[j], -1e9);
        for (std::size_t j = 0; j < upper.start; ++j) ASSERT_EQ(upper.all[j], -1e9);
        for (std::size_t j = 0; j < 3; ++j) {
          ASSERT_EQ(lower.all[lower.start + m + j], -1e9);
          ASSERT_EQ(upper.all[upper.start + m + j], -1e9);
        }
        const auto expected = static_cast<double>(positive + negative);
        ASSERT_GE(growth, expected);
        ASSERT_LE(growth, expected + 3e-11 * static_cast<double>(positive - negative));
        ASSERT_EQ(first.try_emplace(seed, bits(growth)).first->second, bits(growth));
      }
    }
  });
}

TEST(ShiftBaseline, GrowthKeepsLimitsAboveLaterIndices) {
  PaddingScratch scratch;
  std::size_t negative_bounds = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Draws d(seed);
    const std::size_t m = d.integer(1, 40);
    const bool whole = seed % 2 == 0;
    MovingBaseline baseline(m, whole, d);
    MovingBaseline action(m, whole, d);  // whose sums stay
    baseline.shift(0.0);
    const PaddingInputs in{.row = action.row(),
                           .pulls = action.pulls,
                           .radius = std::sqrt(2.0 * baseline.alpha / action.pulls),
                           .baseline_lower = baseline.lower,
                           .baseline_upper = baseline.upper,
                           .budget = d.integer(0, m),
                           .positive_only = true};
    double bound = padded_index(in, scratch).limit;
    for (int round = 0; round < 12; ++round) {
      const double old_radius = baseline.radius();
      const std::size_t pulls = d.integer(1, 3);
      for (std::size_t j = 0; j < pulls; ++j) baseline.pull(d);
      bound += baseline.shift(old_radius);
      const PaddedIndex now = padded_index(in, scratch);
      ASSERT_GE(bound, now.index) << "round " << round;
      const double tiny = 1e-9 * static_cast<double>(m) * (1.0 + in.radius);
      ASSERT_GE(bound, now.limit - tiny) << "round " << round;
      negative_bounds += bound < 0.0;
    }
  }
  EXPECT_GT(negative_bounds, 1000u) << "bounds must be able to tell that an index is negative";
}

}  // namespace
}  // namespace updraft
