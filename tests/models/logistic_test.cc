#include "models/logistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "updraft/stream.h"

namespace updraft {
namespace {

struct Sample {
  std::vector<double> rows;
  std::vector<double> outcomes;
  std::size_t features = 0;
};

/// Normal features and a constant 1; outcomes from a logistic model.
Sample made_sample(std::uint32_t count, std::size_t features) {
  const Stream stream(3, 0, Purpose::kTest);
  Sample sample{{}, {}, features};
  for (std::uint32_t i = 0; i < count; ++i) {
    double score = -0.5;
    for (std::size_t f = 0; f + 1 < features; ++f) {
      sample.rows.push_back(stream.normal(i, f));
      score += (f % 2 == 0 ? 1.0 : -0.7) * sample.rows.back();
    }
    sample.rows.push_back(1.0);
    sample.outcomes.push_back(stream.uniform(i, 100) < sigmoid(score) ? 1.0 : 0.0);
  }
  return sample;
}

double objective(const Sample& sample, std::span<const double> theta, double ridge) {
  double sum = 0.0;
  for (std::size_t i = 0; i < sample.outcomes.size(); ++i) {
    double score = 0.0;
    for (std::size_t f = 0; f < sample.features; ++f) {
      score += theta[f] * sample.rows[i * sample.features + f];
    }
    sum += sample.outcomes[i] * score - std::log1p(std::exp(score));
  }
  for (const double t : theta) sum -= 0.5 * ridge * t * t;
  return sum;
}

TEST(Sigmoid, DoesNotOverflow) {
  EXPECT_EQ(sigmoid(0.0), 0.5);
  EXPECT_EQ(sigmoid(1000.0), 1.0);
  EXPECT_EQ(sigmoid(-1000.0), 0.0);
  EXPECT_NEAR(sigmoid(2.0) + sigmoid(-2.0), 1.0, 1e-15);
}

TEST(FitLogistic, TheSlopeAtTheFitIsZero) {
  const Sample sample = made_sample(500, 4);
  const LogisticOptions options{.ridge = 0.7};
  const LogisticFit fit = fit_logistic(sample.rows, sample.outcomes, 4, options);
  EXPECT_TRUE(fit.converged);
  for (std::size_t f = 0; f < 4; ++f) {
    std::vector<double> above = fit.theta;
    std::vector<double> below = fit.theta;
    above[f] += 1e-4;
    below[f] -= 1e-4;
    const double slope = (objective(sample, above, 0.7) - objective(sample, below, 0.7)) / 2e-4;
    EXPECT_NEAR(slope, 0.0, 1e-4) << f;
    EXPECT_LT(objective(sample, above, 0.7), objective(sample, fit.theta, 0.7));
    EXPECT_LT(objective(sample, below, 0.7), objective(sample, fit.theta, 0.7));
  }
}

/// One constant feature: theta solves ones - n sigmoid(theta) = ridge theta; with next to no ridge
/// it is the log-odds.
TEST(FitLogistic, AnInterceptAloneIsTheLogOdds) {
  const std::vector<double> rows(8, 1.0);
  const std::vector<double> outcomes = {1, 1, 1, 1, 1, 1, 0, 0};
  const LogisticFit plain = fit_logistic(rows, outcomes, 1, {.ridge = 1e-12});
  EXPECT_NEAR(plain.theta[0], std::log(3.0), 1e-8);
  const LogisticFit ridged = fit_logistic(rows, outcomes, 1, {.ridge = 2.0});
  EXPECT_NEAR(6.0 - 8.0 * sigmoid(ridged.theta[0]), 2.0 * ridged.theta[0], 1e-6);
}

TEST(FitLogistic, SeparableOutcomesStayFinite) {
  const std::vector<double> rows = {-2, 1, -1, 1, 1, 1, 2, 1};
  const std::vector<double> outcomes = {0, 0, 1, 1};
  const LogisticFit fit = fit_logistic(rows, outcomes, 2, {.ridge = 0.01});
  EXPECT_TRUE(fit.converged);
  EXPECT_GT(fit.theta[0], 1.0);
  EXPECT_LT(fit.theta[0], 100.0);
  EXPECT_NEAR(fit.theta[1], 0.0, 1e-6);
}

TEST(FitLogistic, AWarmStartLeadsToTheSameTheta) {
  const Sample sample = made_sample(400, 3);
  const LogisticFit cold = fit_logistic(sample.rows, sample.outcomes, 3, {});
  const LogisticFit warm = fit_logistic(sample.rows, sample.outcomes, 3, {}, cold.theta);
  EXPECT_EQ(warm.steps, 0u);
  const LogisticFit far =
      fit_logistic(sample.rows, sample.outcomes, 3, {}, std::vector<double>{5.0, -5.0, 3.0});
  EXPECT_TRUE(far.converged);
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_NEAR(warm.theta[f], cold.theta[f], 1e-7);
    EXPECT_NEAR(far.theta[f], cold.theta[f], 1e-6);
  }
}

}  // namespace
}  // namespace updraft
