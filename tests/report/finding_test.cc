#include "report/finding.h"

#include <gtest/gtest.h>

#include "report/made_result.h"

namespace updraft {
namespace {

constexpr Answer kYes = Answer::kYes;
constexpr Answer kNo = Answer::kNo;
constexpr Answer kCannotTell = Answer::kCannotTell;

TEST(Finding, CombinesAnswers) {
  EXPECT_EQ(opposite(kYes), kNo);
  EXPECT_EQ(opposite(kNo), kYes);
  EXPECT_EQ(opposite(kCannotTell), kCannotTell);
  for (const Answer any : {kYes, kNo, kCannotTell}) {
    EXPECT_EQ(both(any, kYes), any);
    EXPECT_EQ(both(kYes, any), any);
    EXPECT_EQ(both(any, kNo), kNo);
    EXPECT_EQ(both(kNo, any), kNo);
    EXPECT_EQ(either(any, kNo), any);
    EXPECT_EQ(either(kNo, any), any);
    EXPECT_EQ(either(any, kYes), kYes);
    EXPECT_EQ(either(kYes, any), kYes);
  }
  EXPECT_EQ(both(kCannotTell, kCannotTell), kCannotTell);
  EXPECT_EQ(either(kCannotTell, kCannotTell), kCannotTell);
}

TEST(Finding, NeedsTwoStandardErrorsToSpare) {
  const Finding finding(100);  // 1.984 of them
  EXPECT_EQ(finding.at_most({8.01, 1.0}, 10.0), kYes);
  EXPECT_EQ(finding.at_most({8.03, 1.0}, 10.0), kCannotTell);
  EXPECT_EQ(finding.at_most({11.98, 1.0}, 10.0), kCannotTell);
  EXPECT_EQ(finding.at_most({11.99, 1.0}, 10.0), kNo);
  EXPECT_EQ(finding.at_least({11.99, 1.0}, 10.0), kYes);
  EXPECT_EQ(finding.at_least({11.98, 1.0}, 10.0), kCannotTell);
  EXPECT_EQ(finding.at_least({8.03, 1.0}, 10.0), kCannotTell);
  EXPECT_EQ(finding.at_least({8.01, 1.0}, 10.0), kNo);
  EXPECT_EQ(finding.above({11.99, 1.0}, 10.0), kYes);
  EXPECT_EQ(finding.above({8.01, 1.0}, 10.0), kNo);
}

TEST(Finding, NeedsMoreErrorsToSpareWithFewRuns) {
  // Student's t, 97.5 %: 2.262 for 9 degrees of freedom, 3.182 for 3, 12.71 for 1.
  EXPECT_EQ(Finding(10).at_most({7.73, 1.0}, 10.0), kYes);
  EXPECT_EQ(Finding(10).at_most({7.75, 1.0}, 10.0), kCannotTell);
  EXPECT_EQ(Finding(4).at_most({6.81, 1.0}, 10.0), kYes);
  EXPECT_EQ(Finding(4).at_most({6.83, 1.0}, 10.0), kCannotTell);
  EXPECT_EQ(Finding(2).at_most({-2.6, 1.0}, 10.0), kCannotTell);
}

TEST(Finding, WithoutErrorTheLimitItselfIsAtMostAndAtLeast) {
  const Finding finding(100);
  EXPECT_EQ(finding.at_most({10.0, 0.0}, 10.0), kYes);
  EXPECT_EQ(finding.at_least({10.0, 0.0}, 10.0), kYes);
  EXPECT_EQ(finding.above({10.0, 0.0}, 10.0), kNo);
}

TEST(Finding, ARatioToRegretLostInItsErrorTellsNothing) {
  ExperimentResult result = testing::made_result({});
  testing::add_policy(result, "a", "ucb", {{1.0, testing::always(1)}});
  testing::add_policy(result, "b", "up_ucb", {{1.0, testing::around(100, 95)}});
  const Finding finding(4);
  EXPECT_EQ(finding.at_most_times(result.points[0], result.points[1], 0.6), kCannotTell);
  EXPECT_EQ(finding.at_least_times(result.points[0], result.points[1], 0.6), kCannotTell);
}

TEST(Finding, HoldsIfAllStatementsDo) {
  Finding finding(4);
  EXPECT_EQ(finding.answer(), kYes);
  finding.add(kYes, "one");
  EXPECT_EQ(finding.answer(), kYes);
  finding.add(kCannotTell, "two");
  EXPECT_EQ(finding.answer(), kCannotTell);
  finding.add(kNo, "three");
  finding.add(kYes, "four");
  finding.note("And a note");
  EXPECT_EQ(finding.answer(), kNo);
  EXPECT_EQ(finding.text(), "one: yes; two: cannot tell; three: no; four: yes. And a note.");
}

}  // namespace
}  // namespace updraft
