// The references of the targeting policies, and the fits they stand on, against numbers worked out
// on paper.

#include "reference/targeting_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace updraft::testing {
namespace {

Rows alike(std::size_t count, Real x, Real y, std::size_t observation) {
  return Rows(count, Row{.x = {x}, .y = y, .observation = observation});
}

// x = (1, 0) twice and (1, 1) once, payoffs 1, 2 and 4, lambda = 1: V = (4 1; 1 2), moment (7, 4),
// V^-1 = (2 -1; -1 4) / 7.
TEST(PlainRegression, Ridge) {
  const Rows rows = {{{1.0L, 0.0L}, 1.0L, 0}, {{1.0L, 0.0L}, 2.0L, 0}, {{1.0L, 1.0L}, 4.0L, 1}};
  const Vector theta = ridge_fit(rows, 1.0L, 2);
  EXPECT_NEAR(static_cast<double>(theta[0]), 10.0 / 7.0, 1e-15);
  EXPECT_NEAR(static_cast<double>(theta[1]), 9.0 / 7.0, 1e-15);
}

// n rows with x = y = 1: n (1 - sigmoid(theta)) = lambda theta, which is so for theta = log 3 and
// lambda = n / (4 log 3).
TEST(PlainRegression, LogisticMaximum) {
  const Real lambda = 8.0L / (4.0L * std::log(3.0L));
  const Vector theta = logistic_fit(alike(8, 1.0L, 1.0L, 0), lambda, 1);
  EXPECT_NEAR(static_cast<double>(theta[0]), std::log(3.0), 1e-14);
}

TEST(PlainRegression, LogisticMaximumWithLargeFeaturesAndASmallRidge) {
  Rows rows = alike(1, 1e-3L, 1.0L, 0);
  for (const Row& row : alike(1000, 30.0L, 0.0L, 0)) rows.push_back(row);
  const Vector theta = logistic_fit(rows, 1e-3L, 1);
  const Real p = sigmoid(30.0L * theta[0]);
  const Real gradient =
      -30.0L * 1000.0L * p + 1e-3L * (1.0L - sigmoid(1e-3L * theta[0])) - 1e-3L * theta[0];
  EXPECT_NEAR(static_cast<double>(gradient), 0.0, 1e-12);
}

// Four rows with x = y = 1, lambda = 1: from 0, p = 1/2, g = 2, H = 1 + 4/4 = 2, theta = 1. Then
// one with y = 0: p = sigmoid(1), theta = 1 - p / (2 + p (1 - p)).
TEST(PlainRegression, OnlineSteps) {
  Rows rows = alike(4, 1.0L, 1.0L, 0);
  EXPECT_NEAR(static_cast<double>(online_logistic_fit(rows, 1.0L, 1)[0]), 1.0, 1e-15);
  rows.push_back({{1.0L}, 0.0L, 1});
  const double p = 1.0 / (1.0 + std::exp(-1.0));
  EXPECT_NEAR(static_cast<double>(online_logistic_fit(rows, 1.0L, 1)[0]),
              1.0 - p / (2.0 + p * (1.0 - p)), 1e-15);
}

// One treatment, one feature, budget 2 and so lambda = 2, B = 2. A log of four rows, three of them
// treated, all with x = 0 and so without information; a pool of three. c2_up_ucb has two ellipsoids
// and 4 + 3 rows, the others one, and 3 treated rows and the budget.
TEST(TargetingReference, BetaOfTheTheorem) {
  const auto widths = [](const char* name) {
    PolicySpec spec = PolicySpec::parse(std::string(name) + "(delta=0.1, bound=2)");
    TargetingReference reference(spec, {.features = 1, .treatments = 1, .budget = 2});
    const std::vector<double> nothing(4, 0.0);
    const std::vector<Treatment> had = {1, 0, 1, 1};
    reference.observe({.features = nothing, .width = 1}, had, nothing);
    reference.offer();
    const std::vector<double> x = {1.0, 0.5, -1.0};
    return static_cast<double>(reference.interval_widths({.features = x, .width = 1}));
  };
  const double ridge = 2.0 * std::sqrt(2.0);
  EXPECT_NEAR(widths("c2_up_ucb"), ridge + std::sqrt(2.0 * std::log(20.0) + std::log(4.5)), 1e-14);
  EXPECT_NEAR(widths("c2_up_ucb_bl"), ridge + std::sqrt(2.0 * std::log(10.0) + std::log(3.5)),
              1e-14);
  EXPECT_NEAR(widths("c2_ucb"), ridge + std::sqrt(2.0 * std::log(10.0) + std::log(3.5)), 1e-14);
}

TEST(TargetingReference, LowestIdAndTreatmentAmongEquals) {
  const Matrix indices = {{0.0L, -1.0L}, {2.0L, 2.0L}, {1.0L, 3.0L}, {2.0L, 1.0L}, {-1.0L, 0.0L}};
  const TargetingShape shape{.features = 1, .treatments = 2, .budget = 2};
  const TargetingReference reference(PolicySpec::parse("greedy"), shape);
  EXPECT_EQ(reference.chosen(indices, 2), (std::vector<Treatment>{0, 1, 2, 0, 0}));
  EXPECT_EQ(reference.chosen(indices, 4), (std::vector<Treatment>{0, 1, 2, 1, 0}));
  const TargetingReference filling(PolicySpec::parse("greedy(fill=yes)"), shape);
  EXPECT_EQ(filling.chosen(indices, 4), (std::vector<Treatment>{1, 1, 2, 1, 0}));
}

}  // namespace
}  // namespace updraft::testing
