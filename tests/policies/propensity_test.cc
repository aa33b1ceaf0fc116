// The probability of a decision is that of the distribution from which it was drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "policies/decision_draws.h"
#include "support/statistics.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using testing::agrees;

struct Case {
  const char* name;
  const char* spec;
  std::size_t actions;
  std::size_t variables;
};

/// Action a affects variables a and a + 1, modulo their number.
Knowledge knowledge_of(const Case& given) {
  Knowledge knowledge(given.actions, given.variables);
  std::vector<VariableSet> sets;
  for (std::size_t a = 0; a < given.actions; ++a) {
    const auto m = given.variables;
    const std::vector<VariableId> ids = {static_cast<VariableId>(a % m),
                                         static_cast<VariableId>((a + 1) % m)};
    sets.push_back(VariableSet::from_ids(ids));
  }
  knowledge.set_affected(std::move(sets));
  knowledge.set_baseline(std::vector<double>(given.variables, 1.0));
  knowledge.set_reward_prior({.mean = 0.0, .variance = 100.0});
  return knowledge;
}

class Propensity : public ::testing::TestWithParam<Case> {
 protected:
  /// After `rounds` rounds of each action, with correlated payoffs.
  static std::unique_ptr<Policy> after(std::uint32_t rounds) {
    auto policy = make_policy(GetParam().spec, knowledge_of(GetParam()));
    const Stream noise(11, 0, Purpose::kTest);
    std::uint32_t t = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (ActionId action = 0; action < GetParam().actions; ++action) {
        std::vector<double> y(GetParam().variables + 1);
        noise.normals(t++, 0, y);
        const double common = y.back();
        y.pop_back();
        for (double& value : y) value += 1.0 + common;
        y[action % y.size()] += 0.05 * static_cast<double>(action);
        policy->observe(action, Payoffs::dense(y));
      }
    }
    return policy;
  }
};

/// Given the probabilities, actions are drawn from them: over many decisions the actions taken less
/// their probabilities add up to 0 but for a standard error of sqrt(sum p (1 - p)), for every
/// action, and among the decisions whose probability for it lies in the same fifth.
/// Level: 1e-6, divided by the comparisons.
TEST_P(Propensity, IsThatOfTheDistributionDrawnFrom) {
  constexpr std::uint32_t kDecisions = 20'000;
  constexpr std::size_t kBins = 5;
  const std::size_t actions = GetParam().actions;
  std::size_t compared = 0;
  for (const std::uint32_t rounds : {2u, 5u, 30u}) {
    const auto policy = after(rounds);
    struct Cell {
      double excess = 0.0;
      double variance = 0.0;
    };
    std::vector<std::array<Cell, kBins>> cells(actions);
    for (std::uint32_t d = 0; d < kDecisions; ++d) {
      const Stream stream(5, d % 100, Purpose::kPolicy);
      const std::vector<double> probabilities = policy->probabilities(stream);
      const Decision decision = policy->decide(stream);
      ASSERT_EQ(decision.probability, probabilities[decision.action]);
      ASSERT_GT(decision.probability, 0.0);
      for (std::size_t a = 0; a < actions; ++a) {
        const double p = probabilities[a];
        Cell& cell = cells[a][std::min(kBins - 1, static_cast<std::size_t>(p * kBins))];
        cell.excess += (decision.action == a ? 1.0 : 0.0) - p;
        cell.variance += p * (1.0 - p);
      }
    }
    for (std::size_t a = 0; a < actions; ++a) {
      Cell all;
      for (const Cell& cell : cells[a]) {
        all.excess += cell.excess;
        all.variance += cell.variance;
        if (cell.variance < 100.0) continue;  // too few for the normal law
        ++compared;
        EXPECT_TRUE(agrees(cell.excess, 0.0, std::sqrt(cell.variance), 1000)) << rounds << " " << a;
      }
      EXPECT_TRUE(agrees(all.excess, 0.0, std::sqrt(all.variance), 1000)) << rounds << " " << a;
    }
  }
  EXPECT_GE(compared, 3 * actions);
}

/// The same in rounds that allow only some actions, and the probabilities are those of a choice
/// among these: others have none, and the draws behind them are those of an unrestricted round, so
/// that an action is never less likely with fewer rivals. Level: 1e-6, divided by the comparisons.
TEST_P(Propensity, IsThatOfTheChoiceAmongTheAllowed) {
  constexpr std::uint32_t kDecisions = 8'000;
  const std::vector<ActionId> allowed = {0, 2, 3};
  const Round round{.allowed = allowed};
  const auto policy = after(5);
  std::vector<double> excess(GetParam().actions, 0.0), variance(GetParam().actions, 0.0);
  for (std::uint32_t d = 0; d < kDecisions; ++d) {
    const Stream stream(5, d % 100, Purpose::kPolicy);
    const std::vector<double> all = policy->probabilities(stream);
    const std::vector<double> probabilities = policy->probabilities(round, stream);
    const Decision decision = policy->decide(round, stream);
    ASSERT_TRUE(AllowedActions(allowed).contains(decision.action));
    ASSERT_EQ(decision.probability, probabilities[decision.action]);
    ASSERT_GT(decision.probability, 0.0);
    double sum = 0.0;
    for (ActionId a = 0; a < GetParam().actions; ++a) {
      const double p = probabilities[a];
      if (AllowedActions(allowed).contains(a)) {
        ASSERT_GE(p, all[a]);
      } else {
        ASSERT_EQ(p, 0.0);
      }
      sum += p;
      excess[a] += (decision.action == a ? 1.0 : 0.0) - p;
      variance[a] += p * (1.0 - p);
    }
    ASSERT_NEAR(sum, 1.0, 1e-12);
  }
  for (const ActionId a : allowed) {
    EXPECT_GT(variance[a], 100.0);
    EXPECT_TRUE(agrees(excess[a], 0.0, std::sqrt(variance[a]), 1000)) << a;
  }
}

/// The set is more than the decision's own draw: probabilities differ from 0 and 1.
TEST_P(Propensity, IsAShareOfTheDraws) {
  const auto policy = after(5);
  const double draws = 16.0 * static_cast<double>(independent_draws(GetParam().actions));
  double sum = 0.0;
  for (const double p : policy->probabilities({5, 0, Purpose::kPolicy})) {
    EXPECT_EQ(p * draws, std::round(p * draws));
    EXPECT_LT(p, 0.9);
    sum += p;
  }
  EXPECT_EQ(sum, 1.0);
}

INSTANTIATE_TEST_SUITE_P(Policies, Propensity,
                         ::testing::Values(Case{"ts", "ts(sigma2=4)", 5, 8},
                                           Case{"ts_without_parameters", "ts", 5, 8},
                                           Case{"up_ts_bl", "up_ts_bl", 5, 8},
                                           Case{"up_ts", "up_ts", 5, 8},
                                           Case{"FewAtoms", "up_ts", 8, 4},
                                           Case{"up_ts_sparse_bl", "up_ts_sparse_bl", 5, 8},
                                           Case{"up_ts_sparse", "up_ts_sparse", 5, 8}),
                         [](const auto& given) { return std::string(given.param.name); });

/// Two actions on a variable each. Six rounds of the first and two of the second leave the baseline
/// of the first variable, and the noise, hardly known: the error that the draws share weighs most.
/// Level: 1e-6 of a normal law, divided by 1,000.
TEST(UnevenPropensity, IsThatOfTheDistributionDrawnFrom) {
  constexpr std::uint32_t kDecisions = 100'000;
  Knowledge knowledge(2, 3);
  knowledge.set_affected({VariableSet::from_ids({0}), VariableSet::from_ids({1})});
  const auto policy = make_policy("up_ts", knowledge);
  const Stream noise(11, 0, Purpose::kTest);
  for (std::uint32_t round = 0; round < 8; ++round) {
    const ActionId action = round < 6 ? 0 : 1;
    std::vector<double> y(3);
    noise.normals(round, 0, y);
    if (action == 0) y[0] -= 2.0;  // so that it is the best in the tail of the draws only
    policy->observe(action, Payoffs::dense(y));
  }
  double excess = 0.0;
  double variance = 0.0;
  for (std::uint32_t d = 0; d < kDecisions; ++d) {
    const Stream stream(5, d % 100, Purpose::kPolicy);
    const double p = policy->probabilities(stream)[0];
    excess += (policy->decide(stream).action == 0 ? 1.0 : 0.0) - p;
    variance += p * (1.0 - p);
  }
  EXPECT_GT(variance, 1000.0);
  EXPECT_TRUE(agrees(excess, 0.0, std::sqrt(variance), 1000)) << excess / std::sqrt(variance);
}

TEST(DecisionDraws, LeaveOutActionsThatWaitForFeedback) {
  const Stream stream(5, 0, Purpose::kPolicy);
  const auto policy = make_policy("ts(sigma2=4)", knowledge_of({"", "", 5, 8}));
  const ActionId first = policy->decide(stream).action;
  const std::vector<double> probabilities = policy->probabilities(stream);
  EXPECT_EQ(probabilities[first], 0.0);
  EXPECT_EQ(std::count(probabilities.begin(), probabilities.end(), 0.0), 1);
}

/// The other draws are those of no other decision, of no other part, and not the decision's own.
TEST(DecisionDraws, AreIndependent) {
  const Stream stream(5, 0, Purpose::kPolicy);
  const Eigen::MatrixXd first = other_normals(stream, 3, 5, 5, 0);
  const auto differ = [&](const Eigen::MatrixXd& other) {
    return ((first - other).array().abs() > 1e-9).all();
  };
  EXPECT_EQ(first.rows(), 15);
  EXPECT_TRUE(differ(other_normals(stream, 4, 5, 5, 0)));
  EXPECT_TRUE(differ(other_normals(stream, 3 + (std::uint64_t{1} << 32), 5, 5, 0)));
  EXPECT_TRUE(differ(other_normals(stream, 3, 5, 5, 1)));
  EXPECT_TRUE(differ(other_normals({6, 0, Purpose::kPolicy}, 3, 5, 5, 0)));
  Eigen::MatrixXd own(first.rows(), first.cols());
  stream.normals(3, 0, {own.data(), static_cast<std::size_t>(own.size())});
  EXPECT_TRUE(differ(own));
}

TEST(DecisionDraws, AreFewerWithManyActions) {
  EXPECT_EQ(independent_draws(1), 16u);
  EXPECT_EQ(independent_draws(256), 16u);
  EXPECT_EQ(independent_draws(257), 8u);
  EXPECT_EQ(independent_draws(1'000), 4u);
  EXPECT_EQ(independent_draws(100'000), 1u);
}

/// One draw, two actions, no common error: of the patterns of signs a quarter has each pair of
/// signs.
TEST(DecisionDraws, TurnTheSignsOfEachAction) {
  DecisionDraws draws;
  draws.own = Eigen::RowVector2d(1.0, 2.0);
  EXPECT_EQ(shares_best(1, Eigen::Vector2d(0.0, 0.0), draws), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(shares_best(1, Eigen::Vector2d(0.0, 1.5), draws), (std::vector<double>{0.25, 0.75}));
  draws.common = Eigen::RowVector2d(0.0, 4.0);
  EXPECT_EQ(shares_best(1, Eigen::Vector2d(0.0, 2.5), draws), (std::vector<double>{0.375, 0.625}));
}

TEST(DecisionDraws, TiesGoToTheLowestAction) {
  DecisionDraws draws;
  draws.own = Eigen::RowVector3d(0.0, 0.0, 0.0);
  EXPECT_EQ(shares_best(2, Eigen::Vector3d(0.0, 1.0, 1.0), draws),
            (std::vector<double>{0.0, 15.0 / 16.0, 1.0 / 16.0}));
}

}  // namespace
}  // namespace updraft
