// What targeting policies refuse, in which words, and that they stay as they were.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "policies/targeting/targeting_example.h"
#include "support/refusal.h"

namespace updraft::testing {
namespace {

const Stream kPolicyStream(13, 0, Purpose::kPolicy);
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A policy of the example after some rounds, and what it says to calls that it must refuse.
class Judge {
 public:
  explicit Judge(const std::string& spec) : policy_(make_targeting(spec, kExampleShape)) {
    play_example(*policy_, 0, 8);
    before_ = saved(*policy_);
  }

  std::string select(const Round& pool) {
    return check([&] { select_treatments(*policy_, pool, kPolicyStream); });
  }
  std::string explain(const Round& pool) {
    return check([&] { individuals(*policy_, pool); });
  }
  std::string observe(const Round& pool, const std::vector<Treatment>& treated,
                      const std::vector<double>& payoffs) {
    return check([&] { teach(*policy_, pool, treated, payoffs); });
  }
  /// Of a pool that none of the three may take, and all refuse in the same words.
  std::string all(const Round& pool) {
    const std::string said = select(pool);
    EXPECT_EQ(explain(pool), said);
    const std::vector<Treatment> treated(pool.size(), 0);
    EXPECT_EQ(observe(pool, treated, std::vector<double>(pool.size(), 0.0)), said);
    return said;
  }

 private:
  template <typename Call>
  std::string check(Call call) {
    const std::string said = refusal(call);
    EXPECT_EQ(saved(*policy_), before_) << said;
    return said;
  }

  std::unique_ptr<Policy> policy_;
  std::string before_;
};

class TargetingRefusals : public ::testing::TestWithParam<std::string> {};

TEST_P(TargetingRefusals, PoolsThatAreNone) {
  Judge judge(GetParam());
  const MadePool good = example_pool(9);
  Round pool = good.view();
  EXPECT_EQ(judge.all({.features = {}, .width = 3}), "pool = 0 individuals: must have at least 1");
  pool.width = 5;
  EXPECT_EQ(judge.all(pool), "pool: features = 5: must be as the policy was made for, 3");
  pool.width = 0;
  EXPECT_EQ(judge.all(pool), "pool: features = 0: must be as the policy was made for, 3");
  pool = good.view();
  pool.features = pool.features.first(44);
  EXPECT_EQ(judge.all(pool),
            "length of pool: features = 44: must be a multiple of the features of one, 3");
  EXPECT_EQ(judge.select(example_pool(9, 3).view()),
            "pool = 3 individuals: must have at least as many as the budget, 4");
}

TEST_P(TargetingRefusals, FeaturesAndBaselinesThatAreNotNumbers) {
  Judge judge(GetParam());
  for (const double bad : {kNaN, kInfinity, -kInfinity, 1e101}) {
    const std::string shown = std::isnan(bad) ? "nan"
                              : bad == 1e101  ? "1e+101"
                              : bad > 0.0     ? "inf"
                                              : "-inf";
    MadePool pool = example_pool(9);
    pool.features[44] = bad;
    EXPECT_EQ(judge.all(pool.view()),
              "pool: features[44] = " + shown + ": must be finite and at most 1e100 in size");
    pool = example_pool(9);
    pool.baseline[14] = bad;
    EXPECT_EQ(judge.all(pool.view()),
              "pool: baseline[14] = " + shown + ": must be finite and at most 1e100 in size");
  }
  MadePool pool = example_pool(9);
  pool.baseline.pop_back();
  EXPECT_EQ(judge.all(pool.view()),
            "length of pool: baseline = 14: must be the number of individuals, 15");
}

TEST_P(TargetingRefusals, FeedbackThatCannotBe) {
  Judge judge(GetParam());
  const MadePool pool = example_pool(9);
  const std::vector<Treatment> untreated(kExamplePool, 0);
  const std::vector<double> payoffs(kExamplePool, 1.0);
  EXPECT_EQ(judge.observe(pool.view(), std::vector<Treatment>(14, 0), payoffs),
            "length of treatments = 14: must be the number of individuals, 15");
  EXPECT_EQ(judge.observe(pool.view(), untreated, std::vector<double>(16, 0.0)),
            "length of payoffs = 16: must be the number of individuals, 15");
  std::vector<Treatment> treated = untreated;
  treated[14] = 3;
  EXPECT_EQ(judge.observe(pool.view(), treated, payoffs),
            "treatments[14] = 3: must be at most the number of treatments, 2");
  const bool logistic = GetParam().find("logistic") != std::string::npos;
  for (const double bad : {kNaN, kInfinity, 1e101}) {
    std::vector<double> y = payoffs;
    y[13] = bad;
    EXPECT_NE(judge.observe(pool.view(), untreated, y).find("payoffs[13] = "), std::string::npos);
  }
  if (!logistic) return;
  for (const double bad : {-0.01, 1.01, 7.0}) {
    std::vector<double> y = payoffs;
    y[14] = bad;
    EXPECT_NE(judge.observe(pool.view(), untreated, y).find("must be in [0, 1] for a logistic"),
              std::string::npos);
  }
}

TEST_P(TargetingRefusals, PoolsWithoutTheKnowledgeThatIsNeeded) {
  Judge judge(GetParam());
  MadePool pool = example_pool(9);
  const std::string name = PolicySpec::parse(GetParam()).name();
  if (policy_info(name).needs.contains(Need::kBaseline)) {
    pool.baseline.clear();
    const std::string said = "pool: baseline: is missing, and " + name + " needs to know it";
    EXPECT_EQ(judge.select(pool.view()), said);
    EXPECT_EQ(judge.explain(pool.view()), said);
  } else {
    pool.baseline.clear();
    EXPECT_EQ(judge.explain(pool.view()), "(accepted)");
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
    EXPECT_EQ(said(name), name +
                              ".beta: missing: give beta (> 0), or delta (in (0, 1)) for the "
                              "theorem's");
    EXPECT_EQ(said(name + "(beta=1, delta=0.1)"),
              name + ".delta = 0.1: give beta or delta, not both");
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
MadePool long_rows(std::uint32_t round) {
  MadePool pool = example_pool(round);
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
      const MadePool pool = long_rows(round);
      MadePool scaled = pool;
      for (std::size_t i = 0; i < kExamplePool; ++i) {
        double squares = 0.0;
        for (const double x : pool.view().row(i)) squares += x * x;
        if (!(squares > 1.0)) continue;
        for (std::size_t k = 0; k < 3; ++k) scaled.features[3 * i + k] /= std::sqrt(squares);
      }
      const auto treated = select_treatments(*scaling, pool.view(), kPolicyStream);
      ASSERT_EQ(treated, select_treatments(*plain, scaled.view(), kPolicyStream))
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
