// What policies that are given rounds refuse, whatever their kind, in which words, and that they
// stay as they were.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "policies/rounds_judge.h"

namespace updraft::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RoundRefusals : public ::testing::TestWithParam<std::string> {};

TEST_P(RoundRefusals, RoundsThatAreNone) {
  Judge judge(GetParam());
  const MadeRound good = example_round(judge.kind(), 9);
  EXPECT_EQ(judge.all({.features = {}, .width = 3}),
            judge.round() + " = 0 " + judge.rows() + ": must have at least 1");
  for (const std::size_t width : {5u, 0u}) {
    Round round = good.view();
    round.width = width;
    EXPECT_EQ(judge.all(round), judge.round() + ": features = " + std::to_string(width) +
                                    ": must be as the policy was made for, 3");
  }
  Round round = good.view();
  const std::size_t one_less = round.features.size() - 1;
  round.features = round.features.first(one_less);
  EXPECT_EQ(judge.all(round), "length of " + judge.round() +
                                  ": features = " + std::to_string(one_less) +
                                  ": must be a multiple of the features of one, 3");
}

TEST_P(RoundRefusals, FeaturesAndBaselinesThatAreNotNumbers) {
  Judge judge(GetParam());
  const MadeRound good = example_round(judge.kind(), 9);
  const std::size_t rows = good.baseline.size();
  for (const double bad : {kNaN, kInfinity, -kInfinity, 1e101}) {
    const std::string shown = std::isnan(bad) ? "nan"
                              : bad == 1e101  ? "1e+101"
                              : bad > 0.0     ? "inf"
                                              : "-inf";
    MadeRound made = good;
    made.features.back() = bad;
    EXPECT_EQ(judge.all(made.view()), judge.round() + ": features[" + std::to_string(3 * rows - 1) +
                                          "] = " + shown +
                                          ": must be finite and at most 1e100 in size");
    made = good;
    made.baseline.back() = bad;
    EXPECT_EQ(judge.all(made.view()), judge.round() + ": baseline[" + std::to_string(rows - 1) +
                                          "] = " + shown +
                                          ": must be finite and at most 1e100 in size");
  }
  MadeRound made = good;
  made.baseline.pop_back();
  EXPECT_EQ(judge.all(made.view()),
            "length of " + judge.round() + ": baseline = " + std::to_string(rows - 1) +
                ": must be the number of " + judge.rows() + ", " + std::to_string(rows));
}

TEST_P(RoundRefusals, PayoffsThatAreNotNumbers) {
  Judge judge(GetParam());
  const MadeRound good = example_round(judge.kind(), 9);
  for (const double bad : {kNaN, kInfinity, 1e101}) {
    std::vector<double> payoffs(good.view().size(), 1.0);
    payoffs[8] = bad;
    const std::string said = judge.learn(good.view(), judge.some_decision(good.view()), payoffs);
    EXPECT_NE(said.find("payoffs[8] = "), std::string::npos) << said;
  }
}

TEST_P(RoundRefusals, RoundsWithoutTheBaselineThatIsNeeded) {
  Judge judge(GetParam());
  MadeRound made = example_round(judge.kind(), 9);
  made.baseline.clear();
  const std::string name = PolicySpec::parse(GetParam()).name();
  const std::string said =
      policy_info(name).needs.contains(Need::kBaseline)
          ? judge.round() + ": baseline: is missing, and " + name + " needs to know it"
          : "(accepted)";
  EXPECT_EQ(judge.explain(made.view()), said);
  if (said != "(accepted)") {
    EXPECT_EQ(judge.decide(made.view()), said);
  }
}

TEST(RoundParameters, AreBetaOrDelta) {
  for (const std::string name :
       {"c2_up_ucb", "c2_up_ucb_bl", "c2_ucb", "lin_up_ucb", "lin_up_ucb_bl"}) {
    EXPECT_EQ(refusal([&] { make_for_example(name); }),
              name + ".beta: missing: give beta (> 0), or delta (in (0, 1)) for the theorem's");
    EXPECT_EQ(refusal([&] { make_for_example(name + "(beta=1, delta=0.1)"); }),
              name + ".delta = 0.1: give beta or delta, not both");
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, RoundRefusals, ::testing::ValuesIn(usable_specs_with_rounds()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace updraft::testing
