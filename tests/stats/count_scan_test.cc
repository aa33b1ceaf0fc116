// The streaming passes over pairs of counts with vectors, against plain loops.

#include "stats/count_scan.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "stats/padding_scan.h"
#include "support/draws.h"
#include "support/misaligned.h"
#include "support/vector_targets.h"

namespace updraft {
namespace {

using testing::Draws;
using testing::for_each_vector_target;
using testing::Misaligned;

constexpr std::size_t kLongest = 200;

struct CountCase {
  Misaligned<std::uint16_t> counts;
  Misaligned<std::uint16_t> baseline_counts;
  std::uint64_t pulls = 1;
  std::uint64_t baseline_pulls = 1;
  double largest = 0.0;
  double baseline_largest = 0.0;

  std::int64_t difference(std::size_t i) const {
    return std::int64_t{counts.span()[i]} * static_cast<std::int64_t>(baseline_pulls) -
           std::int64_t{baseline_counts.span()[i]} * static_cast<std::int64_t>(pulls);
  }
  CountPaddingInputs inputs() const {
    return {.counts = counts.span(),
            .baseline_counts = baseline_counts.span(),
            .largest = largest,
            .baseline_largest = baseline_largest,
            .pulls = pulls,
            .baseline_pulls = baseline_pulls};
  }
};

/// Counts up to `most` on pulls up to `most_pulls`, many of them equal.
CountCase count_case(std::size_t m, std::uint64_t seed, std::size_t most, std::size_t most_pulls) {
  Draws d(seed);
  const std::size_t kind = seed % 4;
  const auto count = [&](std::size_t) {
    const std::size_t c = kind == 0   ? d.integer(0, most)
                          : kind == 1 ? d.integer(0, std::min<std::size_t>(most, 3))
                          : kind == 2 ? most - d.integer(0, std::min<std::size_t>(most, 3))
                                      : (d.chance(0.5) ? most : 0);
    return static_cast<std::uint16_t>(c);
  };
  CountCase c{.counts = {m, seed % 5, 9999, count},
              .baseline_counts = {m, (seed + 2) % 7, 9999, count},
              .pulls = d.integer(1, most_pulls),
              .baseline_pulls = d.integer(1, most_pulls)};
  const double slack = d.chance(0.5) ? 0.0 : 1.0;  // a bound need not be met
  for (const std::uint16_t x : c.counts.span()) c.largest = std::max<double>(c.largest, x + slack);
  for (const std::uint16_t x : c.baseline_counts.span()) {
    c.baseline_largest = std::max<double>(c.baseline_largest, x + slack);
  }
  return c;
}

struct Limits {
  CountLimits count;
  double positive = 0.0;
};

/// Limits that are some differences themselves, halves away from them, or beyond all of them.
Limits limits_for(const CountCase& c, Draws& d) {
  const auto some = [&] {
    if (d.chance(0.1) || c.counts.size() == 0) return d.uniform(0.0, 3e9);
    const std::size_t i = d.integer(0, c.counts.size() - 1);
    return std::abs(static_cast<double>(c.difference(i))) + (d.chance(0.5) ? 0.0 : 0.5);
  };
  Limits limits;
  limits.count.disjoint = some();
  limits.count.rise = d.chance(0.2) ? 0.0 : some();
  limits.count.share = d.chance(0.2) ? 0.0 : d.uniform(0.0, 1.0);
  limits.count.drop = d.uniform(0.0, 1.0) * limits.count.disjoint;
  limits.positive = d.chance(0.5) ? -some() : std::min(some(), limits.count.disjoint);
  return limits;
}

struct PlainPart {
  std::size_t number = 0;
  std::int64_t differences = 0;
  std::int64_t baseline_counts = 0;

  void add(std::int64_t difference, std::int64_t baseline_count) {
    ++number;
    differences += difference;
    baseline_counts += baseline_count;
  }
  void expect(const CountScan::Part& part, bool with_baseline_counts = true) const {
    ASSERT_EQ(part.number, number);
    ASSERT_EQ(part.differences, static_cast<double>(differences));
    if (with_baseline_counts) {
      ASSERT_EQ(part.baseline_counts, static_cast<double>(baseline_counts));
    }
  }
};

/// D later on, as large as it may become; in floats, and in doubles less what `drop` adds.
float later_in_floats(const CountCase& c, const CountLimits& limits, std::size_t i) {
  const auto difference = static_cast<float>(c.difference(i));
  const float rounded_up = difference + std::abs(difference) * 1e-6f;
  return rounded_up +
         static_cast<float>(c.baseline_counts.span()[i]) * largest_fall(c.inputs(), limits);
}
double later(const CountCase& c, const CountLimits& limits, std::size_t i) {
  return static_cast<double>(c.difference(i)) +
         limits.share * static_cast<double>(c.pulls) * c.baseline_counts.span()[i];
}

void expect_plain_counts(const CountCase& c, const CountLimits& limits) {
  const std::size_t m = c.counts.size();
  PlainPart far, near_below, near_above, identified_above, identified_below, identified;
  std::int64_t far_counts = 0;
  std::vector<std::uint64_t> far_bits((m + 63) / 64, 0);
  for (std::size_t i = 0; i < m; ++i) {
    const std::int64_t difference = c.difference(i);
    const auto d = static_cast<double>(difference);
    const std::int64_t count = c.counts.span()[i];
    const std::int64_t baseline_count = c.baseline_counts.span()[i];
    const float highest = later_in_floats(c, limits, i);
    if (std::abs(d) > limits.disjoint) identified.add(difference, baseline_count);
    if (d > limits.disjoint + limits.rise || highest < below_in_floats(-limits.disjoint)) {
      ASSERT_TRUE(d > limits.disjoint + limits.rise || later(c, limits, i) < -limits.disjoint)
          << "might not stay identified: " << i;
      far.add(difference, baseline_count);
      far_counts += count;
      far_bits[i / 64] |= std::uint64_t{1} << (i % 64);
    } else if (highest > below_in_floats(limits.disjoint - limits.drop) && count > 0) {
      near_above.add(difference, baseline_count);
      if (d > limits.disjoint) identified_above.add(difference, baseline_count);
      if (d < -limits.disjoint) identified_below.add(difference, baseline_count);
    } else {
      ASSERT_TRUE(count == 0 || later(c, limits, i) + limits.drop <= limits.disjoint)
          << "might become identified: " << i;
      if (d < -limits.disjoint) near_below.add(difference, baseline_count);
    }
  }
  std::vector<std::uint64_t> found((m + 63) / 64 + 1, 0x5555);
  const CountScan scan = scan_counts(c.inputs(), limits, found.data());
  ASSERT_EQ(found.back(), 0x5555u);
  found.pop_back();
  ASSERT_EQ(found, far_bits);
  ASSERT_EQ(scan.far, far.number);
  ASSERT_EQ(scan.far_counts, static_cast<double>(far_counts));
  ASSERT_EQ(scan.far_baseline_counts, static_cast<double>(far.baseline_counts));
  near_below.expect(scan.near_below);
  near_above.expect(scan.near_above);
  identified_above.expect(scan.identified_above, false);
  identified_below.expect(scan.identified_below, false);
  identified.expect(scan_identified(c.inputs(), limits.disjoint), false);
}

void expect_plain_candidates(const CountCase& c, const Limits& limits) {
  const std::size_t m = c.counts.size();
  std::vector<std::int32_t> expected;
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const auto d = static_cast<double>(c.difference(i));
    if (!(limits.positive < d && d <= limits.count.disjoint)) continue;
    if (d == 0.0) {
      ++zeros;
    } else {
      expected.push_back(static_cast<std::int32_t>(d));
    }
  }
  std::vector<std::int32_t> found(m + kScanSlack + 1, 77);
  const CountCandidates candidates =
      collect_candidates(c.inputs(), limits.count.disjoint, limits.positive, found.data());
  ASSERT_EQ(candidates.zeros, zeros);
  ASSERT_EQ(candidates.differences, expected.size());
  ASSERT_EQ(found.back(), 77);
  found.resize(candidates.differences);
  ASSERT_EQ(found, expected);
}

/// Both passes over the counts, with every kind of vector.
void check_counts(const CountCase& c, Draws& d, int repetitions) {
  std::vector<Limits> all;
  for (int j = 0; j < repetitions; ++j) all.push_back(limits_for(c, d));
  for_each_vector_target([&](const std::string& target) {
    for (const Limits& limits : all) {
      SCOPED_TRACE(target + ": m = " + std::to_string(c.counts.size()) + ", disjoint " +
                   std::to_string(limits.count.disjoint));
      if (::testing::Test::HasFatalFailure()) return;
      expect_plain_counts(c, limits.count);
      expect_plain_candidates(c, limits);
    }
  });
}

TEST(ScanCounts, AgreesWithPlainLoopsForAllLengths) {
  Draws d(1);
  for (std::size_t m = 0; m <= kLongest && !HasFatalFailure(); ++m) {
    for (const std::size_t most : {1u, 5u, 60u})
      check_counts(count_case(m, 4 * m + most, most, 90), d, 6);
  }
}

TEST(ScanCounts, IsExactForLargeCounts) {
  // 65,535 * 1000 leaves room for 32 differences in 32 bits.
  Draws d(2);
  for (std::uint64_t seed = 0; seed < 16 && !HasFatalFailure(); ++seed) {
    check_counts(count_case(d.integer(4000, 6000), seed, 65535, 1000), d, 4);
  }
}

TEST(ScanCounts, IsExactForTheLargestDifferencesThatFit) {
  Draws d(3);
  for (std::uint64_t seed = 0; seed < 16 && !HasFatalFailure(); ++seed) {
    CountCase c = count_case(d.integer(60, 400), seed, 65535, 10);
    c.largest = c.baseline_largest = 65535;
    (seed % 8 < 4 ? c.baseline_pulls : c.pulls) = 16384;
    ASSERT_TRUE(differences_fit(c.inputs()));
    check_counts(c, d, 6);
  }
}

TEST(ScanCounts, IsExactForManyLargeCounts) {
  // So many that sums of the counts themselves do not fit in 32 bits.
  Draws d(4);
  for (std::uint64_t seed = 2; seed < 4 && !HasFatalFailure(); ++seed) {
    const CountCase c = count_case(1200007, seed, 65535, 2);
    check_counts(c, d, 2);
    for_each_vector_target([&](const std::string&) {
      expect_plain_counts(c, CountLimits{});  // nearly all far
    });
  }
}

TEST(CommonBits, AgreesWithCountingOneByOne) {
  Draws d(6);
  const auto word = [&](std::size_t) {
    const double kind = d.uniform(0.0, 1.0);
    return kind < 0.1   ? std::uint64_t{0}
           : kind < 0.2 ? ~std::uint64_t{0}
                        : std::bit_cast<std::uint64_t>(d.uniform(-1, 1));
  };
  for (std::size_t words = 0; words <= 70; ++words) {
    const Misaligned<std::uint64_t> a(words, words % 5, ~std::uint64_t{0}, word);
    const Misaligned<std::uint64_t> b(words, words % 3, ~std::uint64_t{0}, word);
    std::size_t expected = 0;
    for (std::size_t bit = 0; bit < 64 * words; ++bit) {
      expected += (a.span()[bit / 64] >> bit % 64) & (b.span()[bit / 64] >> bit % 64) & 1;
    }
    for_each_vector_target([&](const std::string& target) {
      EXPECT_EQ(common_bits(a.span(), b.span()), expected) << target << ": " << words;
    });
  }
}

}  // namespace
}  // namespace updraft
