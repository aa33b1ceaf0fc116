#include "report/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/made_result.h"

namespace updraft {
namespace {

using testing::add_policy;
using testing::always;
using testing::around;
using testing::made_result;

/// `high` in every run up to `tail`, else `low`.
std::vector<double> with_tail(double low, double high, std::size_t tail, std::size_t runs) {
  std::vector<double> regrets(runs, low);
  std::fill_n(regrets.begin(), tail, high);
  return regrets;
}

ExperimentResult two(const std::vector<double>& a, const std::vector<double>& b) {
  ExperimentResult result = made_result({});
  result.experiment.runs = static_cast<std::uint32_t>(a.size());
  add_policy(result, "a", "ucb", {{1.0, a}});
  add_policy(result, "b", "up_ucb", {{1.0, b}});
  return result;
}

TEST(Resample, PercentilesHaveTheErrorOfTheirRuns) {
  // Of 400 runs 20 + 8 have the high regret: a resample has fewer than the 20 that put the 95th
  // percentile there with probability 0.05 (normal with sd 5.1), so the error is 100 * 0.22.
  const auto some = two(with_tail(100, 200, 28, 400), always(100, 400));
  const Estimate excess = tail_excess(some.points[0], some.points[1], 1.25);
  EXPECT_DOUBLE_EQ(excess.value, 200.0 - 125.0);
  EXPECT_NEAR(excess.error, 22.0, 5.0);
  EXPECT_DOUBLE_EQ(tail_ratio(some.points[0], some.points[1]).value, 2.0);
  EXPECT_NEAR(tail_ratio(some.points[0], some.points[1]).error, excess.error / 100.0, 1e-12);
  const auto many = two(with_tail(100, 200, 100, 400), always(100, 400));
  EXPECT_EQ(tail_excess(many.points[0], many.points[1], 1.25).error, 0.0);
}

TEST(Resample, PoliciesAreResampledTogether) {
  const std::vector<double> regrets = with_tail(100, 200, 28, 400);
  const auto same = two(regrets, regrets);
  EXPECT_EQ(tail_excess(same.points[0], same.points[1], 1.0).error, 0.0);
}

TEST(Resample, ShareWithTheLargerValue) {
  ExperimentResult result = made_result({});
  add_policy(result, "sure", "ucb", {{1.0, always(100)}, {3.0, always(50)}});
  add_policy(result, "unsure", "up_ucb", {{2.0, {40, 60, 40, 60}}, {4.0, {60, 40, 60, 40}}});
  EXPECT_EQ(share_with_larger_value(result, 0, 0), 0.0);
  // The unsure one takes 4 where a resample has more runs of odd numbers than of even ones: 5/16 of
  // the resamples of four runs. Among equals it takes 2. Standard deviation of the share: 0.015.
  EXPECT_NEAR(share_with_larger_value(result, 1, 0), 5.0 / 16.0, 0.075);
  EXPECT_NEAR(share_with_larger_value(result, 0, 1), 11.0 / 16.0, 0.075);
}

}  // namespace
}  // namespace updraft
