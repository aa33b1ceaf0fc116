#include "stats/atom_moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "updraft/stream.h"

namespace updraft {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Round {
  ActionId action;
  VectorXd sums;
};

std::vector<Round> random_rounds(std::size_t actions, Eigen::Index atoms, double offset) {
  const Stream stream(5, 0, Purpose::kTest);
  std::vector<Round> rounds;
  for (std::uint32_t t = 0; t < 60; ++t) {
    VectorXd sums(atoms);
    stream.normals(t, 0, {sums.data(), static_cast<std::size_t>(atoms)});
    sums.array() += offset + 0.5 * sums[0];
    rounds.push_back({static_cast<ActionId>(t * t % actions), sums});
  }
  return rounds;
}

AtomMoments moments_of(const std::vector<Round>& rounds, std::size_t actions,
                       std::vector<std::uint64_t>& pulls) {
  AtomMoments moments(actions, static_cast<std::size_t>(rounds.front().sums.size()));
  for (const Round& round : rounds) {
    moments.add(round.action, ++pulls[round.action],
                {round.sums.data(), static_cast<std::size_t>(round.sums.size())});
  }
  return moments;
}

class AtomMomentsWithOffset : public ::testing::TestWithParam<double> {};

/// The identity that makes the pooled scatter enough: no history, no matrix per action.
TEST_P(AtomMomentsWithOffset, GiveResidualsAboutAnyCentresAsTheHistoryDoes) {
  constexpr std::size_t kActions = 4;
  const std::vector<Round> rounds = random_rounds(kActions, 5, GetParam());
  std::vector<std::uint64_t> pulls(kActions, 0);
  const AtomMoments moments = moments_of(rounds, kActions, pulls);
  MatrixXd centres = MatrixXd::Constant(5, kActions, GetParam());
  centres.row(1).setConstant(GetParam() + 0.25);
  MatrixXd direct = MatrixXd::Zero(5, 5);
  for (const Round& round : rounds) {
    const VectorXd residual = round.sums - centres.col(round.action);
    direct += residual * residual.transpose();
  }
  MatrixXd pooled = moments.scatter();
  for (ActionId a = 0; a < kActions; ++a) {
    const VectorXd offset = moments.means().col(a) - centres.col(a);
    pooled += static_cast<double>(pulls[a]) * offset * offset.transpose();
  }
  const double tolerance = 1e-12 * direct.diagonal().maxCoeff() * std::max(1.0, GetParam());
  for (Eigen::Index h = 0; h < 5; ++h) {
    for (Eigen::Index g = h; g < 5; ++g) EXPECT_NEAR(pooled(g, h), direct(g, h), tolerance);
  }
}

// Means of 1e9 leave seven digits for noise of 1.
INSTANTIATE_TEST_SUITE_P(Offsets, AtomMomentsWithOffset, ::testing::Values(0.0, 100.0, 1e9));

/// With too many atoms for a matrix. The 60 rounds are of 30 actions, which leaves 30 deviations:
/// as many as a sketch has exactly.
TEST(AtomMoments, SketchTheScatterOfManyAtoms) {
  constexpr std::size_t kActions = 59;
  constexpr auto kMany = static_cast<Eigen::Index>(AtomMoments::kMostInFull) + 1;
  const std::vector<Round> rounds = random_rounds(kActions, kMany, 2.0);
  std::vector<std::uint64_t> pulls(kActions, 0);
  const AtomMoments moments = moments_of(rounds, kActions, pulls);
  EXPECT_FALSE(moments.in_full());
  EXPECT_TRUE(AtomMoments(kActions, AtomMoments::kMostInFull).in_full());
  MatrixXd direct = MatrixXd::Zero(kMany, kMany);
  for (const Round& round : rounds) {
    const VectorXd residual = round.sums - moments.means().col(round.action);
    direct += residual * residual.transpose();
  }
  ASSERT_LT(moments.sketch().cols(), 2 * static_cast<Eigen::Index>(ScatterSketch::kKept));
  const MatrixXd sketched = moments.sketch() * moments.sketch().transpose();
  EXPECT_LT((sketched - direct).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace updraft
