// The variances of the references that learn the noise, against numbers computed by hand.

#include "reference/noise_variances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "reference/plain_student.h"

namespace updraft::testing {

namespace {

void expect_near(const Vector& values, const Vector& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t j = 0; j < values.size(); ++j) {
    EXPECT_NEAR(static_cast<double>(values[j]), static_cast<double>(expected[j]), 1e-14) << j;
  }
}

TEST(UnitOfCounts, IsTheGreatestCommonDivisor) {
  EXPECT_EQ(unit_of_counts({{3.0L, 0.0L}, {6.0L, 9.0L}}), 3.0L);
  EXPECT_EQ(unit_of_counts({{0.5L}, {1.25L}, {3.0L}}), 0.25L);
  EXPECT_EQ(unit_of_counts({{6.0L}, {10.0L}, {15.0L}}), 1.0L);
  EXPECT_EQ(unit_of_counts({{std::ldexp(6.0L, 900)}, {std::ldexp(15.0L, 900)}}),
            std::ldexp(3.0L, 900));
  EXPECT_EQ(unit_of_counts({{0.0L, 0.0L}}), 1.0L);
}

TEST(UnitOfCounts, IsAbsentForOtherPayoffs) {
  EXPECT_EQ(unit_of_counts({{1.0L}, {-1.0L}}), std::nullopt);
  EXPECT_EQ(unit_of_counts({{1.0L}, {0.1}}), std::nullopt);
  EXPECT_EQ(unit_of_counts({{0.1}}), std::nullopt);  // its own unit, but an odd multiple of 2^-55
}

TEST(UnitOfCounts, OfNumbersThatAreLargeForTheirPowerOfTwo) {
  const Real limit = std::ldexp(1.0L, 32);
  EXPECT_EQ(unit_of_counts({{1.0L}, {limit}}), 1.0L);
  EXPECT_EQ(unit_of_counts({{1.0L}, {limit + 1.0L}}), std::nullopt);
  EXPECT_EQ(unit_of_counts({{6.0L}, {2.0L * limit - 4.0L}}), 2.0L);
  // 3 (2^32 + 1): the unit is odd, so the power of two is 1.
  EXPECT_EQ(unit_of_counts({{3.0L * (limit + 1.0L)}}), std::nullopt);
  EXPECT_EQ(unit_of_counts({{4.0L * 3.0L * (limit / 4.0L - 1.0L)}}), 3.0L * limit - 12.0L);
}

// n, mu, SS and m of a cell.
NoiseCell cell(Real rounds, Real centre, Real squares, Real dof) {
  return {rounds, centre, squares, dof};
}

NoiseAtom varying(std::size_t variables, Real largest_sum, std::vector<NoiseCell> cells) {
  return {variables, true, largest_sum, std::move(cells)};
}

TEST(LearnVariances, WithoutCountsCellsShareThePooledVariance) {
  // 12 / 9 and 2 / 4. Of atom 0, r is 15/16 and 3/2: Q = 4 / 256 + 1/2 / 4 is below D = 1.
  const NoiseVariances learnt =
      learn_variances({varying(1, 9.0L, {cell(9, 2.0L, 10.0L, 8), cell(2, 5.0L, 2.0L, 1)}),
                       varying(3, 9.0L, {cell(5, 1.0L, 2.0L, 4), cell(0, 0.0L, 0.0L, 0)})},
                      std::nullopt);
  EXPECT_EQ(learnt.own_share, 0.0L);
  expect_near(learnt.of[0], {12.0L / 9.0L, 12.0L / 9.0L});
  expect_near(learnt.of[1], {0.5L, 0.5L});
}

TEST(LearnVariances, CellsThatDifferBeyondChanceKeepPartOfTheirOwn) {
  // Own variances 1 and 100, pooled 50.5: r - 1 = -+ 99/101, b = 10, d = 1/2, so D = 1, B = 10.
  const NoiseVariances learnt = learn_variances(
      {varying(1, 9.0L, {cell(21, 2.0L, 20.0L, 20), cell(21, 5.0L, 2000.0L, 20)})}, std::nullopt);
  const Real tau2 =
      (20.0L * (99.0L / 101.0L) * (99.0L / 101.0L) - 1.0L - 2.0L * std::sqrt(2.0L)) / 10.0L;
  const Real q = 1.0L / (2.0L / tau2 + 4.0L);
  expect_near({learnt.own_share}, {q});
  expect_near(learnt.of[0], {(50.5L + q * 20.0L) / (1.0L + q * 20.0L),
                             (50.5L + q * 2000.0L) / (1.0L + q * 20.0L)});
}

TEST(LearnVariances, PayoffsOf0Or1HaveTheVarianceOfTheirRate) {
  // M = 2 and u = 1: p = 5/18 and 7/10, h = 65/162 and 21/50.
  const NoiseVariances learnt =
      learn_variances({varying(2, 2.0L, {cell(8, 0.5L, 4.0L, 7), cell(4, 1.5L, 1.0L, 3)})}, 1.0L);
  const Real phi = 5.0L / (7.0L * 65.0L / 162.0L + 3.0L * 0.42L);
  EXPECT_EQ(learnt.own_share, 0.0L);
  expect_near(learnt.of[0], {phi * 65.0L / 162.0L, phi * 0.42L});
}

TEST(LearnVariances, OtherCountsHaveTheVarianceOfTheirMean) {
  // A sum of 1.5 is above M u = 1: y = 4 and 6, h = 5/4 and 7/3.
  const NoiseVariances learnt =
      learn_variances({varying(2, 1.5L, {cell(4, 0.5L, 1.0L, 3), cell(3, 1.0L, 1.0L, 2)})}, 0.5L);
  const Real phi = 2.0L / (3.0L * 1.25L + 2.0L * 7.0L / 3.0L);
  EXPECT_EQ(learnt.own_share, 0.0L);
  expect_near(learnt.of[0], {phi * 1.25L, phi * 7.0L / 3.0L});
}

TEST(LearnVariances, DispersionsOfCountsAreMovedTowardsThatOfAll) {
  // Atom 0: h = 5/4 and 7/3 as above, in units of 1. Atom 1 never paid: p = 1/8, h = 7/64.
  NoiseAtom unpaid = varying(1, 0.0L, {cell(6, 0.0L, 0.0L, 5), cell(0, 0.0L, 0.0L, 0)});
  unpaid.varies = false;
  const NoiseVariances learnt = learn_variances(
      {varying(2, 3.0L, {cell(4, 1.0L, 4.0L, 3), cell(3, 2.0L, 4.0L, 2)}), unpaid}, 1.0L);
  const Real all = 8.0L / (3.0L * 1.25L + 2.0L * 7.0L / 3.0L);
  const Real h = 7.0L / 64.0L;
  const Real e = 2.0L * 5.0L / (2.0L + 1.0L / h);
  EXPECT_EQ(learnt.own_share, 0.0L);
  expect_near(learnt.of[0], {all * 1.25L, all * 7.0L / 3.0L});
  // Without rounds, p = 1/2.
  expect_near(learnt.of[1], {10.0L * all / (e + 10.0L) * h, 10.0L * all / (e + 10.0L) * 0.25L});
}

TEST(LearnVariances, AreZeroIfNothingVaries) {
  NoiseAtom constant = varying(1, 7.0L, {cell(3, 7.0L, 1e-30L, 2), cell(2, 7.0L, 0.0L, 1)});
  constant.varies = false;
  for (const std::optional<Real> unit : {std::optional<Real>(), std::optional<Real>(7.0L)}) {
    const NoiseVariances learnt = learn_variances({constant}, unit);
    EXPECT_EQ(learnt.of[0], (Vector{0.0L, 0.0L}));
    EXPECT_EQ(learnt.own_share, 0.0L);
  }
}

TEST(PlainStudent, Has95PercentWithinTheQuantilesOfTables) {
  const std::pair<std::uint64_t, double> table[] = {
      {1, 12.706204736174705}, {2, 4.302652729749464},  {3, 3.1824463052837095},
      {4, 2.7764451051977943}, {5, 2.5705818356363155}, {30, 2.042272456301238}};
  for (const auto& [dof, quantile] : table) {
    EXPECT_NEAR(static_cast<double>(student_reach(0.95L, dof)), quantile, 1e-13) << dof;
  }
}

}  // namespace

}  // namespace updraft::testing
