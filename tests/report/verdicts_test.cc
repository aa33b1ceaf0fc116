#include <gtest/gtest.h>

#include <algorithm>

#include "report/made_result.h"
#include "support/refusal.h"
#include "updraft/report.h"

namespace updraft {
namespace {

using testing::add_policy;
using testing::always;
using testing::around;
using testing::made_result;
using testing::MadeValue;
using Outcome = Verdict::Outcome;
using Regrets = std::vector<double>;

/// The verdict on the only claim.
Verdict only(const ExperimentResult& result) {
  const std::vector<Verdict> verdicts = judge(result);
  EXPECT_EQ(verdicts.size(), 1u);
  return verdicts.front();
}

bool says(const Verdict& verdict, const std::string& text) {
  return verdict.evidence.find(text) != std::string::npos;
}

void add(ExperimentResult& result, const std::string& spec, const Regrets& regrets) {
  add_policy(result, "the " + spec, spec, {{1.0, regrets}});
}

ExperimentResult known_sets(const Regrets& up_ucb_bl, const Regrets& up_ucb) {
  ExperimentResult result = made_result({1});
  add(result, "ucb", always(100));
  add(result, "ts", always(120));
  add(result, "up_ucb_bl", up_ucb_bl);
  add(result, "up_ucb", up_ucb);
  return result;
}

// With four runs a statement must hold with 3.18 standard errors to spare: around(x, 5) can be
// told from what is 9.19 away, around(x, 10) from what is 18.4 away.

TEST(Verdicts, KnownSetsWin) {
  const Verdict verdict = only(known_sets(around(20, 5), around(30, 5)));
  EXPECT_EQ(verdict.claim, 1);
  EXPECT_EQ(verdict.outcome, Outcome::kSupported);
  EXPECT_TRUE(says(verdict,
                   "the up_ucb_bl (20.0 ± 2.9) is 0.200 ± 0.029 times the ucb (100 ± 0) (at most "
                   "0.6): yes"))
      << verdict.evidence;
}

TEST(Verdicts, KnownSetsWinUpToSixtyPercent) {
  EXPECT_EQ(only(known_sets(always(60), always(60))).outcome, Outcome::kSupported);
  EXPECT_EQ(only(known_sets(always(60), always(60.01))).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(known_sets(around(50, 5), always(10))).outcome, Outcome::kSupported);
  EXPECT_EQ(only(known_sets(around(52, 5), always(10))).outcome, Outcome::kInconclusive);
  EXPECT_EQ(only(known_sets(around(68, 5), always(10))).outcome, Outcome::kInconclusive);
  EXPECT_EQ(only(known_sets(around(70, 5), always(10))).outcome, Outcome::kNotSupported);
}

TEST(Verdicts, OneFailingStatementOutweighsWhatCannotBeTold) {
  EXPECT_EQ(only(known_sets(around(55, 5), always(61))).outcome, Outcome::kNotSupported);
}

TEST(Verdicts, AgainstRegretLostInItsErrorTheyAreInconclusive) {
  ExperimentResult result = made_result({1});
  add(result, "ucb", around(100, 95));
  add(result, "ts", always(100));
  add(result, "up_ucb_bl", always(1));
  add(result, "up_ucb", always(1));
  EXPECT_EQ(only(result).outcome, Outcome::kInconclusive);
}

/// The verdict on a limit of "the ts" beside a regret of 100 of "the ucb".
Verdict limited(const RegretLimit& limit, const Regrets& regrets) {
  ExperimentResult result = made_result({});
  add(result, "ucb", always(100));
  add(result, "ts", regrets);
  result.experiment.limits = {limit};
  return only(result);
}

TEST(Verdicts, JudgeLimitsLikeClaims) {
  const RegretLimit half = {.policy = "the ts", .of = "the ucb", .times = 0.5};
  const Verdict verdict = limited(half, around(20, 5));
  EXPECT_EQ(verdict.claim, 0);
  EXPECT_EQ(verdict.statement, "the ts has at most 0.5 times the regret of the ucb");
  EXPECT_EQ(verdict.outcome, Outcome::kSupported);
  EXPECT_TRUE(says(verdict, "the ts (20.0 ± 2.9) is 0.200 ± 0.029 times the ucb (100 ± 0): yes"))
      << verdict.evidence;
  EXPECT_EQ(limited(half, around(45, 5)).outcome, Outcome::kInconclusive);
  EXPECT_EQ(limited(half, around(60, 5)).outcome, Outcome::kNotSupported);
  const RegretLimit thirty = {.policy = "the ts", .regret = 30.0};
  EXPECT_EQ(limited(thirty, around(20, 5)).outcome, Outcome::kSupported);
  EXPECT_EQ(limited(thirty, around(25, 5)).outcome, Outcome::kInconclusive);
  EXPECT_EQ(limited(thirty, around(40, 5)).outcome, Outcome::kNotSupported);
  EXPECT_EQ(limited({.policy = "another", .regret = 1.0}, always(1)).outcome, Outcome::kNotTested);
}

// Of the four runs 1, 2, 4, 13 the median is 3, the mean 5.
TEST(Verdicts, JudgeTailsByTheMedian) {
  const Regrets runs = {13, 1, 4, 2};
  const auto mean = [&](double limit) {
    return limited({.policy = "the ts", .mean_of_median = limit}, runs).outcome;
  };
  EXPECT_EQ(mean(1.67), Outcome::kSupported);
  EXPECT_EQ(mean(1.66), Outcome::kNotSupported);
  const auto largest = [&](double limit) {
    return limited({.policy = "the ts", .largest_of_median = limit}, runs).outcome;
  };
  EXPECT_EQ(largest(4.34), Outcome::kSupported);
  EXPECT_EQ(largest(4.33), Outcome::kNotSupported);
}

TEST(Verdicts, NeedsAllPoliciesOfAClaim) {
  ExperimentResult result = made_result({1, 2, 3, 4, 5});
  add(result, "ucb", always(100));
  const std::vector<Verdict> verdicts = judge(result);
  ASSERT_EQ(verdicts.size(), 5u);
  for (const Verdict& verdict : verdicts) {
    EXPECT_EQ(verdict.outcome, Outcome::kNotTested);
    EXPECT_TRUE(says(verdict, "this run has no up_ucb")) << verdict.evidence;
    EXPECT_FALSE(verdict.statement.empty());
  }
}

TEST(Verdicts, NeedsTwoRuns) {
  ExperimentResult result = made_result({1});
  result.experiment.runs = 1;
  for (const char* spec : {"ucb", "ts"}) add(result, spec, always(100, 1));
  for (const char* spec : {"up_ucb_bl", "up_ucb"}) add(result, spec, always(1, 1));
  EXPECT_EQ(only(result).outcome, Outcome::kNotTested);
  EXPECT_EQ(only(result).evidence, "Not tested: one run has no standard error.");
}

TEST(Verdicts, RefusesClaimsThatAreNotThere) {
  EXPECT_EQ(testing::refusal([] { judge(made_result({10})); }), "claims = 10: must be from 1 to 9");
  EXPECT_TRUE(judge(made_result({})).empty());
}

ExperimentResult baseline(const Regrets& known, const Regrets& unknown) {
  ExperimentResult result = made_result({2});
  add(result, "up_ucb(baseline_bound=lcb)", always(1e6));  // not the one that is meant
  add(result, "up_ucb_bl", known);
  add(result, "up_ucb", unknown);
  return result;
}

TEST(Verdicts, BaselineCostsLittle) {
  const Verdict verdict = only(baseline(always(100), always(150)));
  EXPECT_EQ(verdict.outcome, Outcome::kSupported);
  EXPECT_TRUE(says(verdict, "the up_ucb (150 ± 0) is 1.50 ± 0.00 times the up_ucb_bl (100 ± 0)"));
  EXPECT_EQ(only(baseline(always(100), always(150.1))).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(baseline(always(100), around(130, 10))).outcome, Outcome::kSupported);
  EXPECT_EQ(only(baseline(always(100), around(140, 10))).outcome, Outcome::kInconclusive);
  EXPECT_EQ(only(baseline(always(100), around(160, 10))).outcome, Outcome::kInconclusive);
  EXPECT_EQ(only(baseline(always(100), around(170, 10))).outcome, Outcome::kNotSupported);
}

TEST(Verdicts, RunsArePaired) {
  // Twice the regret in every run is more than 1.5 times; the same regrets in another order tell
  // nothing.
  EXPECT_EQ(only(baseline(around(100, 20), around(200, 40))).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(baseline(around(100, 20), around(200, -40))).outcome, Outcome::kInconclusive);
}

TEST(Verdicts, NoRegretAtAll) {
  EXPECT_EQ(only(baseline(always(0), always(0))).outcome, Outcome::kSupported);
  EXPECT_EQ(only(baseline(always(0), always(1))).outcome, Outcome::kNotSupported);
}

ExperimentResult sets(const std::string& instance, double known, const Regrets& unknown) {
  ExperimentResult result = made_result({3});
  result.experiment.instance = instance;
  add(result, "up_ucb_l_bl(max_affected=15)", always(0));  // not the one that is meant
  add(result, "up_ucb_bl", always(known));
  add(result, "up_ucb", always(known));
  add(result, "up_ucb_l_bl", unknown);
  add(result, "up_ucb_l", unknown);
  return result;
}

TEST(Verdicts, UnknownSetsCostMore) {
  EXPECT_EQ(only(sets("gaussian", 100, around(110, 5))).outcome, Outcome::kSupported);
  EXPECT_EQ(only(sets("gaussian", 100, around(105, 5))).outcome, Outcome::kInconclusive);
  EXPECT_EQ(only(sets("gaussian", 100, around(95, 5))).outcome, Outcome::kInconclusive);
  EXPECT_EQ(only(sets("gaussian", 100, around(90, 5))).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(sets("gaussian", 100, always(100))).outcome, Outcome::kNotSupported);
  EXPECT_TRUE(says(only(sets("gaussian", 100, always(110))), "on criteo is judged there"));
}

TEST(Verdicts, UnknownSetsCostMuchMoreOnCriteo) {
  const Verdict verdict = only(sets("criteo", 100, always(150)));
  EXPECT_EQ(verdict.outcome, Outcome::kSupported);
  EXPECT_TRUE(says(verdict, "1.50 ± 0.00 times as much"));
  EXPECT_EQ(only(sets("criteo", 100, always(149))).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(sets("criteo", 100, around(170, 10))).outcome, Outcome::kSupported);
  EXPECT_EQ(only(sets("criteo", 100, around(155, 10))).outcome, Outcome::kInconclusive);
  EXPECT_EQ(only(sets("criteo", 100, around(130, 10))).outcome, Outcome::kNotSupported);
}

ExperimentResult bounds_of_baseline(const Regrets& lcb) {
  ExperimentResult result = made_result({4});
  result.experiment.runs = static_cast<std::uint32_t>(lcb.size());
  add(result, "up_ucb(baseline_bound=lcb)", lcb);
  add(result, "up_ucb", always(100, lcb.size()));
  return result;
}

TEST(Verdicts, LowerBoundHasTheHigherTail) {
  // Half of the runs are at 150, so that the 95th percentile is, and without error.
  const Verdict verdict = only(bounds_of_baseline(around(100, 50, 40)));
  EXPECT_EQ(verdict.outcome, Outcome::kSupported);
  EXPECT_TRUE(says(verdict, "95th percentile 150 against 100, 1.50 ± 0.00 times"))
      << verdict.evidence;
  EXPECT_EQ(only(bounds_of_baseline(around(100, 25, 40))).outcome, Outcome::kSupported);
  EXPECT_EQ(only(bounds_of_baseline(around(100, 24, 40))).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(bounds_of_baseline(always(151, 40))).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(bounds_of_baseline(always(66, 40))).outcome, Outcome::kNotSupported);
}

TEST(Verdicts, AFewRunsInTheTailAreInconclusive) {
  Regrets regrets = always(100, 40);
  std::fill_n(regrets.begin(), 3, 200.0);
  EXPECT_EQ(only(bounds_of_baseline(regrets)).outcome, Outcome::kInconclusive);
  regrets = always(100, 400);
  std::fill_n(regrets.begin(), 60, 200.0);
  EXPECT_EQ(only(bounds_of_baseline(regrets)).outcome, Outcome::kSupported);
}

TEST(Verdicts, APercentileNeedsTwentyRuns) {
  const Verdict verdict = only(bounds_of_baseline(around(100, 50, 18)));
  EXPECT_EQ(verdict.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(says(verdict, "from 18 runs, which are too few for a percentile"))
      << verdict.evidence;
}

struct WrongBound {
  std::vector<MadeValue> five = {{1, always(150), 0.95}, {6, always(260), 0.5}};
  std::vector<MadeValue> eight = {{1, always(300)}, {6, always(120)}};
  std::vector<MadeValue> ten = {{1, always(200)}, {5, always(100)}};
  std::vector<MadeValue> fifteen = {{1, around(130, 4), 0.6}};

  Verdict verdict() const {
    ExperimentResult result = made_result({5});
    add_policy(result, "L = 5", "up_ucb_l_bl(max_affected=5)", five);
    add_policy(result, "L = 8", "up_ucb_l_bl(max_affected=8)", eight);
    add_policy(result, "L = 10", "up_ucb_l_bl(max_affected=10)", ten);
    add_policy(result, "L = 15", "up_ucb_l_bl(max_affected=15)", fifteen);
    return only(result);
  }
};

TEST(Verdicts, WrongBoundHolds) {
  const Verdict verdict = WrongBound{}.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::kSupported) << verdict.evidence;
  EXPECT_TRUE(says(verdict, "L = 5 fails with 2 of 2 values of alpha"));
  EXPECT_TRUE(says(verdict,
                   "L = 8 takes a larger alpha than L = 10 (6 and 5; in 100 % of resamples): yes"));
  EXPECT_TRUE(says(verdict, "L = 8 (120 ± 0) is 1.20 ± 0.00 times L = 10 (100 ± 0)"));
  EXPECT_TRUE(says(verdict, "growth 0.60 ± 0.06 (at most 0.8): yes"));
  EXPECT_TRUE(says(verdict, "L = 15 minus L = 10 is 30.0 ± 2.3 (above 0): yes"));
}

TEST(Verdicts, WrongBoundFailsWithAnyPart) {
  WrongBound one_good_value;
  one_good_value.five[0].growth = 0.79;
  EXPECT_EQ(one_good_value.verdict().outcome, Outcome::kNotSupported);
  EXPECT_TRUE(says(one_good_value.verdict(), "fails with 1 of 2 values"));

  WrongBound twice;  // must be above
  twice.five[1].regrets = always(200);
  EXPECT_EQ(twice.verdict().outcome, Outcome::kNotSupported);

  WrongBound same_alpha;
  same_alpha.eight[1].value = 5;
  EXPECT_EQ(same_alpha.verdict().outcome, Outcome::kNotSupported);
  EXPECT_TRUE(says(same_alpha.verdict(), "(5 and 5; in 0.0 % of resamples): no"));

  WrongBound not_rescued;
  not_rescued.eight[1].regrets = always(151);
  EXPECT_EQ(not_rescued.verdict().outcome, Outcome::kNotSupported);

  WrongBound linear;
  linear.fifteen[0].growth = 1.2;
  EXPECT_EQ(linear.verdict().outcome, Outcome::kNotSupported);

  WrongBound no_larger;
  no_larger.fifteen[0].regrets = around(90, 4);
  EXPECT_EQ(no_larger.verdict().outcome, Outcome::kNotSupported);
}

TEST(Verdicts, WrongBoundIsInconclusiveWithAnyPartThatCannotBeTold) {
  WrongBound about_twice;
  about_twice.five[1].regrets = around(210, 20);
  EXPECT_EQ(about_twice.verdict().outcome, Outcome::kInconclusive);

  WrongBound either_alpha;
  either_alpha.eight = {{1, {119, 121, 119, 121}}, {6, {121, 119, 121, 119}}};
  EXPECT_EQ(either_alpha.verdict().outcome, Outcome::kInconclusive);  // in 31 % of resamples
  either_alpha.eight[0].regrets = {119.1, 121.1, 119.1, 121.1};
  EXPECT_EQ(either_alpha.verdict().outcome, Outcome::kInconclusive);  // in 69 %

  WrongBound perhaps_rescued;
  perhaps_rescued.eight[1].regrets = around(145, 10);
  EXPECT_EQ(perhaps_rescued.verdict().outcome, Outcome::kInconclusive);

  WrongBound perhaps_linear;
  perhaps_linear.fifteen[0].growth = 0.79;
  EXPECT_EQ(perhaps_linear.verdict().outcome, Outcome::kInconclusive);
  perhaps_linear.fifteen[0].growth = 0.81;
  EXPECT_EQ(perhaps_linear.verdict().outcome, Outcome::kInconclusive);

  WrongBound perhaps_larger;
  perhaps_larger.fifteen[0].regrets = around(105, 4);
  EXPECT_EQ(perhaps_larger.verdict().outcome, Outcome::kInconclusive);
}

TEST(Verdicts, WrongBoundIsNotTestedWithoutTuning) {
  WrongBound quick;
  quick.eight.pop_back();
  EXPECT_EQ(quick.verdict().outcome, Outcome::kNotTested);
  EXPECT_EQ(quick.verdict().evidence, "Not tested: alpha of L = 8 was not tuned in this run.");
}

/// Regrets of targeting policies, in the order of the claim.
ExperimentResult targeting(double c2_bl, double c2, double eps_bl, double eps, double greedy,
                           double c2_ucb, double growth = 0.3) {
  ExperimentResult result = made_result({6});
  result.experiment.instance.clear();
  result.experiment.targeting = TargetingSetting{.data = "criteo"};
  const auto add_one = [&](const char* spec, double regret, double grows) {
    testing::add_policy(result, spec, spec, {{0.0, around(regret, 5), grows}}, "");
  };
  add_one("c2_up_ucb_bl(beta=1)", c2_bl, growth);
  add_one("c2_up_ucb(beta=1)", c2, 0.3);
  add_one("eps_greedy_bl(eps=0.1)", eps_bl, 0.9);
  add_one("eps_greedy(eps=0.1)", eps, 0.9);
  add_one("greedy_bl", greedy, 1.0);
  add_one("c2_ucb(beta=1)", c2_ucb, 1.0);
  return result;
}

TEST(Verdicts, OnTargeting) {
  EXPECT_EQ(only(targeting(200, 210, 300, 280, 1000, 1500)).outcome, Outcome::kSupported);
  // Not sublinear; no better than eps-greedy told the same; greedy or c2_ucb not bad.
  EXPECT_EQ(only(targeting(200, 210, 300, 280, 1000, 1500, 1.1)).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(targeting(301, 210, 300, 400, 1000, 1500)).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(targeting(200, 281, 300, 280, 1000, 1500)).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(targeting(200, 210, 300, 280, 290, 1500)).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(targeting(200, 210, 300, 280, 1000, 290)).outcome, Outcome::kNotSupported);
}

TEST(Verdicts, OnTargetingAreInconclusiveWhereTheGrowthCannotBeTold) {
  EXPECT_EQ(only(targeting(200, 210, 300, 280, 1000, 1500, 0.75)).outcome, Outcome::kInconclusive);
  EXPECT_EQ(only(targeting(200, 210, 300, 280, 1000, 1500, 0.85)).outcome, Outcome::kInconclusive);
}

TEST(Verdicts, AShortRunGivesNone) {
  for (const auto& regrets : {always(50), always(70)}) {  // clear by themselves, either way
    ExperimentResult result = known_sets(regrets, regrets);
    ASSERT_NE(only(result).outcome, Outcome::kInconclusive);
    result.experiment.whole_rounds = 1000;
    EXPECT_NE(only(result).outcome, Outcome::kInconclusive) << "no fewer rounds";
    result.experiment.whole_rounds = 5000;
    EXPECT_EQ(only(result).outcome, Outcome::kInconclusive);
    EXPECT_TRUE(says(only(result), "No verdict, because the run is short. Evidence: the up_ucb_bl"))
        << only(result).evidence;
    result.experiment.whole_rounds = 0;
    result.experiment.policies[2].whole_values = 10;
    EXPECT_EQ(only(result).outcome, Outcome::kInconclusive);
  }
}

TEST(Verdicts, FewerRunsOnlyHaveLargerErrors) {
  ExperimentResult result = known_sets(always(50), always(50));
  result.experiment.whole_runs = 100;
  EXPECT_EQ(only(result).outcome, Outcome::kSupported);
}

TEST(Verdicts, SayWhetherIndividualsWereGenerated) {
  ExperimentResult result = targeting(200, 210, 300, 280, 1000, 1500);
  EXPECT_FALSE(says(only(result), "generated"));
  result.population = PopulationSummary{.summary = "made", .generated = true};
  EXPECT_TRUE(says(only(result), "Run on generated individuals"));
  result.experiment.targeting->recorded = true;
  EXPECT_EQ(only(result).outcome, Outcome::kNotTested);
}

/// A targeting policy with its regret, the mean uplift of those treated and the regret of the
/// payoffs that came, per run.
struct MadeTargeting {
  std::string spec;
  Regrets uplift;
  Regrets realised;
  double growth = 1.0;
};

ExperimentResult recorded_targeting(int claim, const std::vector<MadeTargeting>& policies) {
  ExperimentResult result = made_result({claim});
  result.experiment.instance.clear();
  result.experiment.targeting = TargetingSetting{.data = "criteo", .recorded = true};
  for (const MadeTargeting& made : policies) {
    add_policy(result, "the " + made.spec, made.spec,
               {{.value = 1.0, .regrets = always(100), .growth = made.growth}}, "");
    TargetingMeasures& measures = result.points.back().targeting.emplace();
    measures.final_uplift = made.uplift;
    measures.final_realised = made.realised;
    measures.uplift = {summarize(made.uplift)};
    measures.realised = {summarize(made.realised)};
  }
  return result;
}

/// As the paper has it; tests change one policy.
std::vector<MadeTargeting> papers_targeting() {
  return {{"greedy_bl", always(0.08), always(80)},
          {"eps_greedy_bl", always(0.10), always(10)},
          {"eps_greedy", always(0.11), always(10)},
          {"c2_up_ucb_bl", around(0.12, 0.001), always(19)},
          {"c2_up_ucb", around(0.12, 0.001), always(1)},
          {"c2_ucb", always(0.05), always(90)},
          {"random", always(0.02), always(100)}};
}

TEST(Verdicts, RecordedTargetingExplore) {
  std::vector<MadeTargeting> made = papers_targeting();
  const Verdict verdict = only(recorded_targeting(7, made));
  EXPECT_EQ(verdict.outcome, Outcome::kSupported);
  EXPECT_TRUE(says(verdict,
                   "the c2_up_ucb_bl (0.1200 ± 0.0006) minus the eps_greedy_bl (0.1000 ± "
                   "0.0000) is 0.0200 ± 0.0006"))
      << verdict.evidence;
  for (const std::size_t better : {0u, 5u, 6u}) {  // greedy_bl, c2_ucb, random: above eps_greedy_bl
    made = papers_targeting();
    made[better].uplift = always(0.105);
    EXPECT_EQ(only(recorded_targeting(7, made)).outcome, Outcome::kNotSupported);
  }
  made = papers_targeting();
  made[2].uplift = always(0.13);  // eps_greedy above c2_up_ucb
  EXPECT_EQ(only(recorded_targeting(7, made)).outcome, Outcome::kNotSupported);
}

TEST(Verdicts, RecordedTargetingEndAlike) {
  std::vector<MadeTargeting> made = papers_targeting();
  EXPECT_EQ(only(recorded_targeting(8, made)).outcome, Outcome::kSupported);
  made[3].realised = always(21);  // 11 of the 100 that chance loses
  EXPECT_EQ(only(recorded_targeting(8, made)).outcome, Outcome::kNotSupported);
  made = papers_targeting();
  made[4].realised = always(-1);
  EXPECT_EQ(only(recorded_targeting(8, made)).outcome, Outcome::kNotSupported);
  made = papers_targeting();
  made[0].growth = 0.3;  // greedy_bl is sublinear
  EXPECT_EQ(only(recorded_targeting(8, made)).outcome, Outcome::kNotSupported);
}

TEST(Verdicts, RecordedTargetingNeedRecords) {
  for (const int claim : {7, 8}) {
    ExperimentResult result = recorded_targeting(claim, papers_targeting());
    result.experiment.targeting->recorded = false;
    EXPECT_EQ(only(result).outcome, Outcome::kNotTested);
  }
}

ExperimentResult contexts(const Regrets& known, const Regrets& bounded) {
  ExperimentResult result = made_result({9});
  result.experiment.instance.clear();
  result.experiment.contexts.emplace();
  add(result, "lin_ucb", always(100));
  for (const char* name : {"lin_up_ucb_bl", "lin_up_ucb"}) {
    add(result, name, known);
    add(result, std::string(name) + "(max_affected=8)", bounded);
  }
  return result;
}

TEST(Verdicts, ContextsGain) {
  EXPECT_EQ(only(contexts(around(30, 5), always(90))).outcome, Outcome::kSupported);
  EXPECT_EQ(only(contexts(always(61), always(90))).outcome, Outcome::kNotSupported);
  EXPECT_EQ(only(contexts(always(30), always(101))).outcome, Outcome::kNotSupported);
  ExperimentResult elsewhere = contexts(always(30), always(90));
  elsewhere.experiment.contexts.reset();
  EXPECT_EQ(only(elsewhere).outcome, Outcome::kNotTested);
}

}  // namespace
}  // namespace updraft
