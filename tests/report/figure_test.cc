#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "report/bound_lines.h"
#include "report/made_result.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/report.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

namespace fs = std::filesystem;
using testing::add_policy;
using testing::always;
using testing::around;
using testing::has;
using testing::made_result;
using testing::TemporaryFolder;

std::string bytes_of(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

ExperimentResult example(const FigureStyle& style = {}) {
  ExperimentResult result = made_result({});
  result.experiment.figure = style;
  add_policy(result, "UpUCB(bl)", "up_ucb_bl", {{1, always(3000)}, {2, around(1300, 100)}});
  add_policy(result, "it's_TS", "ts", {{2e-7, always(20000)}}, "sigma2");
  add_policy(result, "fixed", "ucb(alpha=3)", {{0.0, always(5200)}}, "");
  return result;
}

std::string script_of(const FigureStyle& style, const std::string& terminal = "svg") {
  return figure_script(example(style), terminal, "out/figure." + terminal);
}

/// PATH for the time of a test.
class PathIs {
 public:
  explicit PathIs(const std::string& value) : before_(::getenv("PATH")) {
    ::setenv("PATH", value.c_str(), 1);
  }
  ~PathIs() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

bool gnuplot_is_installed() {
  std::istringstream folders(::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::exists(fs::path(folder) / "gnuplot")) return true;
  }
  return false;
}

TEST(FigureScript, HasCurvesInTheOrderOfTheirRegret) {
  const std::string script = script_of({});
  const std::size_t ts = script.find("title 'it''s_TS (sigma2 = 2e-07)'");
  const std::size_t fixed = script.find("title 'fixed'");
  const std::size_t up_ucb = script.find("title 'UpUCB(bl) (alpha = 2)'");
  ASSERT_NE(up_ucb, std::string::npos);
  EXPECT_LT(ts, fixed);
  EXPECT_LT(fixed, up_ucb);
  EXPECT_TRUE(has(script, "set label 1 'A made result'"));
  EXPECT_TRUE(has(script, "'regret (expected reward lost)'"));
  EXPECT_TRUE(has(script, "set output 'out/figure.svg'"));
}

TEST(FigureScript, CurvesThatCrossAreInTheOrderOfTheLastRegret) {
  ExperimentResult result = example();
  result.points[1].curve[0].mean = 30000.0;  // UpUCB(bl) is the worst at first
  const std::string script = figure_script(result, "svg", "f");
  EXPECT_LT(script.find("title 'it''s_TS"), script.find("title 'fixed'"));
  EXPECT_LT(script.find("title 'fixed'"), script.find("title 'UpUCB(bl)"));
}

TEST(FigureScript, HasTheDataOfTheChosenPoint) {
  const std::string script = script_of({});
  EXPECT_TRUE(has(script,
                  "$policy0 << EOD\n0 0 0 0 0\n500 1000 955.5884 1044.412 1076.923\n"
                  "1000 1300 1242.265 1357.735 1400\nEOD\n"))
      << script;
  EXPECT_FALSE(has(script, "3000"));
  EXPECT_TRUE(has(script, "'20,000' 20000 0"));
}

TEST(FigureScript, LogAxesHaveNoOrigin) {
  const std::string script = script_of({.log_rounds = true, .log_regret = true});
  EXPECT_TRUE(has(script, "\nset logscale x\n"));
  EXPECT_TRUE(has(script, "\nset logscale y\n"));
  EXPECT_FALSE(has(script, "\n0 0 0 0 0\n"));
  EXPECT_TRUE(has(script, "'10,000' 10000 0"));
  EXPECT_FALSE(has(script_of({}), "\nset logscale"));
}

TEST(FigureScript, LogAxisLeavesOutWhatItCannotShow) {
  ExperimentResult result = example({.log_regret = true});
  result.points[0].curve[0] = {};
  result.points[1].curve[0] = {};
  result.chosen[0] = 0;
  EXPECT_TRUE(has(figure_script(result, "svg", "f"), "$policy0 << EOD\n1000 3000 "));
}

TEST(FigureScript, NoRegretAtAll) {
  for (const bool log : {false, true}) {
    ExperimentResult result = made_result({});
    result.experiment.figure = {.log_regret = log};
    add_policy(result, "UCB", "ucb", {{1, always(0)}});
    EXPECT_TRUE(has(figure_script(result, "svg", "f"), log ? "yrange [1:10]" : "yrange [0:1]"));
  }
}

TEST(FigureScript, TwoPanels) {
  const std::string script = script_of({.percentile = true});
  EXPECT_TRUE(has(script, "set multiplot"));
  EXPECT_TRUE(has(script, "'95th percentile'"));
  EXPECT_TRUE(has(script, "$policy0 using 1:5 with lines"));
  EXPECT_TRUE(has(script, "size 1300,560"));
  EXPECT_FALSE(has(script_of({}), "multiplot"));
}

TEST(FigureScript, DrawsOnlyBoundsThatSaySomething) {
  ExperimentResult result = example({.bounds = true});
  result.curve_rounds = {10000, 20000};
  const std::string script = figure_script(result, "svg", "f");
  EXPECT_TRUE(has(script, "title 'lower bound, worst case'"));
  EXPECT_FALSE(has(script, "upper bound"));  // on `gaussian` they are above rounds * largest gap
  EXPECT_TRUE(has(script, "bounds above the figure are not drawn"));
  EXPECT_FALSE(has(script_of({}), "bound"));
  // Logarithms are below any line in the end.
  result.curve_rounds = {100000000, 2000000000};
  result.points[2].curve[1].mean = 1e6;
  EXPECT_TRUE(has(figure_script(result, "svg", "f"), "title 'upper bound, up_ucb_bl'"));
}

/// With noise that is wider than the theorem allows, the line is the bound that `updraft bounds`
/// has.
TEST(FigureScript, BoundsAreThoseOfTheNoise) {
  const TemporaryFolder folder;
  InstanceDefinition definition = load_instance("gaussian")->definition();
  std::get<GaussianNoise>(definition.noise).variance = 9.0;
  const std::string path = (folder.path() / "wide.json").string();
  save_instance(definition, path);
  ExperimentResult result = example({.bounds = true});
  result.experiment.instance = path;
  result.curve_rounds = {100000000, 2000000000};
  const auto line = [&] {
    for (BoundLine& bound : bound_lines(result)) {
      if (bound.label.starts_with("upper bound, up_ucb_bl")) return bound;
    }
    return BoundLine();
  }();
  EXPECT_EQ(line.label, "upper bound, up_ucb_bl (alpha x 9)");
  ASSERT_FALSE(line.values.empty());
  EXPECT_EQ(line.values.back(), bound_up_ucb_bl(BoundInputs::of(Instance(definition), 2e9, 0.05)));
}

TEST(BoundLines, AreBoundsAfterEachOfTheRounds) {
  ExperimentResult result = made_result({});
  result.curve_rounds = {1000000, 10000000, 100000000};
  const std::vector<BoundLine> lines = bound_lines(result);
  ASSERT_EQ(lines.size(), 1u);  // the lower bound, a number times log T
  ASSERT_EQ(lines[0].rounds, (std::vector<double>{1e6, 1e7, 1e8}));
  EXPECT_GT(lines[0].values[0], 0.0);
  EXPECT_NEAR(lines[0].values[1] / lines[0].values[0], 7.0 / 6.0, 1e-12);
  EXPECT_NEAR(lines[0].values[2] / lines[0].values[0], 8.0 / 6.0, 1e-12);
}

std::size_t upper_bounds(const ExperimentResult& result) {
  const std::vector<BoundLine> lines = bound_lines(result);
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [](const BoundLine& line) { return line.label.starts_with("upper bound"); }));
}

/// The theorems are not about the ablation, nor about a policy that is told another L or Delta.
TEST(BoundLines, AreOfThePolicyOfTheTheorem) {
  const auto drawn = [](const std::string& spec, const std::string& tuned = "alpha") {
    ExperimentResult result = made_result({});
    add_policy(result, "one", spec, {{2, always(3000)}}, tuned);
    return upper_bounds(result);
  };
  EXPECT_EQ(drawn("up_ucb"), 1u);
  EXPECT_EQ(drawn("up_ucb(delta=0.05)", ""), 1u);
  EXPECT_EQ(drawn("up_ucb(baseline_bound=ucb)"), 1u);
  EXPECT_EQ(drawn("up_ucb(baseline_bound=lcb)"), 0u);
  EXPECT_EQ(drawn("up_ucb_l_bl"), 1u);
  EXPECT_EQ(drawn("up_ucb_l_bl(max_affected=5)"), 0u);
  EXPECT_EQ(drawn("up_ucb_l_bl(max_affected=[9, 9, 9, 9, 9, 9, 9, 9, 9, 9])"), 0u);
  EXPECT_EQ(drawn("up_ucb_l_bl(alpha=1)", "max_affected"), 0u);
  EXPECT_EQ(drawn("up_ucb_ilift"), 1u);
  EXPECT_EQ(drawn("up_ucb_ilift(effect_gap=0.1)"), 0u);
  EXPECT_EQ(drawn("up_ucb_ilift(baseline_estimate=aggregated)"), 0u);
}

TEST(BoundLines, NoneHoldsForHeavyTails) {
  ExperimentResult result = example({.bounds = true});
  EXPECT_FALSE(bound_lines(result).empty());
  EXPECT_FALSE(has(figure_script(result, "svg", "f"), "heavy tails"));
  result.experiment.instance = "heavy-tails";
  EXPECT_TRUE(bound_lines(result).empty());
  EXPECT_TRUE(has(figure_script(result, "svg", "f"), "no bound holds for noise with heavy tails"));
}

TEST(FigureScript, RefusesOtherTerminalsAndResultsWithoutCurves) {
  EXPECT_EQ(testing::refusal([] { script_of({}, "pdf"); }), "terminal = pdf: must be svg or png");
  ExperimentResult result = example();
  result.points[1].curve.clear();
  EXPECT_EQ(testing::refusal([&] { figure_script(result, "svg", "f"); }),
            "curve = UpUCB(bl): must have one point for each of the curve's rounds");
  EXPECT_EQ(testing::refusal([] { figure_script(made_result({}), "svg", "f"); }),
            "policies: must have at least one");
}

TEST(DrawFigures, DrawsBothAndTheSameAgain) {
  if (!gnuplot_is_installed()) GTEST_SKIP() << "gnuplot is not installed";
  for (const FigureStyle& style :
       {FigureStyle{}, FigureStyle{.log_rounds = true, .log_regret = true},
        FigureStyle{.percentile = true, .bounds = true},
        FigureStyle{.against = FigureStyle::Against::kParameter}}) {
    const TemporaryFolder folder;
    ExperimentResult result = example(style);
    result.experiment.title = "`date` \"50 %\" \\ <b> & a_b^c";
    ASSERT_EQ(draw_figures(result, folder.path()), "");
    EXPECT_EQ(entries(folder.path()), 2u);
    const std::string svg = bytes_of(folder.path() / "figure.svg");
    EXPECT_TRUE(svg.starts_with("<?xml") && has(svg, "<svg") && has(svg, "</svg>"));
    EXPECT_TRUE(has(svg, "`date` \"50 %\" \\ &lt;b> &amp; a_b^c"));
    EXPECT_TRUE(has(svg, "it's_TS"));
    EXPECT_TRUE(bytes_of(folder.path() / "figure.png").starts_with("\x89PNG\r\n"));

    const TemporaryFolder other;
    ASSERT_EQ(draw_figures(result, other.path()), "");
    EXPECT_EQ(bytes_of(other.path() / "figure.svg"), svg);
  }
}

TEST(DrawFigures, SaysWhereGnuplotIsMissing) {
  const TemporaryFolder empty;
  const TemporaryFolder folder;
  const PathIs path(empty.path().string());
  EXPECT_EQ(draw_figures(example(), folder.path()),
            "gnuplot is not installed: install gnuplot-nox, then draw with: updraft figure " +
                folder.path().string());
  EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(DrawFigures, KeepsTheOldFiguresWhereGnuplotFails) {
  const TemporaryFolder programs;
  const TemporaryFolder folder;
  const fs::path gnuplot = programs.path() / "gnuplot";
  std::ofstream(gnuplot) << "#!/bin/sh\necho half >\"$(dirname \"$2\")/half\"\n"
                            "echo 'unknown terminal' >&2\nexit 1\n";
  fs::permissions(gnuplot, fs::perms::owner_all);
  std::ofstream(folder.path() / "figure.svg") << "old";
  const PathIs path(programs.path().string() + ":/usr/bin:/bin");
  const std::string said = draw_figures(example(), folder.path());
  EXPECT_TRUE(has(said, "gnuplot: unknown terminal; draw them later with: updraft figure")) << said;
  EXPECT_EQ(bytes_of(folder.path() / "figure.svg"), "old");
  EXPECT_TRUE(fs::remove(folder.path() / "half"));  // it did run
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(DrawFigures, SaysWhereTheFolderIsMissing) {
  if (!gnuplot_is_installed()) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  const std::string said = draw_figures(example(), folder.path() / "none");
  EXPECT_TRUE(has(said, "cannot be written")) << said;
}

ExperimentResult targeting_example() {
  ExperimentResult result = testing::made_targeting();
  testing::add_targeting_policy(result, "C2UpUCB", "c2_up_ucb(beta=1)", 200, 0.12);
  testing::add_targeting_policy(result, "Greedy", "greedy", 900, 0.05);
  testing::add_targeting_policy(result, "random", "random", 2000, 0.02);
  testing::add_targeting_policy(result, "oracle", "oracle", 0, 0.14);
  return result;
}

TEST(FigureScript, OfTargetingHasThreePanels) {
  const std::string script = figure_script(targeting_example(), "svg", "figure.svg");
  EXPECT_EQ(count_of(script, "plot "), 3u);
  EXPECT_TRUE(has(script, "'regret (predicted uplift lost)'"));
  EXPECT_TRUE(has(script, "'regret of the payoffs that came'"));
  EXPECT_TRUE(has(script, "'mean predicted uplift of those treated'"));
  EXPECT_TRUE(has(script, "$policy_m0_1 << EOD\n0 0 0 0 0\n"));
  EXPECT_TRUE(has(script, "1000 900 900 900 900\n"));
  EXPECT_TRUE(has(script, "1000 1800 1800 1800"));
  // A mean does not start at 0, and has the lines of chance and of knowing it all.
  EXPECT_TRUE(has(script, "$policy_m2_3 << EOD\n500 0.14 0.13 0.15 0.14\n"));
  EXPECT_TRUE(has(script, "$policy_m2_2"));
  EXPECT_FALSE(has(script, "$policy_m0_2"));
  EXPECT_FALSE(has(script, "$policy_m1_3"));
  // The legend is that of the last panel, from above.
  const std::size_t oracle = script.find("title 'oracle'");
  const std::size_t chance = script.find("title 'random'");
  ASSERT_NE(oracle, std::string::npos);
  EXPECT_LT(oracle, script.find("title 'C2UpUCB'"));
  EXPECT_LT(script.find("title 'Greedy'"), chance);
}

TEST(FigureScript, OfTargetingShowsRegretBelowZero) {
  ExperimentResult result = targeting_example();
  result.points[0].targeting->realised[0].mean = -300.0;
  EXPECT_TRUE(has(figure_script(result, "svg", "figure.svg"), "set yrange [-312:"));
}

}  // namespace
}  // namespace updraft
