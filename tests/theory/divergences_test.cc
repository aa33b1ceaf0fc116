// How far an action's law is from one under which it would be the best.

#include "theory/divergences.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace updraft {
namespace {

using Covariance = GaussianNoise::Covariance;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Effect> moved(VariableId begin, VariableId end, double mean) {
  const std::array range = {VariableRange{begin, end}};
  return {{VariableSet::from_ranges(range), {mean}}};
}

/// Four variables; the first action is the best; the second moves two, the third none.
std::vector<double> divergences(const Noise& noise, double best = 0.8, double second = 0.3) {
  InstanceDefinition definition;
  definition.action_names = {"best", "second", "none"};
  definition.variables = {{4, 0.2}};
  definition.effects = {moved(3, 4, best), moved(0, 2, second), {}};
  definition.noise = noise;
  return least_divergences(Instance(definition));
}

GaussianNoise gaussian(Covariance covariance, double variance, double factor = 0.0) {
  GaussianNoise noise;
  noise.covariance = covariance;
  noise.variance = variance;
  noise.factor = factor;
  return noise;
}

TEST(Divergences, OfIndependentNoiseAreLinearInTheAffected) {
  // Uplifts .6, .2, 0: gaps .4 and .6. Variance of the sum of two: 2 * .5 = 1.
  const std::vector<double> found = divergences(gaussian(Covariance::kIdentity, 0.5));
  EXPECT_EQ(found[0], 0.0);
  EXPECT_NEAR(found[1], 0.4 * 0.4 / 2.0, 1e-15);
  EXPECT_EQ(found[2], kInfinity);  // it moves nothing, whatever its law
}

TEST(Divergences, OfSharedNoiseAreThoseOfTheWorstCase) {
  const std::vector<double> found = divergences(gaussian(Covariance::kSharedByAffected, 0.5));
  EXPECT_NEAR(found[1], 0.4 * 0.4 / (2.0 * 0.5 * 4.0), 1e-15);  // variance L^2 / 2
}

/// Equally correlated noise by its formula, and as a matrix.
TEST(Divergences, OfAMatrixAgreeWithTheFormula) {
  for (const double factor : {0.0, 0.3, 0.9, 1.0}) {
    GaussianNoise matrix = gaussian(Covariance::kMatrix, 0.5);
    matrix.matrix.assign(16, factor);
    for (std::size_t i = 0; i < 4; ++i) matrix.matrix[5 * i] = 1.0;
    const double expected = divergences(gaussian(Covariance::kFactor, 0.5, factor))[1];
    const double found = divergences(matrix)[1];
    if (factor == 1.0) {
      EXPECT_EQ(expected, kInfinity);  // the others tell the noise exactly
      EXPECT_EQ(found, kInfinity);
    } else {
      EXPECT_NEAR(found, expected, 1e-12 * expected) << factor;
    }
  }
  // By hand: factor .3, V = {0, 1}: S_VV sums to 2.6, S_CV 1 = (.6, .6), S_CC^-1 of that .6 / 1.3
  // each: 2.6 - 2 * .36 / 1.3 = 2.046..., times .5.
  const double variance = 0.5 * (2.6 - 0.72 / 1.3);
  EXPECT_NEAR(divergences(gaussian(Covariance::kFactor, 0.5, 0.3))[1], 0.4 * 0.4 / (2.0 * variance),
              1e-15);
}

/// Nothing is left to tell the noise: that of the sum of all four.
TEST(Divergences, OfAnActionThatMovesEverything) {
  InstanceDefinition definition;
  definition.action_names = {"best", "everything"};
  definition.variables = {{4, 0.2}};
  definition.effects = {moved(3, 4, 0.8), moved(0, 4, 0.3)};  // uplifts .6 and .4
  definition.noise = gaussian(Covariance::kFactor, 0.5, 0.3);
  const double variance = 0.5 * (4.0 + 12.0 * 0.3);
  EXPECT_NEAR(least_divergences(Instance(definition))[1], 0.2 * 0.2 / (2.0 * variance), 1e-15);
}

double kl(double p, double q) {
  return p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
}

TEST(Divergences, OfPayoffsOfZeroAndOneAreTheLeast) {
  // Both variables have mean .3 and must gain .2 each.
  EXPECT_NEAR(divergences(BernoulliNoise{})[1], 2.0 * kl(0.3, 0.5), 1e-12);

  // Means .1 and .6 on two variables that must gain .5 together: a grid finds nothing smaller.
  InstanceDefinition definition;
  definition.action_names = {"best", "second"};
  definition.variables = {{3, 0.2}};
  Effect effect = moved(0, 2, 0.0)[0];
  effect.means = {0.1, 0.6};
  definition.effects = {moved(2, 3, 1.0), {effect}};  // uplifts .8 and .3
  definition.noise = BernoulliNoise{};
  double least = kInfinity;
  for (double gain = 0.11; gain < 0.49; gain += 1e-5) {
    least = std::min(least, kl(0.1, 0.1 + gain) + kl(0.6, 0.6 + 0.5 - gain));
  }
  const double found = least_divergences(Instance(definition))[1];
  EXPECT_NEAR(found, least, 1e-8);
  EXPECT_LE(found, least + 1e-12);
}

TEST(Divergences, OfPayoffsOfZeroAndOneAreInfiniteIfTheyCannotRiseEnough) {
  // One variable at .9 has room for .1 only.
  InstanceDefinition definition;
  definition.action_names = {"best", "second"};
  definition.variables = {{5, 0.1}};
  definition.effects = {moved(0, 4, 0.9), moved(4, 5, 0.9)};
  definition.noise = BernoulliNoise{};
  EXPECT_EQ(least_divergences(Instance(definition))[1], kInfinity);
}

}  // namespace
}  // namespace updraft
