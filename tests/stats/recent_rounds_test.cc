#include "stats/recent_rounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "stats/atom_moments.h"
#include "support/statistics.h"
#include "updraft/state_io.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using Eigen::VectorXd;

/// Rounds of two atoms, the first of which has another mean from round `change` on.
std::vector<VectorXd> rounds(std::uint32_t run, std::uint32_t count, std::uint32_t change,
                             double by) {
  const Stream stream(3, run, Purpose::kTest);
  std::vector<VectorXd> out;
  for (std::uint32_t round = 0; round < count; ++round) {
    VectorXd x(2);
    x << 5.0 + stream.normal(round, 0) + (round >= change ? by : 0.0), stream.normal(round, 1);
    out.push_back(x);
  }
  return out;
}

Contrast first_atom() {
  return {.weights = VectorXd::Unit(2, 0), .sd = 1.0, .degrees = 1e9, .jump = 0.0};
}

VectorXd mean_of(const std::vector<VectorXd>& x, std::size_t begin, std::size_t end) {
  VectorXd sum = VectorXd::Zero(2);
  for (std::size_t j = begin; j < end; ++j) sum += x[j];
  return sum / static_cast<double>(end - begin);
}

/// Every split that is offered has the means of the rounds themselves, and together the splits
/// reach from kLeast rounds to nearly all.
TEST(RecentRounds, SplitsHaveTheMeansOfTheirRounds) {
  const std::vector<VectorXd> x = rounds(0, 500, 500, 0.0);
  RecentRounds recent(2, 2);
  std::uint64_t last_first = 0;
  for (std::size_t j = 0; j < x.size(); ++j) recent.add(1, j + 1, {x[j].data(), 2}, 0.0);
  std::size_t splits = 0;
  for (std::uint64_t first = 1; first <= x.size(); ++first) {
    const auto split = recent.split_at(1, first);
    if (!split) continue;
    EXPECT_GE(split->first, first);
    splits += split->first != last_first ? 1 : 0;
    last_first = split->first;
    const std::size_t begin = split->first - 1;
    EXPECT_EQ(split->old_rounds, begin);
    EXPECT_EQ(split->new_rounds, x.size() - begin);
    EXPECT_LT((split->old_mean - mean_of(x, 0, begin)).norm(), 1e-12);
    EXPECT_LT((split->new_mean - mean_of(x, begin, x.size())).norm(), 1e-12);
  }
  EXPECT_GE(splits, 18u);
  EXPECT_LE(splits, 32u);
  EXPECT_FALSE(recent.split_at(0, 1));
  EXPECT_EQ(recent.last(1), 500u);
  EXPECT_EQ(recent.last(0), 0u);
}

TEST(RecentRounds, FindsAChangeWhereItIs) {
  const std::vector<VectorXd> x = rounds(1, 300, 200, 2.0);
  RecentRounds recent(1, 2);
  std::optional<Split> found;
  std::size_t at = 0;
  for (; at < x.size() && !found; ++at) {
    recent.add(0, at + 1, {x[at].data(), 2}, 0.0);
    found = recent.find(0, first_atom(), 12.0);
  }
  ASSERT_TRUE(found);
  EXPECT_GT(at, 203u);
  EXPECT_LT(at, 225u);
  EXPECT_NEAR(static_cast<double>(found->first), 201.0, 4.0);
  EXPECT_NEAR(found->difference, 2.0, 1.5);
  EXPECT_NEAR(found->difference, (found->new_mean - found->old_mean)[0], 1e-12);
}

/// A split has an exponent beyond 27 with probability 2e-12, and 20 runs of 1,000 rounds have fewer
/// than 500,000 of them: rejection level 1e-6.
TEST(RecentRounds, FindsNothingWhereNothingChanges) {
  for (std::uint32_t run = 0; run < 20; ++run) {
    const std::vector<VectorXd> x = rounds(10 + run, 1000, 1000, 0.0);
    RecentRounds recent(1, 2);
    for (std::size_t j = 0; j < x.size(); ++j) {
      recent.add(0, j + 1, {x[j].data(), 2}, 0.0);
      ASSERT_FALSE(recent.find(0, first_atom(), 27.0)) << run << ", round " << j;
    }
  }
}

TEST(RecentRounds, FewDegreesAndJumpsMakeItCareful) {
  const std::vector<VectorXd> x = rounds(1, 212, 200, 2.0);
  RecentRounds recent(1, 2);
  for (std::size_t j = 0; j < x.size(); ++j) recent.add(0, j + 1, {x[j].data(), 2}, 0.0);
  EXPECT_TRUE(recent.find(0, first_atom(), 12.0));
  Contrast few = first_atom();
  few.degrees = 3.0;
  EXPECT_FALSE(recent.find(0, few, 12.0));
  Contrast jumps = first_atom();
  jumps.jump = 20.0;
  EXPECT_FALSE(recent.find(0, jumps, 12.0));
}

TEST(RecentRounds, WhatIsBeyondIsNotCounted) {
  RecentRounds wild(1, 1);
  RecentRounds clipped(1, 1);
  const Contrast contrast = {.weights = VectorXd::Ones(1), .sd = 1.0, .degrees = 1e9, .jump = 0.0};
  for (std::uint64_t round = 1; round <= 20; ++round) {
    const double x = round <= 16 ? 0.0 : 50.0;
    wild.add(0, round, {&x, 1}, 0.0);
    clipped.add(0, round, {&x, 1}, x == 0.0 ? 0.0 : 50.0 - 1.0);
  }
  EXPECT_TRUE(wild.find(0, contrast, 12.0));
  EXPECT_FALSE(clipped.find(0, contrast, 12.0));
}

TEST(RecentRounds, ForgettingKeepsTheNewPart) {
  const std::vector<VectorXd> x = rounds(1, 230, 200, 3.0);
  RecentRounds recent(1, 2);
  for (std::size_t j = 0; j < 210; ++j) recent.add(0, j + 1, {x[j].data(), 2}, 0.0);
  const auto split = recent.find(0, first_atom(), 12.0);
  ASSERT_TRUE(split);
  EXPECT_FALSE(recent.recent(0));
  recent.forget(0, *split, /*keep_mean=*/false);
  ASSERT_TRUE(recent.recent(0));
  for (std::size_t j = 210; j < 230; ++j) recent.add(0, j + 1, {x[j].data(), 2}, 0.0);
  EXPECT_EQ(recent.rounds(0), 230u - (split->first - 1));
  EXPECT_LT((recent.mean(0) - mean_of(x, split->first - 1, 230)).norm(), 1e-12);
  EXPECT_FALSE(recent.find(0, first_atom(), 12.0));
}

TEST(RecentRounds, IsSavedWhole) {
  const std::vector<VectorXd> x = rounds(1, 230, 200, 3.0);
  RecentRounds recent(2, 2);
  for (std::size_t j = 0; j < 210; ++j) recent.add(1, j + 1, {x[j].data(), 2}, 0.25);
  recent.forget(1, *recent.split_at(1, 190), /*keep_mean=*/false);
  StateWriter writer;
  recent.write(writer);
  RecentRounds restored(2, 2);
  StateReader reader(writer.bytes());
  restored.read(reader);
  reader.finish();
  for (RecentRounds* one : {&recent, &restored}) {
    for (std::size_t j = 210; j < 230; ++j) one->add(1, j + 1, {x[j].data(), 2}, 0.0);
  }
  StateWriter first;
  StateWriter second;
  recent.write(first);
  restored.write(second);
  EXPECT_EQ(first.bytes(), second.bytes());
}

/// After a separation the affected atom has the mean of the new part, the others that of all
/// rounds, and the scatter is that within the parts, up to the share 1 / n of a round by which the
/// weights of atoms with different counts differ.
TEST(AtomMoments, SeparatesWhatCameBeforeAChange) {
  const std::vector<VectorXd> x = rounds(4, 400, 300, 20.0);
  RecentRounds recent(1, 2);
  AtomMoments moments(1, 2);
  for (std::size_t j = 0; j < 310; ++j) {
    recent.add(0, j + 1, {x[j].data(), 2}, 0.0);
    moments.add(0, j + 1, {x[j].data(), 2});
  }
  Split split = *recent.find(0, first_atom(), 12.0);
  ASSERT_EQ(split.first, 301u);
  const GroupId affected[] = {0};
  moments.separate(0, 310, affected, split);
  for (std::size_t j = 310; j < 400; ++j) moments.add(0, j + 1, {x[j].data(), 2});
  EXPECT_NEAR(moments.means()(0, 0), mean_of(x, 300, 400)[0], 1e-12);
  EXPECT_NEAR(moments.means()(1, 0), mean_of(x, 0, 400)[1], 1e-12);
  Eigen::Matrix2d within = Eigen::Matrix2d::Zero();
  for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 300}, {300, 400}}) {
    const VectorXd mean = mean_of(x, begin, end);
    for (std::size_t j = begin; j < end; ++j) within += (x[j] - mean) * (x[j] - mean).transpose();
  }
  EXPECT_NEAR(moments.squares()(0, 0), within(0, 0), 1e-9);
  EXPECT_NEAR(moments.scatter()(0, 0), within(0, 0), 1e-9);
  EXPECT_NEAR(moments.scatter()(1, 1), within(1, 1), 6.0);
  EXPECT_NEAR(moments.scatter()(1, 0), within(1, 0), 6.0);
}

}  // namespace
}  // namespace updraft
