#include "models/treatment_model.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "models/logistic.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kFeatures = 5;
const Stream kStream(8, 0, Purpose::kTest);

/// Features, and a payoff of 0 or 1 that depends on them.
std::vector<double> row_of(std::uint32_t number) {
  std::vector<double> row(kFeatures);
  kStream.uniforms(number, 0, row);
  row.back() = 1.0;
  return row;
}
double payoff_of(std::uint32_t number) {
  const std::vector<double> row = row_of(number);
  return kStream.uniform(number, 100) < sigmoid(2.0 * row[0] - 1.5 * row[1]) ? 1.0 : 0.0;
}

/// The theta of all rows so far, by the one-off fit.
std::vector<double> fitted(std::uint32_t rows, double lambda) {
  std::vector<double> all;
  std::vector<double> payoffs;
  for (std::uint32_t r = 0; r < rows; ++r) {
    const std::vector<double> row = row_of(r);
    all.insert(all.end(), row.begin(), row.end());
    payoffs.push_back(payoff_of(r));
  }
  return fit_logistic(all, payoffs, kFeatures, {.ridge = lambda, .tolerance = 1e-12}).theta;
}

TEST(LinearModel, IsRidgeRegressionAfterAMillionRows) {
  const auto model = make_linear_model(kFeatures, 2.0);
  // Sums in long double, factorised freshly at the end.
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> v =
      2.0L * Eigen::Matrix<long double, kFeatures, kFeatures>::Identity();
  Eigen::Matrix<long double, Eigen::Dynamic, 1> b =
      Eigen::Matrix<long double, kFeatures, 1>::Zero();
  for (std::uint32_t r = 0; r < 1000000; ++r) {
    const std::vector<double> row = row_of(r % 5003);
    const double payoff = payoff_of(r % 5003) + 1e-3 * static_cast<double>(r % 7);
    model->add(row, payoff);
    if (r % 1000 == 0) model->update();
    const auto x = Eigen::Map<const VectorXd>(row.data(), kFeatures).cast<long double>().eval();
    v += x * x.transpose();
    b += static_cast<long double>(payoff) * x;
  }
  model->update();
  const auto theta = v.llt().solve(b).eval();
  for (std::size_t f = 0; f < kFeatures; ++f) {
    EXPECT_NEAR(model->theta()[f], static_cast<double>(theta[static_cast<Eigen::Index>(f)]), 1e-9);
  }
  const std::vector<double> row = row_of(77);
  const auto x = Eigen::Map<const VectorXd>(row.data(), kFeatures).cast<long double>().eval();
  std::vector<double> mean(1);
  std::vector<double> width(1);
  model->predict(row, mean, width);
  const double expected = static_cast<double>(std::sqrt(x.dot(v.llt().solve(x))));
  EXPECT_NEAR(width[0], expected, 1e-9 * expected);
  EXPECT_NEAR(mean[0], static_cast<double>(theta.dot(x)), 1e-9);
}

TEST(ExactLogistic, IsTheOneOffFitWheneverUpdated) {
  const auto model = make_logistic_model(kFeatures, 1.0, LogisticRefit::kExact);
  for (std::uint32_t r = 0; r < 3000; ++r) {
    model->add(row_of(r), payoff_of(r));
    if ((r + 1) % 100 != 0 && r != 0 && r != 2) continue;
    model->update();
    const std::vector<double> expected = fitted(r + 1, 1.0);
    for (std::size_t f = 0; f < kFeatures; ++f) {
      // The curvature is at least lambda = 1, so theta is as close as the gradient is to 0.
      ASSERT_NEAR(model->theta()[f], expected[f], 2e-6) << "after " << r + 1 << " rows";
    }
  }
}

TEST(ExactLogistic, SurvivesRowsThatContradictAllBefore) {
  const auto model = make_logistic_model(1, 1e-3, LogisticRefit::kExact);
  std::vector<double> rows;
  std::vector<double> payoffs;
  for (int r = 0; r < 4000; ++r) {
    const double x = r < 2000 ? 30.0 : 29.0;
    const double payoff = r < 2000 ? 1.0 : 0.0;
    model->add({&x, 1}, payoff);
    rows.push_back(x);
    payoffs.push_back(payoff);
    if (r % 500 == 499) model->update();
  }
  const auto expected = fit_logistic(rows, payoffs, 1, {.ridge = 1e-3, .tolerance = 1e-12});
  EXPECT_NEAR(model->theta()[0], expected.theta[0], 1e-5);  // the curvature is large here
}

TEST(OnlineLogistic, ComesCloseToTheExactFit) {
  const auto model = make_logistic_model(kFeatures, 1.0, LogisticRefit::kOnline);
  for (std::uint32_t r = 0; r < 5000; ++r) {
    model->add(row_of(r), payoff_of(r));
    if (r % 20 == 19) model->update();
  }
  model->update();
  const std::vector<double> expected = fitted(5000, 1.0);
  for (std::size_t f = 0; f < kFeatures; ++f) EXPECT_NEAR(model->theta()[f], expected[f], 0.1);
}

TEST(LogisticModels, PredictProbabilities) {
  const auto model = make_logistic_model(kFeatures, 1.0, LogisticRefit::kExact);
  for (std::uint32_t r = 0; r < 200; ++r) model->add(row_of(r), payoff_of(r));
  model->update();
  const std::vector<double> row = row_of(9);
  std::vector<double> mean(1);
  std::vector<double> width(1);
  model->predict(row, mean, width);
  double score = 0.0;
  for (std::size_t f = 0; f < kFeatures; ++f) score += model->theta()[f] * row[f];
  EXPECT_NEAR(mean[0], sigmoid(score), 1e-15);
  EXPECT_GT(width[0], 0.0);
}

}  // namespace
}  // namespace updraft
