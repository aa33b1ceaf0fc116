#include "core/dense.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/draws.h"
#include "support/vector_targets.h"

namespace updraft {
namespace {

using testing::Draws;
using testing::for_each_vector_target;

constexpr std::size_t kLongest = 70;
constexpr std::size_t kStarts = 8;  // of a double in 64 bytes

/// Numbers of very different sizes, so that another order of addition gives other bits.
std::vector<double> uneven_numbers(std::size_t count, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<double> values;
  while (values.size() < count) {
    values.push_back(std::ldexp(draws.uniform(-1.0, 1.0), static_cast<int>(draws.integer(0, 40))));
  }
  return values;
}

/// Eight sums of every eighth value, added pairwise.
double sum_by_eights(std::span<const double> values) {
  double s[8] = {};
  for (std::size_t i = 0; i < values.size(); ++i) s[i % 8] += values[i];
  for (const std::size_t apart : {4u, 2u, 1u}) {
    for (std::size_t j = 0; j < apart; ++j) s[j] += s[j + apart];
  }
  return s[0];
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(SumOf, HasTheBitsOfTheEightSums) {
  const std::vector<double> values = uneven_numbers(kStarts + kLongest, 1);
  std::size_t other_than_in_order = 0;
  for_each_vector_target([&](const std::string& target) {
    for (std::size_t start = 0; start < kStarts; ++start) {
      for (std::size_t count = 0; count <= kLongest; ++count) {
        const auto part = std::span(values).subspan(start, count);
        ASSERT_EQ(bits(sum_of(part)), bits(sum_by_eights(part)))
            << target << ": " << count << " from " << start;
        double in_order = 0.0;
        for (const double value : part) in_order += value;
        other_than_in_order += in_order != sum_of(part);
      }
    }
  });
  EXPECT_GT(other_than_in_order, 100u) << "the numbers must tell the orders apart";
}

TEST(SumOf, IsTheSumWhereThatIsExact) {
  for_each_vector_target([](const std::string& target) {
    std::vector<double> values;
    double sum = 0.0;
    for (std::size_t count = 0; count <= 1000; ++count) {
      ASSERT_EQ(sum_of(values), sum) << target << ": " << count;
      values.push_back(static_cast<double>((count * 7919) % 513) - 200.0);
      sum += values.back();
    }
  });
}

TEST(AllWithin, FindsTheOneBeyondTheLimitAtAnyPlace) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLimit = 2.5;
  const double above = std::nextafter(kLimit, kInfinity);
  for_each_vector_target([&](const std::string& target) {
    for (std::size_t start = 0; start < kStarts; ++start) {
      for (std::size_t count = 0; count <= kLongest; ++count) {
        std::vector<double> values(start + count + 1, 0.5);
        values[start + count] = kInfinity;  // after the end
        if (start > 0) values[start - 1] = kInfinity;
        const auto part = std::span(values).subspan(start, count);
        ASSERT_TRUE(all_within(part, kLimit)) << target << ": " << count << " from " << start;
        for (double& value : part) {
          for (const double good : {kLimit, -kLimit, 0.0, -0.0}) {
            value = good;
            ASSERT_TRUE(all_within(part, kLimit)) << target << ": " << good << " of " << count;
          }
          for (const double bad :
               {above, -above, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                -std::numeric_limits<double>::quiet_NaN()}) {
            value = bad;
            ASSERT_FALSE(all_within(part, kLimit)) << target << ": " << bad << " of " << count;
          }
          value = -0.5;
        }
      }
    }
  });
}

TEST(AllWithin, TakesTheLargestFiniteNumberAsALimit) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  for_each_vector_target([&](const std::string& target) {
    std::vector<double> values(20, -kLargest);
    EXPECT_TRUE(all_within(values, kLargest)) << target;
    values[9] = -std::numeric_limits<double>::infinity();
    EXPECT_FALSE(all_within(values, kLargest)) << target;
  });
}

TEST(AllEqual, FindsTheOtherOneAtAnyPlace) {
  for_each_vector_target([](const std::string& target) {
    for (std::size_t start = 0; start < kStarts; ++start) {
      for (std::size_t count = 0; count <= kLongest; ++count) {
        std::vector<double> values(start + count + 1, 1.0);
        values[start + count] = 2.0;  // after the end
        if (start > 0) values[start - 1] = 2.0;
        const auto part = std::span(values).subspan(start, count);
        ASSERT_TRUE(all_equal(part, 1.0)) << target << ": " << count << " from " << start;
        for (double& value : part) {
          for (const double other :
               {0.0, std::nextafter(1.0, 2.0), -1.0, std::numeric_limits<double>::quiet_NaN()}) {
            value = other;
            ASSERT_FALSE(all_equal(part, 1.0)) << target << ": " << other << " of " << count;
          }
          value = 1.0;
        }
      }
    }
  });
}

TEST(StrictlyIncreasing, FindsTheStepThatIsNotUpAtAnyPlace) {
  constexpr VariableId kHigh = 0x80000000u;  // signs must not matter
  for_each_vector_target([](const std::string& target) {
    for (std::size_t start = 0; start < 16; ++start) {
      for (std::size_t count = 0; count <= kLongest; ++count) {
        std::vector<VariableId> ids(start, 0xFFFFFFFFu);
        for (std::size_t j = 0; j < count; ++j) {
          ids.push_back(static_cast<VariableId>(2 * j + (j > 35 ? kHigh : 0)));
        }
        ids.push_back(0);  // after the end
        const auto part = std::span(ids).subspan(start, count);
        ASSERT_TRUE(strictly_increasing(part)) << target << ": " << count << " from " << start;
        for (std::size_t j = 1; j < count; ++j) {
          const VariableId kept = part[j];
          for (const VariableId bad : {part[j - 1], part[j - 1] - 1, 0u}) {
            if (bad > part[j - 1]) continue;  // 0 - 1
            part[j] = bad;
            ASSERT_FALSE(strictly_increasing(part)) << target << ": place " << j << " of " << count;
          }
          part[j] = kept;
        }
      }
    }
  });
}

TEST(AddTo, AddsEachValueToItsOwnAndNoOther) {
  const std::vector<double> values = uneven_numbers(kStarts + kLongest, 2);
  const std::vector<double> sums = uneven_numbers(kStarts + kLongest + 1, 3);
  for_each_vector_target([&](const std::string& target) {
    for (std::size_t start = 0; start < kStarts; ++start) {
      for (std::size_t count = 0; count <= kLongest; ++count) {
        std::vector<double> to = sums;
        add_to(std::span(to).subspan(start, count), std::span(values).subspan(7 - start, count));
        for (std::size_t i = 0; i < to.size(); ++i) {
          const bool touched = i >= start && i < start + count;
          const double expected = touched ? sums[i] + values[7 - start + i - start] : sums[i];
          ASSERT_EQ(bits(to[i]), bits(expected))
              << target << ": " << i << " of " << count << " from " << start;
        }
      }
    }
  });
}

}  // namespace
}  // namespace updraft
