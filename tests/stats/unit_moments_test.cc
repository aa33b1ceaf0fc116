#include "stats/unit_moments.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <vector>

#include "support/refusal.h"
#include "updraft/state_io.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::refusal;

constexpr std::size_t kActions = 3;

/// Rounds of three actions in a changing order, and everything computed from all of them.
struct Rounds {
  UnitMoments moments;
  MatrixXd means;    // a row per action
  MatrixXd scatter;  // within actions, pooled

  Rounds(std::size_t units, std::uint32_t count) : moments(kActions, units) {
    const Stream stream(9, 0, Purpose::kTest);
    const auto g = static_cast<Index>(units);
    std::vector<std::vector<VectorXd>> seen(kActions);
    for (std::uint32_t t = 0; t < count; ++t) {
      const ActionId action = t < kActions ? t : (t * t) % kActions;
      VectorXd x(g);
      for (Index i = 0; i < g; ++i) {
        x[i] = 100.0 + action + stream.normal(t, static_cast<std::uint64_t>(i)) +
               2.0 * stream.normal(t, 999);
      }
      seen[action].push_back(x);
      moments.add(action, seen[action].size(), {x.data(), units});
    }
    means = MatrixXd::Zero(kActions, g);
    scatter = MatrixXd::Zero(g, g);
    for (std::size_t a = 0; a < kActions; ++a) {
      if (seen[a].empty()) continue;
      VectorXd mean = VectorXd::Zero(g);
      for (const VectorXd& x : seen[a]) mean += x / static_cast<double>(seen[a].size());
      means.row(static_cast<Index>(a)) = mean.transpose();
      for (const VectorXd& x : seen[a]) scatter += (x - mean) * (x - mean).transpose();
    }
  }

  MatrixXd sketched() const { return moments.sketch() * moments.sketch().transpose(); }
};

TEST(UnitMoments, AreExactWhileRowsAreFew) {
  for (const std::uint32_t count : {0u, 1u, 3u, 20u, 34u}) {  // 31 rows at most
    const Rounds rounds(40, count);
    EXPECT_TRUE(rounds.moments.means().isApprox(rounds.means, 1e-12) || count == 0) << count;
    EXPECT_LT((rounds.sketched() - rounds.scatter).cwiseAbs().maxCoeff(), 1e-9) << count;
    EXPECT_LT((rounds.moments.squares() - rounds.scatter.diagonal()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_EQ(rounds.moments.sketch().cols(), count < kActions ? 0 : count - kActions);
  }
}

TEST(UnitMoments, KeepSquaresAndMeansOfAllRounds) {
  const Rounds rounds(40, 500);
  EXPECT_TRUE(rounds.moments.means().isApprox(rounds.means, 1e-12));
  EXPECT_TRUE(rounds.moments.squares().isApprox(rounds.scatter.diagonal(), 1e-10));
}

TEST(UnitMoments, SketchIsExactWithFewUnits) {
  const Rounds rounds(UnitMoments::kKept, 500);
  EXPECT_TRUE(rounds.sketched().isApprox(rounds.scatter, 1e-9));
}

/// What is left out is the smallest part of the scatter: it stays below it, and keeps its main
/// direction.
TEST(UnitMoments, SketchKeepsTheMainDirections) {
  const Rounds rounds(40, 500);
  EXPECT_LT(rounds.moments.sketch().cols(), 2 * static_cast<Index>(UnitMoments::kKept));
  const Eigen::SelfAdjointEigenSolver<MatrixXd> left_out(
      MatrixXd(rounds.scatter - rounds.sketched()));
  EXPECT_GT(left_out.eigenvalues().minCoeff(), -1e-6);
  EXPECT_GT(left_out.eigenvalues().maxCoeff(), 1.0);  // there is something to leave out
  const Eigen::SelfAdjointEigenSolver<MatrixXd> all(rounds.scatter);
  const VectorXd main = all.eigenvectors().rightCols(1);
  EXPECT_GT(main.dot(rounds.sketched() * main), 0.999 * all.eigenvalues().maxCoeff());
}

TEST(UnitMoments, ComeBackBitForBit) {
  const Rounds rounds(5, 47);
  StateWriter writer;
  rounds.moments.write(writer);
  UnitMoments back = Rounds(5, 60).moments;
  StateReader reader(writer.bytes());
  back.read(reader);
  reader.finish();
  StateWriter again;
  back.write(again);
  EXPECT_EQ(writer.bytes(), again.bytes());
  EXPECT_EQ(back.sketch(), rounds.moments.sketch());
}

TEST(UnitMoments, RefuseDamagedStates) {
  const auto said = [](std::uint64_t columns, double square, double mean) {
    StateWriter writer;
    writer.f64s(std::vector<double>(kActions * 2, mean));
    writer.f64s(std::vector<double>(2, square));
    writer.u64(columns);
    writer.f64s(std::vector<double>(columns * 2, 0.5));
    return refusal([&] {
      UnitMoments moments(kActions, 2);
      StateReader reader(writer.bytes());
      moments.read(reader);
    });
  };
  EXPECT_EQ(said(31, 0.0, 1.0), "(accepted)");
  EXPECT_EQ(said(32, 1.0, 1.0), "policy state: sketch columns = 32: must be at most 31");
  EXPECT_EQ(said(3, -1.0, 1.0), "policy state: unit squares = -1: must be >= 0");
  EXPECT_NE(said(3, 1.0, std::nan("")), "(accepted)");
}

}  // namespace
}  // namespace updraft
