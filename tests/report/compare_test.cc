#include "report/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/made_result.h"
#include "report/numbers.h"

namespace updraft {
namespace {

TEST(Compare, RegretBetweenPointsOfTheCurve) {
  ExperimentResult result = testing::made_result({});
  testing::add_policy(result, "ucb", "ucb", {{1.0, testing::always(120), 1.0}});
  const GridPoint& point = result.points[0];  // 60 after 500, 120 after 1,000
  EXPECT_DOUBLE_EQ(regret_after(result, point, 250).value, 30);
  EXPECT_DOUBLE_EQ(regret_after(result, point, 750).value, 90);
  EXPECT_DOUBLE_EQ(regret_after(result, point, 1000).value, 120);
  EXPECT_DOUBLE_EQ(growth(result, point).value, 1.0);
  EXPECT_EQ(growth(result, point).error, 0.0);
}

TEST(Compare, GrowthIsFromHalfOfTheRoundsWhateverThePoints) {
  ExperimentResult result = testing::made_result({});
  testing::add_policy(result, "ucb", "ucb", {{1.0, testing::always(120)}});
  result.curve_rounds = {100, 400, 600, 1000};
  std::vector<Summary> curve;
  for (const double mean : {10.0, 40.0, 60.0, 120.0}) curve.push_back({.mean = mean});
  result.points[0].curve = curve;  // 50 after 500
  EXPECT_DOUBLE_EQ(growth(result, result.points[0]).value, 70.0 / 50.0);
}

TEST(Compare, GrowthWithoutRegretInTheFirstHalf) {
  ExperimentResult result = testing::made_result({});
  testing::add_policy(result, "ucb", "ucb", {{1.0, testing::always(0)}});
  EXPECT_EQ(growth(result, result.points[0]).value, 0.0);
  result.points[0].curve[1].mean = 1.0;
  EXPECT_EQ(growth(result, result.points[0]).value, HUGE_VAL);
  EXPECT_EQ(growth(result, result.points[0]).error, 0.0);
}

TEST(Compare, GrowthHasTheLargestErrorThatTheCurveAllows) {
  ExperimentResult result = testing::made_result({});
  testing::add_policy(result, "ucb", "ucb", {{1.0, testing::around(150, 9)}});
  GridPoint& point = result.points[0];
  point.curve[0] = {.mean = 100, .sd = 0, .stderr_ = 2, .p95 = 0};
  point.curve[1] = {.mean = 150, .sd = 0, .stderr_ = 3, .p95 = 0};
  EXPECT_DOUBLE_EQ(growth(result, point).value, 0.5);
  // As if R(T) were too large by 3 where R(T/2) is too small by 2: 3 / 100 + 1.5 * 2 / 100.
  EXPECT_DOUBLE_EQ(growth(result, point).error, 0.06);
  EXPECT_DOUBLE_EQ(regret_after(result, point, 750).error, 2.5);
}

TEST(Compare, ExcessIsPairedRunByRun) {
  ExperimentResult result = testing::made_result({});
  testing::add_policy(result, "a", "ucb", {{1.0, {10, 20, 30, 40}}});
  testing::add_policy(result, "b", "up_ucb", {{1.0, {5, 10, 15, 21}}});
  // a - 2 b is 0, 0, 0, -2.
  EXPECT_DOUBLE_EQ(excess(result.points[0], result.points[1], 2.0).value, -0.5);
  EXPECT_DOUBLE_EQ(excess(result.points[0], result.points[1], 2.0).error, 0.5);
  EXPECT_DOUBLE_EQ(difference(result.points[0], result.points[1]).value, 12.25);
  EXPECT_DOUBLE_EQ(ratio(result.points[0], result.points[1]).value, 100.0 / 51.0);
}

TEST(Numbers, ThousandsApart) {
  EXPECT_EQ(grouped(0, 0), "0");
  EXPECT_EQ(grouped(999, 0), "999");
  EXPECT_EQ(grouped(1000, 0), "1,000");
  EXPECT_EQ(grouped(-1234567.891, 2), "-1,234,567.89");
  EXPECT_EQ(grouped(-0.001, 1), "0.0");
  EXPECT_EQ(grouped(-100, 0), "-100");
}

TEST(Numbers, SensibleDigits) {
  EXPECT_EQ(rounded(14231.4), "14,231");
  EXPECT_EQ(rounded(86.14), "86.1");
  EXPECT_EQ(rounded(0.08614), "0.0861");
  EXPECT_EQ(rounded(0), "0");
  EXPECT_EQ(with_error(14231.4, 4.56), "14,231 ± 5");
  EXPECT_EQ(with_error(861.4, 20.9), "861 ± 21");
  EXPECT_EQ(with_error(1.4912, 0.0456), "1.491 ± 0.046");
  EXPECT_EQ(percent(0.314), "31 %");
  EXPECT_EQ(percent(0.0314), "3.1 %");
}

TEST(LogSlope, IsThatOfThePowerOfTheRounds) {
  ExperimentResult result = testing::made_result({});
  testing::add_policy(result, "a", "ucb", {{1, testing::always(100)}});
  result.curve_rounds = {100, 400, 600, 800, 1000};
  GridPoint& point = result.points[0];
  point.curve.clear();
  for (const double rounds : result.curve_rounds) {
    Summary at;
    at.mean = rounds < 500 ? 1.0 : 3.0 * std::pow(rounds, 0.7);  // the first half does not count
    point.curve.push_back(at);
  }
  EXPECT_NEAR(log_slope(result, point).value(), 0.7, 1e-9);
  point.curve.back().mean = 0.0;
  EXPECT_FALSE(log_slope(result, point));
  result.curve_rounds = {1000};
  point.curve = {Summary{.mean = 2.0}};
  EXPECT_FALSE(log_slope(result, point)) << "one point has no slope";
}

}  // namespace
}  // namespace updraft
