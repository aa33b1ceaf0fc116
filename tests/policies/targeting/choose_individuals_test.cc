#include "policies/targeting/choose_individuals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace updraft {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids sorted(Ids ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// By sorting all.
Ids plain_largest(const std::vector<double>& values, std::size_t count, bool fill) {
  Ids ids;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (fill ? !std::isnan(values[i]) : values[i] > 0.0) ids.push_back(i);
  }
  std::stable_sort(ids.begin(), ids.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return values[a] > values[b]; });
  ids.resize(std::min(ids.size(), count));
  return sorted(ids);
}

TEST(Largest, AgreesWithSorting) {
  const Stream stream(31, 0, Purpose::kTest);
  for (std::uint32_t run = 0; run < 400; ++run) {
    std::vector<double> values(1 + stream.bits(run, 0) % 300);
    stream.normals(run, 10, values);
    const double levels = run % 3 == 0 ? 2.0 : 1e6;  // many ties in every third
    for (double& value : values) value = std::round(levels * value) / levels;
    if (run % 5 == 0) std::sort(values.begin(), values.end());
    if (run % 5 == 1) std::sort(values.rbegin(), values.rend());
    if (run % 7 == 0) values.back() = std::nan("");
    if (run % 7 == 1) values.front() = -std::numeric_limits<double>::infinity();
    for (const std::size_t count : {0u, 1u, 3u, 20u, 32u, 33u, 60u, 1000u}) {
      for (const bool fill : {false, true}) {
        EXPECT_EQ(sorted(largest(values, count, fill)), plain_largest(values, count, fill))
            << run << " " << count << " " << fill;
      }
    }
  }
}

TEST(Largest, TakesTheLowestIdsAmongEquals) {
  const std::vector<double> values(1000, 2.0);
  EXPECT_EQ(sorted(largest(values, 3, false)), (Ids{0, 1, 2}));
}

}  // namespace
}  // namespace updraft
