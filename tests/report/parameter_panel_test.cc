#include <gtest/gtest.h>

#include "report/made_result.h"
#include "report/panel.h"
#include "support/refusal.h"
#include "updraft/report.h"

namespace updraft {
namespace {

using testing::add_policy;
using testing::always;
using testing::around;
using testing::has;
using testing::made_result;

ExperimentResult example() {
  ExperimentResult result = made_result({});
  result.experiment.figure.against = FigureStyle::Against::kParameter;
  add_policy(result, "UCB", "ucb", {{1e-7, always(9000)}, {1e-5, around(2000, 300)}});
  add_policy(result, "low", "up_ts_bl", {{0, always(1500)}}, "");
  add_policy(result, "high", "up_ts", {{0, always(2500)}}, "");
  return result;
}

Panel panel_of(const ExperimentResult& result) {
  return parameter_panel(result, {palette_of(result.experiment)});
}

TEST(ParameterPanel, HasACurveForEveryTunedPolicy) {
  const Panel panel = panel_of(example());
  EXPECT_TRUE(
      has(panel.data, "$policy0 << EOD\n1e-07 9000 9000 9000\n1e-05 2000 1826.795 2173.205\nEOD\n"))
      << panel.data;
  EXPECT_EQ(panel.x_name, "alpha");
  EXPECT_EQ(panel.y_name, "regret after 1,000 rounds");
  EXPECT_TRUE(panel.x.log && panel.y.log);
  EXPECT_LT(panel.x.low, 1e-7);
  EXPECT_GT(panel.x.high, 1e-5);
  EXPECT_LT(panel.y.low, 1500);
  EXPECT_GT(panel.y.high, 9000);
}

TEST(ParameterPanel, HasAHorizontalLineForEveryOther) {
  const Panel panel = panel_of(example());
  EXPECT_TRUE(has(panel.data, "$policy1 << EOD\n8e-08 1500 1500 1500\n1.25e-05 1500 1500 1500\n"))
      << panel.data;
}

TEST(ParameterPanel, LegendHasLinesAsTheyLie) {
  std::vector<std::string> labels;
  for (const Layer& layer : panel_of(example()).layers) {
    if (!layer.label.empty()) labels.push_back(layer.label);
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"UCB", "high", "low"}));
}

TEST(ParameterPanel, LeavesOutWhatLogAxesCannotShow) {
  ExperimentResult result = example();
  add_policy(result, "none", "up_ucb_cv", {{0, always(0)}}, "");
  add_policy(result, "TS", "ts(sigma2=1)", {{-1, always(70)}, {2, always(80)}}, "prior_mean");
  const Panel panel = panel_of(result);
  EXPECT_FALSE(has(panel.data, "$policy3"));
  EXPECT_TRUE(has(panel.data, "$policy4 << EOD\n2 80 80 80\nEOD\n"));
  EXPECT_EQ(panel.x_name, "alpha, prior_mean");
}

TEST(ParameterPanel, ShowsLinesAloneWhereNothingIsTuned) {
  ExperimentResult result = made_result({});
  add_policy(result, "UpTS", "up_ts", {{0, always(1500)}}, "");
  EXPECT_TRUE(has(panel_of(result).data, "$policy0 << EOD\n1 1500 1500 1500\n10 1500 "));
}

TEST(ParameterPanel, LargeErrorsDoNotStretchTheAxis) {
  ExperimentResult result = made_result({});
  add_policy(result, "UpTS", "up_ts", {{0, around(100, 173)}}, "");  // s.e. 99.9
  EXPECT_GT(panel_of(result).y.low, 20);
  EXPECT_TRUE(has(panel_of(result).data, " 100 24 199.88")) << "the band ends at the axis, 24";
}

TEST(ParameterPanel, RefusesNoPoliciesAndLabelsThatAreNotInThePalette) {
  EXPECT_EQ(testing::refusal([] { panel_of(made_result({})); }),
            "policies: must have at least one");
  EXPECT_EQ(testing::refusal([] {
              parameter_panel(example(), {{"UCB", "low"}});
            }),
            "label = high: must be in the palette");
}

TEST(FigureScript, DrawsAgainstTheParameter) {
  const std::string script = figure_script(example(), "svg", "f");
  EXPECT_TRUE(has(script, "\nset logscale x\n"));
  EXPECT_TRUE(has(script, "'1e-7' 1e-07 0"));
  EXPECT_TRUE(has(script, "set label 3 'alpha' at screen"));
  EXPECT_TRUE(has(script, "with linespoints"));
  EXPECT_TRUE(has(script, "lines without marks have nothing to tune"));
  ExperimentResult result = example();
  result.experiment.figure.against = FigureStyle::Against::kRounds;
  EXPECT_FALSE(has(figure_script(result, "svg", "f"), "linespoints"));
}

}  // namespace
}  // namespace updraft
