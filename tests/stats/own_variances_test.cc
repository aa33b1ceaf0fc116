#include "stats/own_variances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "updraft/stream.h"

namespace updraft {
namespace {

using Eigen::VectorXd;

/// Two actions in turn; action 0 affects variables 0..size-1, action 1 nothing.
struct Example {
  explicit Example(std::size_t size)
      : sets(
            {VariableSet::from_ranges(std::vector{VariableRange{0, static_cast<VariableId>(size)}}),
             VariableSet::from_ids(std::vector<VariableId>{})},
            size + 1),
        moments(2, 2),
        counts(2),
        pulls(2, 0) {}

  void add(ActionId action, double affected, double other) {
    const std::vector<double> sums = {affected, other};
    moments.add(action, ++pulls[action], sums);
    counts.add(sums);
  }

  OwnVariances variances(bool varies = true) const {
    VectorXd centre = moments.means().col(1);
    const auto n0 = static_cast<double>(pulls[0]);
    const auto n1 = static_cast<double>(pulls[1]);
    centre[1] = (n0 * moments.means()(1, 0) + n1 * moments.means()(1, 1)) / (n0 + n1);
    return own_variances({.moments = &moments, .pulls = pulls, .sets = &sets, .centre = &centre},
                         counts, Varies::Constant(2, varies));
  }

  AffectedSets sets;
  AtomMoments moments;
  CountUnit counts;
  std::vector<std::uint64_t> pulls;
};

/// Atom 0 with standard deviation `own` under action 0 and 1 otherwise.
Example normal_rounds(std::uint32_t rounds, double own) {
  const Stream stream(17, 0, Purpose::kTest);
  Example example(1);
  for (std::uint32_t t = 0; t < rounds; ++t) {
    const double sd = t % 2 == 0 ? own : 1.0;
    example.add(t % 2, sd * stream.normal(t, 0) - 5.0, stream.normal(t, 1));
  }
  return example;
}

TEST(OwnVariances, EqualOnesArePooled) {
  for (const std::uint32_t rounds : {10u, 100u, 10000u}) {
    const OwnVariances variances = normal_rounds(rounds, 1.0).variances();
    EXPECT_EQ(variances.trust, 0.0) << rounds;
    EXPECT_EQ(variances.own(0, 0), variances.base[0]);
    EXPECT_NEAR(variances.base[0], 1.0, 6.0 * std::sqrt(2.0 / rounds));
  }
}

TEST(OwnVariances, DifferentOnesAreFoundWithEnoughRounds) {
  EXPECT_EQ(normal_rounds(6, 3.0).variances().trust, 0.0);
  const OwnVariances variances = normal_rounds(2000, 3.0).variances();
  EXPECT_GT(variances.trust, 0.0);
  EXPECT_LE(variances.trust, 0.25);
  // 6 standard deviations of a variance from 1,000 rounds.
  EXPECT_NEAR(variances.own(0, 0) / 9.0, 1.0, 6.0 * std::sqrt(2.0 / 1000.0));
  EXPECT_NEAR(variances.base[0], 1.0, 6.0 * std::sqrt(2.0 / 1000.0));
}

TEST(OwnVariances, AreNoneForAtomsTheActionLeavesAlone) {
  const OwnVariances variances = normal_rounds(100, 3.0).variances();
  EXPECT_EQ(variances.own(1, 0), 0.0);
  EXPECT_EQ(variances.own(0, 1), 0.0);
  EXPECT_EQ(variances.own(1, 1), 0.0);
}

TEST(OwnVariances, AreNoneWhereNothingVaries) {
  Example example(1);
  for (int t = 0; t < 10; ++t) example.add(t % 2, -1.0, 2.0);
  const OwnVariances variances = example.variances(false);
  EXPECT_EQ(variances.base, VectorXd::Zero(2));
  EXPECT_EQ(variances.own.maxCoeff(), 0.0);
}

/// By hand: atom 0 (1 variable) has the cells {-1, 1} (action 0) and {-2, 0, 2} (left alone).
TEST(OwnVariances, PoolSquaresOverDegreesOfFreedom) {
  Example example(1);
  example.add(0, -1.0, 0.0);
  example.add(0, 1.0, 0.0);
  for (const double value : {-2.0, 0.0, 2.0}) example.add(1, value, 0.0);
  const OwnVariances variances = example.variances();
  EXPECT_DOUBLE_EQ(variances.base[0], (2.0 + 8.0) / (1.0 + 2.0));
  EXPECT_DOUBLE_EQ(variances.own(0, 0), variances.base[0]);
}

/// By hand, with counts beyond the one variable of atom 0, and of atom 1, which no action affects.
TEST(OwnVariances, FollowTheMeanOfCounts) {
  Example example(1);
  example.add(0, 30.0, 1.0);
  for (const double value : {8.0, 10.0, 12.0}) example.add(1, value, 3.0);
  const OwnVariances variances = example.variances();
  const double base = 31.0 / 3.0;  // (30 counts + 1) / 3 rounds
  const double expected = 2.0 * base;
  const double degrees = 2.0 * expected * expected / (2.0 * base * base * (2.0 + 1.0 / base));
  const double other = 11.0 / 4.0;  // atom 1: 10 counts in 4 rounds; squares 3 with 3 degrees
  const double all = (8.0 + 3.0) / (expected + 3.0 * other);
  const double phi = (degrees * 8.0 / expected + 10.0 * all) / (degrees + 10.0);
  EXPECT_EQ(variances.trust, 0.0);
  EXPECT_DOUBLE_EQ(variances.base[0], phi * base);
  EXPECT_DOUBLE_EQ(variances.own(0, 0), phi * 31.0);
}

/// A cluster of 1,000 customers that never pays untreated: a variance all the same, and of the
/// size of the mean under the action from its first round on.
TEST(OwnVariances, OfACellThatHasNotPaidYet) {
  Example example(1000);
  example.add(0, 28.0, 1.0);
  for (int t = 0; t < 300; ++t) example.add(1, 0.0, t % 2);
  const OwnVariances variances = example.variances();
  EXPECT_GT(variances.base[0], 0.0);
  EXPECT_LT(variances.base[0], 0.01);
  EXPECT_GT(variances.own(0, 0), 15.0);
  EXPECT_LT(variances.own(0, 0), 60.0);
}

/// A rate of 1 % that an action triples, seen once under it.
TEST(OwnVariances, OfARareEventThatHasBeenSeenOnce) {
  Example example(500);
  const Stream stream(19, 0, Purpose::kTest);
  std::uint32_t round = 0;
  const auto count = [&](double rate) {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < 500; ++i) sum += stream.uniform(round, i) < rate;
    ++round;
    return sum;
  };
  example.add(0, 15.0, 0.0);
  for (int t = 0; t < 200; ++t) example.add(1, count(0.01), t % 2);
  const OwnVariances variances = example.variances();
  // 200 rounds tell a variance of 5 with a standard deviation of 0.5.
  EXPECT_NEAR(variances.base[0], 4.95, 3.0);
  EXPECT_NEAR(variances.own(0, 0) / variances.base[0], 16.0 / 5.0, 0.5);
}

}  // namespace
}  // namespace updraft
