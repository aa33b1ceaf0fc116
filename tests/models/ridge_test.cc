#include "models/ridge.h"

#include <gtest/gtest.h>

#include <vector>

namespace updraft {
namespace {

TEST(FitRidge, FindsAnExactLine) {
  const std::vector<double> rows = {0, 1, 1, 1, 2, 1, 5, 1};
  const std::vector<double> outcomes = {3, 5, 7, 13};
  const std::vector<double> theta = fit_ridge(rows, outcomes, 2, 1e-10);
  EXPECT_NEAR(theta[0], 2.0, 1e-8);
  EXPECT_NEAR(theta[1], 3.0, 1e-8);
}

/// One feature: theta = sum xy / (sum x^2 + ridge) = 14 / (14 + 6).
TEST(FitRidge, ShrinksByTheRidge) {
  const std::vector<double> rows = {1, 2, 3};
  EXPECT_NEAR(fit_ridge(rows, rows, 1, 6.0)[0], 0.7, 1e-12);
}

TEST(FitRidge, EqualColumnsShareTheirWeight) {
  const std::vector<double> rows = {1, 1, 2, 2, 3, 3};
  const std::vector<double> outcomes = {2, 4, 6};
  const std::vector<double> theta = fit_ridge(rows, outcomes, 2, 1e-6);
  EXPECT_NEAR(theta[0], 1.0, 1e-5);
  EXPECT_NEAR(theta[1], 1.0, 1e-5);
}

}  // namespace
}  // namespace updraft
