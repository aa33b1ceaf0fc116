#include "report/hindsight.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/made_result.h"
#include "updraft/report.h"

namespace updraft {
namespace {

using testing::add_policy;
using testing::always;
using testing::around;
using testing::made_result;
using testing::says;

ExperimentResult example() {
  ExperimentResult result = made_result({});
  result.experiment.figure.against = FigureStyle::Against::kParameter;
  add_policy(result, "UCB", "ucb", {{1, always(9000)}, {2, always(8000)}});
  add_policy(result, "UpUCB(bl)", "up_ucb_bl",
             {{1, around(2000, 900)}, {2, always(2100)}, {3, always(6000)}});
  add_policy(result, "UpUCB", "up_ucb", {{1, always(3000)}, {2, always(3000)}});
  add_policy(result, "UpTS(bl)", "up_ts_bl", {{0, around(1000, 300)}}, "");
  add_policy(result, "UpTS", "up_ts", {{0, always(1500)}}, "");
  return result;
}

TEST(Hindsight, ComparesWithTunedPoliciesThatAreToldTheSame) {
  const ExperimentResult result = example();
  const std::vector<Hindsight> found = hindsight(result);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].policy, &result.best(3));
  EXPECT_EQ(found[0].least->spec.name(), "up_ucb_bl");
  EXPECT_EQ(found[1].policy, &result.best(4));
  EXPECT_EQ(found[1].least->spec.name(), "up_ucb");
}

TEST(Hindsight, TakesTheLeastMeanNotTheChosenValue) {
  const ExperimentResult result = example();
  EXPECT_EQ(result.best(1).value, 2.0);  // least mean + sd
  const std::vector<Hindsight> found = hindsight(result);
  EXPECT_EQ(found[0].least->value, 1.0);
  EXPECT_EQ(found[0].most->value, 3.0);
  EXPECT_EQ(found[1].least->value, 1.0);  // the smallest among equals
  EXPECT_EQ(found[1].most->value, 1.0);
}

TEST(Hindsight, RatiosAreOfPairedRuns) {
  const std::vector<Hindsight> found = hindsight(example());
  // 1000 -+ 300 against 2000 -+ 900: run by run 1000 -+ 300 - 0.5 (2000 -+ 900) = +- 150.
  EXPECT_DOUBLE_EQ(found[0].to_least.value, 0.5);
  EXPECT_NEAR(found[0].to_least.error, 150.0 / std::sqrt(3.0) / 2000.0, 1e-12);
  EXPECT_NEAR(found[0].to_most.value, 1.0 / 6.0, 1e-12);
  EXPECT_NEAR(found[0].to_most.error, 300.0 / std::sqrt(3.0) / 6000.0, 1e-12);
  EXPECT_EQ(found[1].to_least.error, 0.0);
}

TEST(Hindsight, WithoutAnEqualAllTunedPoliciesAreRivals) {
  ExperimentResult result = example();
  add_policy(result, "UpUCB-L", "up_ucb_l(alpha=1)", {{0, always(5)}}, "");
  EXPECT_EQ(rivals(result.experiment, 5), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(rivals(result.experiment, 3), (std::vector<std::size_t>{1}));
  EXPECT_EQ(rivals(result.experiment, 0), (std::vector<std::size_t>{0}));
  EXPECT_EQ(hindsight(result).size(), 5u);
}

TEST(Hindsight, NothingToCompareWith) {
  ExperimentResult result = made_result({});
  add_policy(result, "UpTS", "up_ts", {{0, always(1500)}}, "");
  EXPECT_TRUE(hindsight(result).empty());
}

TEST(Hindsight, IsInTheSummaryOfAFigureAgainstTheParameter) {
  ExperimentResult result = example();
  const std::string expected =
      "## Hindsight\n\nPolicies with nothing to tune, compared with tuned policies that have the "
      "same knowledge, at the values of the grid that turned out best and worst. Ratios are of "
      "mean regrets; their errors are computed from differences run by run. The least of many "
      "means is somewhat lower than the mean that its value would have in new runs.\n\n"
      "| policy | mean regret ± s.e. | tuned policy | least mean regret ± s.e. | at | ratio to the "
      "least | largest at | ratio to the largest |\n"
      "|---|---:|---|---:|---:|---:|---:|---:|\n"
      "| UpTS(bl) | 1,000 ± 173 | UpUCB(bl) | 2,000 ± 520 | alpha = 1 | 0.500 ± 0.043 | alpha = 3 "
      "| 0.167 ± 0.029 |\n"
      "| UpTS | 1,500 ± 0 | UpUCB | 3,000 ± 0 | alpha = 1 | 0.500 ± 0.000 | alpha = 1 | 0.500 ± "
      "0.000 |\n";
  EXPECT_TRUE(says(summary_markdown(result), expected)) << summary_markdown(result);
  result.experiment.figure.against = FigureStyle::Against::kRounds;
  EXPECT_EQ(summary_markdown(result).find("Hindsight"), std::string::npos);
}

}  // namespace
}  // namespace updraft
