#include <gtest/gtest.h>

#include "report/made_result.h"
#include "support/refusal.h"
#include "updraft/report.h"

namespace updraft {
namespace {

using testing::add_policy;
using testing::always;
using testing::around;
using testing::has;
using testing::made_result;
using testing::says;

ExperimentResult example() {
  ExperimentResult result = made_result({2});
  add_policy(result, "UpUCB(bl)", "up_ucb_bl",
             {{1, always(3000)}, {2, around(1234, 100)}, {3, always(2000)}});
  add_policy(result, "UpUCB", "up_ucb", {{1, always(1500)}, {2, always(2500)}});
  add_policy(result, "TS", "ts", {{0.08, always(20000)}}, "sigma2");
  add_policy(result, "fixed", "ucb(alpha=3)", {{0.0, always(5)}}, "");
  result.experiment.policies[0].paper = 3;
  return result;
}

TEST(Summary, IsAsItWas) {
  EXPECT_EQ(summary_markdown(example()),
            R"(# A made result

Instance gaussian: K = 10 actions, m = 100 variables, at most L = 10 of them affected by an
action. 4 runs of 1,000 rounds each, seed 7; in each run, all policies meet the same noise. The
parameter of a policy is the value with the least mean + one standard deviation of the regret after
the last round.

## Chosen parameters and regret

| policy | parameter | chosen | paper's | mean regret ± s.e. | sd | 95th percentile | note |
|---|---|---:|---:|---:|---:|---:|---|
| UpUCB(bl) | alpha | 2 | 3 | 1,234 ± 58 | 115 | 1,334 |  |
| UpUCB | alpha | 1 | - | 1,500 ± 0 | 0 | 1,500 | at the edge of the grid |
| TS | sigma2 | 0.08 | - | 20,000 ± 0 | 0 | 20,000 | not tuned: one value |
| fixed | - | - | - | 5.00 ± 0.00 | 0 | 5.00 | nothing to tune |

![Regret of the policies, made](figure.svg)

## Verdicts

Errors are standard errors over the runs. A statement holds (yes) or fails (no) if it does so with
two standard errors to spare. A claim is supported if all of its statements hold, not supported if
one fails, and otherwise inconclusive.

| claim of the paper | verdict | evidence |
|---|---|---|
| (2) Not knowing the baseline costs little | supported | UpUCB (1,500 ± 0) is 1.216 ± 0.057 times UpUCB(bl) (1,234 ± 58) (at most 1.5): yes. |

## Repeat it

```sh
updraft run FILE --rounds 1000 --runs 4 --seed 7
```
)");
}

TEST(Summary, SaysWhereAClaimFails) {
  ExperimentResult result = made_result({2});
  add_policy(result, "UpUCB(bl)", "up_ucb_bl", {{1, always(10)}});
  add_policy(result, "UpUCB", "up_ucb", {{1, always(100)}});
  EXPECT_TRUE(has(summary_markdown(result), "| **not supported** |"));
}

TEST(Summary, SaysThatARunIsShort) {
  ExperimentResult result = made_result({});
  add_policy(result, "UCB", "ucb", {{1, always(20)}, {2, always(10)}});
  add_policy(result, "UpUCB", "up_ucb", {{1, always(20)}});
  EXPECT_FALSE(has(summary_markdown(result), "short"));
  Experiment& experiment = result.experiment;
  experiment.whole_rounds = 1000;
  experiment.whole_runs = 4;
  experiment.policies[0].whole_values = 2;
  EXPECT_FALSE(has(summary_markdown(result), "short"));
  experiment.whole_rounds = 20000;
  EXPECT_TRUE(says(summary_markdown(result),
                   "after the last round. This is a short run: 1,000 of 20,000 rounds.\n\n"));
  experiment.whole_runs = 100;
  experiment.policies[1].whole_values = 10;
  EXPECT_TRUE(says(summary_markdown(result),
                   "This is a short run: 1,000 of 20,000 rounds, 4 of 100 runs, 1 of 2 parameters "
                   "not tuned.\n\n"));
}

TEST(Summary, NotesTheUpperEdgeToo) {
  ExperimentResult result = made_result({});
  add_policy(result, "UCB", "ucb", {{1, always(20)}, {2, always(10)}});
  EXPECT_TRUE(has(summary_markdown(result), "| at the edge of the grid |"));
  EXPECT_FALSE(has(summary_markdown(result), "Verdicts"));
}

TEST(Summary, RepeatsAQuickRunAsOne) {
  ExperimentResult result = made_result({});
  add_policy(result, "UCB", "ucb", {{2, always(10)}});
  add_policy(result, "UpUCB", "up_ucb", {{1, always(20)}, {2, always(10)}});
  EXPECT_TRUE(has(summary_markdown(result), "updraft run FILE --rounds"));
  result.experiment.policies[0].paper = 2;
  EXPECT_TRUE(has(summary_markdown(result), "updraft run FILE --quick --rounds"));
  result.experiment.policies[1].quick = 2;  // a choice that was not taken: the whole grid
  EXPECT_TRUE(has(summary_markdown(result), "updraft run FILE --rounds"));
}

TEST(Summary, LabelsDoNotBreakTheTable) {
  ExperimentResult result = made_result({});
  add_policy(result, "a|b\nc", "ucb", {{1, always(10)}});
  EXPECT_TRUE(has(summary_markdown(result), "| a\\|b c | alpha |"));
}

TEST(Summary, RefusesAnInstanceThatIsGone) {
  ExperimentResult result = made_result({});
  result.experiment.instance = "no-such-instance";
  EXPECT_TRUE(has(testing::refusal([&] { summary_markdown(result); }), "no-such-instance"));
}

TEST(Summary, RepeatsAPartOfAShippedExperiment) {
  ExperimentResult result = made_result({});
  result.experiment.name = "gaussian";
  add_policy(result, "UCB", "ucb", {{1.0, always(10.0)}, {2.0, always(20.0)}});
  add_policy(result, "UpUCB(bl)", "up_ucb_bl", {{1.0, always(5.0)}, {2.0, always(6.0)}});
  EXPECT_TRUE(has(summary_markdown(result),
                  "updraft run gaussian --policies 'UCB' 'UpUCB(bl)' --rounds 1000"));
}

TEST(Summary, OfTargetingSaysWhoWasTreatedAndHowTheyWereRanked) {
  ExperimentResult result = testing::made_targeting();
  testing::add_targeting_policy(result, "C2UpUCB", "c2_up_ucb(beta=1)", 200, 0.12);
  testing::add_targeting_policy(result, "oracle", "oracle", 0, 0.14);
  const std::string text = summary_markdown(result);
  EXPECT_TRUE(says(text,
                   "Targeting: 100 individuals per round, of whom at most 10 get the "
                   "treatment. They are drawn, with replacement, from 800 (1,000 made customers); "
                   "200 others are held out. 12 features, and the models draw all payoffs."))
      << text;
  EXPECT_TRUE(says(text, "in each run, all policies meet the same individuals and random numbers"));
  // Regret of 200 after 1,000 rounds, 200 / 1.3 after 500.
  EXPECT_TRUE(has(text,
                  "| C2UpUCB | 400 ± 0 | 0.1200 ± 0.0100 | 0.38 | 0.0300 (0.0120 to 0.0480) | "
                  "0.0600 (0.0360 to 0.0840) |"))
      << text;
  EXPECT_TRUE(has(text, "| oracle | 0 ± 0 | 0.1400 ± 0.0100 | - |")) << text;
  ExperimentResult rising = result;  // those treated are chosen better and better
  rising.points[0].targeting->uplift[0].mean = 0.01;
  rising.points[0].targeting->realised[0].mean = 1.0;
  EXPECT_EQ(summary_markdown(rising), text);

  EXPECT_TRUE(has(text, "updraft run FILE --rounds 1000 --runs 4 --seed 7 --data PATH\n"));
  result.experiment.targeting->recorded = true;
  result.population->treatments = 2;
  EXPECT_TRUE(says(summary_markdown(result), "get one of 2 treatments"));
  EXPECT_TRUE(says(summary_markdown(result),
                   "individuals who get their recorded treatment pay their recorded outcome"));
}

}  // namespace
}  // namespace updraft
