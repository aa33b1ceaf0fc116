#include "stats/top_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>

#include "support/draws.h"
#include "support/vector_targets.h"

namespace updraft {
namespace {

using testing::Draws;
using testing::for_each_vector_target;

double sorted_sum(std::vector<double> values, std::size_t count) {
  std::sort(values.begin(), values.end(), std::greater<>());
  values.resize(std::min(count, values.size()));
  return static_cast<double>(std::accumulate(values.begin(), values.end(), 0.0L));
}

/// Multiples of 1/8, whose sums are exact in any order.
using Draw = std::function<double(Draws&)>;
struct Kind {
  const char* name;
  Draw draw;
};
const std::vector<Kind> kKinds = {
    {"many ties", [](Draws& d) { return 0.125 * static_cast<double>(d.integer(0, 4)); }},
    {"few ties", [](Draws& d) { return 0.125 * static_cast<double>(d.integer(0, 100000)); }},
    {"negative", [](Draws& d) { return -0.125 * static_cast<double>(d.integer(1, 300)); }},
    {"both signs", [](Draws& d) { return 0.125 * static_cast<double>(d.integer(0, 40)) - 2.5; }},
    {"all equal", [](Draws&) { return -1.625; }},
    {"one apart", [](Draws& d) { return d.chance(0.02) ? 7.5 : 0.25; }},
    {"zeros of both signs", [](Draws& d) { return d.chance(0.5) ? 0.0 : -0.0; }},
};

TEST(TopSum, AgreesWithSortingForAllLengthsAndCounts) {
  std::vector<double> scratch;
  for_each_vector_target([&](const std::string& target) {
    Draws draws(1);
    for (const Kind& kind : kKinds) {
      for (std::size_t length = 0; length <= 200; ++length) {
        const std::size_t start = length % 7;  // other alignments
        std::vector<double> all(start, 1e9);
        for (std::size_t i = 0; i < length; ++i) all.push_back(kind.draw(draws));
        const std::vector<double> before = all;
        const auto values = std::span<const double>(all).subspan(start);
        std::vector<double> sorted(values.begin(), values.end());
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        double expected = 0.0;
        for (std::size_t count = 0; count <= length + 2; ++count) {
          ASSERT_EQ(top_sum(values, count, scratch), expected)
              << target << ", " << kind.name << ": " << count << " of " << length;
          if (count < length) expected += sorted[count];
        }
        ASSERT_EQ(all, before);
      }
    }
  });
}

TEST(TopSum, AgreesWithSorting) {
  EXPECT_TRUE(rc::check([](std::vector<std::int16_t> drawn) {
    const std::vector<double> values(drawn.begin(), drawn.end());
    const std::size_t count = *rc::gen::inRange<std::size_t>(0, values.size() + 3);
    std::vector<double> scratch;
    RC_ASSERT(top_sum(values, count, scratch) == sorted_sum(values, count));
  }));
}

TEST(TopSum, HasTheSameBitsWhateverTheVectorsAndTheScratch) {
  struct Case {
    std::vector<double> values;
    std::size_t count;
  };
  Draws draws(2);
  std::vector<Case> cases;
  for (std::size_t j = 0; j < 400; ++j) {
    Case one{{}, 0};
    const std::size_t length = j < 200 ? j : draws.integer(200, 20000);
    for (std::size_t i = 0; i < length; ++i) {
      // Sizes differ, so that another order of addition would show; a third are ties.
      const int exponent = static_cast<int>(draws.integer(0, 30));
      one.values.push_back(draws.chance(0.33) ? 1.1 : std::ldexp(draws.uniform(-1, 1), exponent));
    }
    one.count = draws.integer(0, length + 1);
    cases.push_back(std::move(one));
  }
  std::vector<std::uint64_t> first;
  std::vector<double> kept;
  for_each_vector_target([&](const std::string& target) {
    std::vector<std::uint64_t> bits;
    for (const Case& one : cases) {
      std::vector<double> fresh;
      const double sum = top_sum(one.values, one.count, fresh);
      double magnitude = 1e-300;
      for (const double value : one.values) magnitude += std::abs(value);
      ASSERT_NEAR(sum, sorted_sum(one.values, one.count), 1e-12 * magnitude) << target;
      bits.push_back(std::bit_cast<std::uint64_t>(sum));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(top_sum(one.values, one.count, kept)), bits.back());
    }
    if (first.empty()) first = bits;
    ASSERT_EQ(bits, first) << target;
  });
}

}  // namespace
}  // namespace updraft
