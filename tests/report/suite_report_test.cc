#include <gtest/gtest.h>

#include "report/made_result.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/report.h"

namespace updraft {
namespace {

using testing::add_policy;
using testing::always;
using testing::around;
using testing::has;
using testing::made_result;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// One part against the parameter, one against rounds that judges a claim.
SuiteResult example() {
  SuiteResult suite{.name = "both", .title = "Two made results", .parts = {}};
  ExperimentResult first = made_result({});
  first.experiment.name = "first";
  first.experiment.figure.against = FigureStyle::Against::kParameter;
  add_policy(first, "UpUCB", "up_ucb", {{1, around(2000, 900)}, {2, always(2100)}});
  add_policy(first, "UpTS", "up_ts", {{0, around(1000, 300)}}, "");
  ExperimentResult second = made_result({2});
  second.experiment.name = "second";
  second.experiment.title = "Another made result";
  second.experiment.figure.percentile = true;
  add_policy(second, "UpUCB(bl)", "up_ucb_bl", {{3, always(1000)}});
  add_policy(second, "UpUCB", "up_ucb", {{1, always(1100)}});
  add_policy(second, "fixed", "ucb(alpha=3)", {{0, always(3000)}}, "");
  suite.parts = {first, second};
  return suite;
}

TEST(SuiteSummary, IsAsItWas) {
  EXPECT_EQ(summary_markdown(example()),
            R"(# Two made results

| experiment | instance | actions | variables | rounds | runs | seed |
|---|---|---:|---:|---:|---:|---:|
| [first](first/summary.md) | gaussian | 10 | 100 | 1,000 | 4 | 7 |
| [second](second/summary.md) | gaussian | 10 | 100 | 1,000 | 4 | 7 |

![Regret of the policies, both](figure.svg)

## Regret

Regrets are those after the last round. If a parameter is tuned, its value is the one with the least
mean + one standard deviation. Best in hindsight is the least mean over the grid: of the policy
itself or, if it has nothing to tune, of the tuned policies that have the same knowledge. Errors of
ratios are computed from differences run by run.

| instance | experiment | policy | mean regret ± s.e. | best in hindsight | ratio to it |
|---|---|---|---:|---|---:|
| gaussian | first | UpUCB, alpha = 2 | 2,100 ± 0 | UpUCB, alpha = 1: 2,000 ± 520 | 1.05 ± 0.27 |
| gaussian | first | UpTS | 1,000 ± 173 | UpUCB, alpha = 1: 2,000 ± 520 | 0.500 ± 0.043 |
| gaussian | second | UpUCB(bl), alpha = 3 | 1,000 ± 0 | UpUCB(bl), alpha = 3: 1,000 ± 0 | 1 |
| gaussian | second | UpUCB, alpha = 1 | 1,100 ± 0 | UpUCB, alpha = 1: 1,100 ± 0 | 1 |
| gaussian | second | fixed | 3,000 ± 0 | UpUCB(bl), alpha = 3: 1,000 ± 0 | 3.00 ± 0.00 |

## Verdicts

| experiment | claim of the paper | verdict |
|---|---|---|
| [second](second/summary.md) | (2) Not knowing the baseline costs little | supported |

## Repeat it

```sh
updraft run FILE --rounds 1000 --runs 4 --seed 7
updraft run FILE --rounds 1000 --runs 4 --seed 7
```
)");
}

TEST(SuiteSummary, RepeatsAShippedSuiteByOneCommand) {
  const auto shipped = std::get<Suite>(load_experiment_or_suite("paper"));
  SuiteResult suite{.name = shipped.name, .title = shipped.title, .parts = {}};
  const auto play = [&](auto version) {
    suite.parts.clear();
    for (const Experiment& experiment : shipped.experiments) {
      ExperimentResult part = made_result({});
      part.experiment = version(experiment);
      const std::vector<PolicyGrid> grids = part.experiment.policies;
      part.experiment.policies.clear();
      for (const PolicyGrid& grid : grids) {
        std::vector<testing::MadeValue> values(grid.values.size(), {1, always(5)});
        if (values.empty()) values = {{0, always(5)}};
        add_policy(part, grid.label, grid.spec.text(), values, grid.parameter);
      }
      part.experiment.policies = grids;
      suite.parts.push_back(part);
    }
    return summary_markdown(suite);
  };
  EXPECT_TRUE(
      has(play([](const Experiment& one) { return one; }), "```sh\nupdraft run paper\n```"));
  EXPECT_TRUE(has(play([](const Experiment& one) { return quick_version(one); }),
                  "```sh\nupdraft run paper --quick\n```"));
  EXPECT_TRUE(has(play([](Experiment one) {
                    one.runs = 3;
                    return one;
                  }),
                  "updraft run gaussian --rounds 20000 --runs 3 --seed 1\n"));
}

TEST(SuiteFigure, HasAPanelForEachExperimentAndOneLegend) {
  const std::string script = figure_script(example(), "svg", "f");
  EXPECT_EQ(count(script, "\nplot "), 3u);
  EXPECT_TRUE(has(script, "set title 'A made result'"));
  EXPECT_TRUE(has(script, "set title 'Another made result'"));
  EXPECT_TRUE(has(script, "set label 1 'Two made results'"));
  for (const char* label : {"'UpUCB'", "'UpTS'", "'UpUCB(bl)'", "'fixed'"}) {
    EXPECT_EQ(count(script, std::string(" title ") + label), 1u) << label;
  }
  EXPECT_FALSE(has(script, "percentile"));
  EXPECT_TRUE(has(script, "4 runs; bands"));
}

TEST(SuiteFigure, ShortensLongTitles) {
  SuiteResult suite = example();
  std::string title;
  for (int i = 0; i < 54; ++i) title += "ä";
  suite.parts[0].experiment.title = title;
  EXPECT_TRUE(has(figure_script(suite, "svg", "f"), "set title '" + title + "'"));
  suite.parts[0].experiment.title += "b";
  title.resize(2 * 53);
  EXPECT_TRUE(has(figure_script(suite, "svg", "f"), "set title '" + title + "…'"));
}

TEST(SuiteFigure, APolicyHasOneColour) {
  const std::string script = figure_script(example(), "svg", "f");
  EXPECT_TRUE(has(script, "$part0_policy0 using 1:2 with linespoints lw 1.8 lc rgb '#D55E00'"));
  EXPECT_TRUE(has(script, "$part1_policy1 using 1:2 with lines lw 2.2 lc rgb '#D55E00'"));
}

TEST(SuiteFigure, PlacesPanelsInAGrid) {
  SuiteResult suite = example();
  const auto size_of = [&](std::size_t parts) {
    suite.parts.resize(parts, suite.parts[0]);
    const std::string script = figure_script(suite, "svg", "f");
    const std::size_t at = script.find("size ") + 5;
    return script.substr(at, script.find(' ', at) - at);
  };
  EXPECT_EQ(size_of(2), "1350,418");
  EXPECT_EQ(size_of(3), "900,770");
  EXPECT_EQ(size_of(5), "1350,770");
  EXPECT_EQ(size_of(8), "1350,1122");
  EXPECT_EQ(size_of(9), "1800,1122");
  EXPECT_EQ(size_of(1), "900,418");
}

TEST(SuiteFigure, IsDrawn) {
  const testing::TemporaryFolder folder;
  const std::string said = draw_figures(example(), folder.path());
  if (has(said, "gnuplot is not installed")) GTEST_SKIP() << said;
  EXPECT_EQ(said, "");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "figure.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "figure.png"));
}

TEST(SuiteReport, RefusesNoExperiments) {
  const SuiteResult empty;
  EXPECT_EQ(testing::refusal([&] { summary_markdown(empty); }),
            "experiments: must have at least one");
  EXPECT_EQ(testing::refusal([&] { figure_script(empty, "svg", "f"); }),
            "experiments: must have at least one");
}

}  // namespace
}  // namespace updraft
