#include "stats/shrink_effects.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

namespace updraft {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// (9 + 9) / (1 + tau^2) = 1 for tau^2 = 17, and 1/2 more.
TEST(ShrinkEffects, PullsEstimatesToTheirMean) {
  VectorXd estimate = Vector2d(8.0, 2.0);
  MatrixXd covariance = MatrixXd::Identity(2, 2);
  shrink_effects(estimate, covariance);
  EXPECT_NEAR(estimate[0], 5.0 + 3.0 * (1.0 - 1.0 / 18.5), 1e-12);
  EXPECT_NEAR(estimate[1], 5.0 - 3.0 * (1.0 - 1.0 / 18.5), 1e-12);
  EXPECT_NEAR(covariance(0, 0), 1.0 - 1.0 / 18.5, 1e-12);
  EXPECT_NEAR(covariance(0, 1), 0.0, 1e-12);
}

TEST(ShrinkEffects, EstimatesThatChanceExplainsStayUncertain) {
  VectorXd estimate = Vector2d(0.5, -0.5);
  MatrixXd covariance = MatrixXd::Identity(2, 2);
  shrink_effects(estimate, covariance);
  EXPECT_NEAR(estimate[0], 0.5 / 3.0, 1e-12);  // tau^2 = 1/2
  EXPECT_NEAR(covariance(0, 0), 1.0 / 3.0, 1e-12);
}

TEST(ShrinkEffects, IsThePosteriorOfTheLearntPrior) {
  const Vector3d before(10.0, 1.0, -2.0);
  MatrixXd c(3, 3);
  c << 2.0, 0.5, 0.1, 0.5, 1.0, 0.2, 0.1, 0.2, 3.0;
  VectorXd estimate = before;
  MatrixXd covariance = c;
  shrink_effects(estimate, covariance);
  // What tau^2 and mu were follows from the result: covariance^-1 = C^-1 + I / tau^2.
  const MatrixXd prior = covariance.inverse() - c.inverse();
  const double tau2 = 1.0 / prior(0, 0);
  EXPECT_TRUE(prior.isApprox(MatrixXd::Identity(3, 3) / tau2, 1e-9));
  const double learnt = tau2 - 2.0 / 3.0;
  const VectorXd weight = (c.diagonal().array() + learnt).inverse();
  const double centre = weight.dot(before) / weight.sum();
  EXPECT_NEAR((weight.array() * (before.array() - centre).square()).sum(), 2.0, 1e-9);
  const VectorXd last = (c.diagonal().array() + tau2).inverse();
  const double mu = last.dot(before) / last.sum();
  const VectorXd expected = covariance * (c.inverse() * before + VectorXd::Constant(3, mu / tau2));
  EXPECT_TRUE(estimate.isApprox(expected, 1e-9));
}

TEST(ShrinkEffects, LeavesWhatIsCertainAlone) {
  VectorXd estimate = Vector3d(8.0, 0.0, 2.0);
  MatrixXd covariance = Vector3d(1.0, 0.0, 1.0).asDiagonal();
  shrink_effects(estimate, covariance);
  EXPECT_EQ(estimate[1], 0.0);
  EXPECT_EQ(covariance(1, 1), 0.0);
  EXPECT_NEAR(estimate[0], 5.0 + 3.0 * (1.0 - 1.0 / 18.5), 1e-12);
  VectorXd one = Vector2d(8.0, 0.0);
  MatrixXd only = Vector2d(1.0, 0.0).asDiagonal();
  shrink_effects(one, only);
  EXPECT_EQ(one[0], 8.0);
  EXPECT_EQ(only(0, 0), 1.0);
}

}  // namespace
}  // namespace updraft
