// What targeting policies refuse beside ../rounds_refusal_test.cc, in which words, and that they
// stay as they were.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "policies/rounds_judge.h"

namespace updraft::testing {
namespace {

class TargetingRefusals : public ::testing::TestWithParam<std::string> {};

TEST_P(TargetingRefusals, ActionsThatAreAllowed) {
  Judge judge(GetParam());
  const MadeRound pool = example_pool(9);
  Round round = pool.view();
  const std::vector<ActionId> allowed = {0};
  round.allowed = allowed;
  EXPECT_EQ(judge.all(round),
            "pool: allowed: must be absent: targeting gives treatments, not actions");
}

TEST_P(TargetingRefusals, PoolsSmallerThanTheBudget) {
  EXPECT_EQ(Judge(GetParam()).decide(example_pool(9, 3).view()),
            "pool = 3 individuals: must have at least as many as the budget, 4");
}

TEST_P(TargetingRefusals, FeedbackThatCannotBe) {
  Judge judge(GetParam());
  const MadeRound pool = example_pool(9);
  const std::vector<Treatment> untreated(kExamplePool, 0);
  const std::vector<double> payoffs(kExamplePool, 1.0);
  EXPECT_EQ(judge.learn(pool.view(), treating(std::vector<Treatment>(14, 0)), payoffs),
            "length of treatments = 14: must be the number of individuals, 15");
  EXPECT_EQ(judge.learn(pool.view(), treating(untreated), std::vector<double>(16, 0.0)),
            "length of payoffs = 16: must be the number of individuals, 15");
  std::vector<Treatment> treated = untreated;
  treated[14] = 3;
  EXPECT_EQ(judge.learn(pool.view(), treating(treated), payoffs),
            "treatments[14] = 3: must be at most the number of treatments, 2");
  if (GetParam().find("logistic") == std::string::npos) return;
  for (const double bad : {-0.01, 1.01, 7.0}) {
    std::vector<double> y = payoffs;
    y[14] = bad;
    EXPECT_NE(
        judge.learn(pool.view(), treating(untreated), y).find("must be in [0, 1] for a logistic"),
        std::string::npos);
  }
}

TEST_P(TargetingRefusals, PullsOfActionsThatTheyDoNotHave) {
  const auto policy = make_targeting(GetParam(), kExampleShape);
  EXPECT_EQ(refusal([&] { policy->pulls(0); }),
            "action = 0: must be below the number of actions, 0");
}

TEST_P(TargetingRefusals, ShapesThatAreEmpty) {
  const auto said = [](TargetingShape shape) {
    return refusal([&] { make_targeting(GetParam(), shape); });
  };
  EXPECT_EQ(said({0, 1, 1}), "features = 0: must be at least 1");
  EXPECT_EQ(said({1, 0, 1}), "treatments = 0: must be at least 1");
  EXPECT_EQ(said({1, 1, 0}), "budget = 0: must be at least 1");
  EXPECT_EQ(said({1, 1, 1}), "(accepted)");
}

INSTANTIATE_TEST_SUITE_P(Registered, TargetingRefusals,
                         ::testing::ValuesIn(usable_targeting_specs()));

TEST(TargetingParameters, ThatDoNotGoTogether) {
  const auto said = [](const std::string& spec) {
    return refusal([&] { make_targeting(spec, kExampleShape); });
  };
  for (const std::string name : {"c2_up_ucb", "c2_up_ucb_bl", "c2_ucb"}) {
    EXPECT_EQ(said(name + "(delta=0.1, lambda=3.9)"),
              name + ".lambda = 3.9: must be at least the budget, 4, for the theorem's beta");
    EXPECT_EQ(said(name + "(delta=0.1, lambda=4)"), "(accepted)");
    EXPECT_EQ(said(name + "(delta=0.1)"), "(accepted)");
    EXPECT_EQ(said(name + "(beta=1, lambda=0.1)"), "(accepted)");
  }
  for (const std::string name : {"eps_greedy", "eps_greedy_bl"}) {
    EXPECT_EQ(said(name), name + ".eps: missing: give eps, in (0, 1)");
    EXPECT_NE(said(name + "(eps=1)"), "(accepted)");
  }
  EXPECT_NE(said("greedy(beta=1)"), "(accepted)");
  EXPECT_NE(said("greedy(lambda=0)"), "(accepted)");
  EXPECT_NE(said("random(fill=yes)"), "(accepted)");
  EXPECT_EQ(
      said("ucb(alpha=1)"),
      "policy = ucb: is for single actions (docs/choose-a-policy.md), not for targeting; for these "
      "there are: c2_up_ucb, c2_up_ucb_bl, c2_ucb, greedy, greedy_bl, eps_greedy, "
      "eps_greedy_bl, random");
  EXPECT_EQ(said("oracle"), "policy = oracle: must know the truth: it can only be simulated");
}

/// The example with some rows longer than 1: individual 2 the first, of length 1.3.
MadeRound long_rows(std::uint32_t round) {
  MadeRound pool = example_pool(round);
  for (std::size_t i = 2; i < kExamplePool; i += 3) {
    pool.features[3 * i] = -0.5;
    pool.features[3 * i + 1] = 1.2;
    pool.features[3 * i + 2] = i == 2 ? 0.0 : 0.1 * static_cast<double>(i);
  }
  return pool;
}

TEST(TargetingNorms, RefuseWhereAskedAndByDefaultWithDelta) {
  for (const PolicyInfo& info : policies(PolicyKind::kTargeting)) {
    if (!has_models(info)) continue;
    std::vector<std::string> specs = {usable_targeting_spec(info, "norms=refuse")};
    if (info.name.starts_with("c2_")) specs.push_back(std::string(info.name) + "(delta=0.1)");
    for (const std::string& spec : specs) {
      SCOPED_TRACE(spec);
      Judge judge(spec);
      EXPECT_EQ(judge.all(long_rows(9).view()),
                "pool: length of the features of individual 2 = 1.3: must be at most 1 for the "
                "theorem's beta; norms=scale scales them");
    }
    EXPECT_EQ(Judge(usable_targeting_spec(info)).explain(long_rows(9).view()), "(accepted)");
  }
}

TEST(TargetingNorms, ScaledAsByHand) {
  for (const PolicyInfo& info : policies(PolicyKind::kTargeting)) {
    if (!has_models(info)) continue;
    SCOPED_TRACE(info.name);
    const auto scaling = make_targeting(usable_targeting_spec(info, "norms=scale"), kExampleShape);
    const auto plain = make_targeting(usable_targeting_spec(info), kExampleShape);
    for (std::uint32_t round = 0; round < 40; ++round) {
      const MadeRound pool = long_rows(round);
      MadeRound scaled = pool;
      for (std::size_t i = 0; i < kExamplePool; ++i) {
        double squares = 0.0;
        for (const double x : pool.view().row(i)) squares += x * x;
        if (!(squares > 1.0)) continue;
        for (std::size_t k = 0; k < 3; ++k) scaled.features[3 * i + k] /= std::sqrt(squares);
      }
      const auto treated = select_treatments(*scaling, pool.view(), kExampleStream);
      ASSERT_EQ(treated, select_treatments(*plain, scaled.view(), kExampleStream))
          << "round " << round;
      const std::vector<double> payoffs = example_payoffs(round, pool, treated);
      teach(*scaling, pool.view(), treated, payoffs);
      teach(*plain, scaled.view(), treated, payoffs);
    }
    const auto shown = individuals(*scaling, example_pool(40).view());
    const auto expected = individuals(*plain, example_pool(40).view());
    for (std::size_t i = 0; i < shown.size(); ++i) EXPECT_EQ(shown[i].index, expected[i].index);
  }
}

}  // namespace
}  // namespace updraft::testing
