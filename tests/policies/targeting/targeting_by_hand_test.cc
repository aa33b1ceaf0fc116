// Decisions that were worked out on paper.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/rounds.h"

namespace updraft::testing {
namespace {

const Stream kPolicyStream(1, 0, Purpose::kPolicy);

/// Three treated with x = 1, who paid 2, 3 and 3; two untreated with x = 2, who paid 2 and 2.5.
/// With lambda = 1:
///   V(1) = 1 + 1 + 1 + 1 = 4,  theta(1) = (2 + 3 + 3) / 4 = 2,  ||x|| = |x| / 2
///   V(0) = 1 + 4 + 4 = 9,      theta(0) = (4 + 5) / 9 = 1,      ||x|| = |x| / 3
void teach_example(Policy& policy) {
  const std::vector<double> x = {1.0, 2.0, 1.0, 2.0, 1.0};
  const std::vector<double> baseline(5, 0.0);
  teach(policy, {.features = x, .width = 1, .baseline = baseline},
        std::vector<Treatment>{1, 0, 1, 0, 1}, std::vector<double>{2.0, 2.0, 3.0, 2.5, 3.0});
}

const std::vector<double> kFeatures = {3.0, -6.0, 1.0, 4.0, 0.0};
const std::vector<double> kBaseline = {4.0, -20.0, 3.0, 9.0, -1.0};

std::vector<Treatment> decision(const char* spec) {
  const auto policy = make_targeting(spec, {.features = 1, .treatments = 1, .budget = 2});
  teach_example(*policy);
  return select_treatments(*policy, {.features = kFeatures, .width = 1, .baseline = kBaseline},
                           kPolicyStream);
}

using Decision = std::vector<Treatment>;

void expect_estimate(const std::optional<double>& estimate, const std::optional<Interval>& interval,
                     double expected, double margin) {
  EXPECT_NEAR(estimate.value(), expected, 1e-12);
  EXPECT_NEAR(interval.value().low, expected - margin, 1e-12);
  EXPECT_NEAR(interval.value().high, expected + margin, 1e-12);
}

// beta = 24: index(x) = (2 x + 12 |x|) - (x + 8 |x|) = x + 4 |x|
//   x      3  -6   1   4   0
//   index 15  18   5  20   0
// so the second and the fourth are treated. The uplift is x, give or take
// 24 (1/2 + 1/3) |x| = 20 |x|.
TEST(TargetingByHand, DifferenceOfUpperBounds) {
  EXPECT_EQ(decision("c2_up_ucb(beta=24)"), (Decision{0, 1, 0, 1, 0}));
  const auto policy = make_targeting("c2_up_ucb(beta=24)", {1, 1, 2});
  teach_example(*policy);
  const auto shown = individuals(*policy, {.features = kFeatures, .width = 1});
  const std::vector<double> indices = {15.0, 18.0, 5.0, 20.0, 0.0};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(shown[i].index, indices[i], 1e-12);
    expect_estimate(shown[i].uplift, shown[i].interval, kFeatures[i],
                    20.0 * std::abs(kFeatures[i]));
    expect_estimate(shown[i].payoff, shown[i].payoff_interval, 2.0 * kFeatures[i],
                    12.0 * std::abs(kFeatures[i]));
    EXPECT_EQ(shown[i].chosen, i == 1 || i == 3);
  }
}

// index(x) = x: the first and the fourth.
TEST(TargetingByHand, EstimatedUplift) { EXPECT_EQ(decision("greedy"), (Decision{1, 0, 0, 1, 0})); }

// beta = 1/2: index(x) = 2 x + |x| / 4 - baseline
//   x       3     -6     1    4    0
//   index 2.75   9.5  -0.75   0    1
TEST(TargetingByHand, UpperBoundOfTheUpliftOverAKnownBaseline) {
  EXPECT_EQ(decision("c2_up_ucb_bl(beta=0.5)"), (Decision{1, 1, 0, 0, 0}));
}

// beta = 6: upper(x) = 2 x + 3 |x|
//   x       3  -6   1   4   0
//   index  15   6   5  20   0
TEST(TargetingByHand, UpperBoundOfThePayoff) {
  EXPECT_EQ(decision("c2_ucb(beta=6)"), (Decision{1, 0, 0, 1, 0}));
}

// The payoff is 2 x, give or take 3 |x|. What an untreated individual pays is not looked at, so
// there is no uplift, which is x.
TEST(TargetingByHand, APayoffIsNoUplift) {
  const auto policy = make_targeting("c2_ucb(beta=6)", {1, 1, 2});
  teach_example(*policy);
  const auto shown = individuals(*policy, {.features = kFeatures, .width = 1});
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_FALSE(shown[i].uplift || shown[i].interval);
    expect_estimate(shown[i].payoff, shown[i].payoff_interval, 2.0 * kFeatures[i],
                    3.0 * std::abs(kFeatures[i]));
    EXPECT_NEAR(shown[i].greedy_index, 2.0 * kFeatures[i], 1e-12);
  }
}

// Two features. Treated were people of the kinds (1, 0) and (1, 1), untreated only of (1, 0): what
// a treatment does to the kind (1, 1) is not known, nor what anybody of (0, 2) pays untreated. The
// kind (0, 1) is the difference of the two that were treated.
TEST(TargetingByHand, UpliftsOfKindsThatWereNotSeenAreNotKnown) {
  const std::vector<double> x = {1.0, 0.0, 1.0, 1.0, 1.0, 0.0};
  const std::vector<double> asked = {1.0, 0.0, 1.0, 1.0, 0.0, 2.0, 0.0, 0.0};
  for (const char* spec : {"greedy", "greedy_bl", "c2_ucb(beta=1)", "greedy(model=logistic)"}) {
    SCOPED_TRACE(spec);
    const auto policy = make_targeting(spec, {.features = 2, .treatments = 1, .budget = 1});
    const std::vector<double> baseline(4, 0.5);
    const Round pool{.features = asked, .width = 2, .baseline = baseline};
    EXPECT_FALSE(individuals(*policy, pool)[0].payoff) << "nothing was seen";
    EXPECT_FALSE(individuals(*policy, pool)[0].uplift);
    teach(*policy, {.features = x, .width = 2}, std::vector<Treatment>{1, 1, 0},
          std::vector<double>{1.0, 0.0, 0.5});
    const auto shown = individuals(*policy, pool);
    const std::string_view name = policy->spec().name();
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(shown[i].payoff && shown[i].payoff_interval) << i;
      const bool untreated_seen = i == 0 || i == 3;  // nothing is a multiple of everything
      const bool known = name == "greedy_bl" || (name == "greedy" && untreated_seen);
      EXPECT_EQ(shown[i].uplift.has_value(), known) << i;
      EXPECT_EQ(shown[i].interval.has_value(), known) << i;
    }
  }
}

// index(x) = 2 x - baseline: 2, 8, -1, -1, 1. The budget is four: with fill, and only then, the
// lower id of the two with -1 is treated too.
TEST(TargetingByHand, FillAndTies) {
  const auto with = [](const char* spec) {
    const auto policy = make_targeting(spec, {1, 1, 4});
    teach_example(*policy);
    return select_treatments(*policy, {.features = kFeatures, .width = 1, .baseline = kBaseline},
                             kPolicyStream);
  };
  EXPECT_EQ(with("greedy_bl"), (Decision{1, 1, 0, 0, 1}));
  EXPECT_EQ(with("greedy_bl(fill=yes)"), (Decision{1, 1, 1, 0, 1}));
}

/// beta of a policy with delta = 0.05, three features, one treatment, budget 10 and so lambda = 10,
/// after `rows` rows of a log, of which every tenth was treated, that pay nothing. They have x = 0,
/// but the first two (1e-5, 0, 0), so that estimates of x = (1, 0, 0) are known, treated or not.
/// That leaves V = 10 I but for 1e-11, and so the width 1 / sqrt(10) of x under each model.
double beta_after(const std::string& name, std::size_t rows, std::size_t pool_size) {
  const auto policy = make_targeting(name + "(delta=0.05)", {3, 1, 10});
  if (rows > 0) {
    std::vector<Treatment> had(rows, 0);
    for (std::size_t i = 0; i < rows; i += 10) had[i] = 1;
    std::vector<double> log(3 * rows, 0.0);
    log[0] = log[3] = 1e-5;
    teach(*policy, {.features = log, .width = 3}, had, std::vector<double>(rows, 0.0));
  }
  std::vector<double> features(3 * pool_size, 0.0);
  features[0] = 1.0;
  const std::vector<double> baseline(pool_size, 0.0);
  const Round pool{.features = features, .width = 3, .baseline = baseline};
  select_treatments(*policy, pool, kPolicyStream);  // a decision without feedback brings no row
  const IndividualExplanation shown = individuals(*policy, pool)[0];
  const double width = 1.0 / std::sqrt(10.0);
  // The index of c2_up_ucb is the difference of two upper bounds, in which beta cancels.
  return name == "c2_up_ucb" ? shown.interval.value().high / (2.0 * width) : shown.index / width;
}

// sqrt(10) + sqrt(2 log(2 / 0.05) + 3 log(1 + n / 30)): all rows of the log and those of the pool.
TEST(TargetingByHand, BetaCountsTheRowsOfALog) {
  EXPECT_NEAR(beta_after("c2_up_ucb", 2, 98), 6.5940, 1e-4);           // n = 100
  EXPECT_NEAR(beta_after("c2_up_ucb", 1000, 100), 7.4359, 1e-4);       // n = 1,100
  EXPECT_NEAR(beta_after("c2_up_ucb", 1'000'000, 100), 9.3769, 1e-4);  // n = 1,000,100
}

// sqrt(10) + sqrt(2 log(1 / 0.05) + 3 log(1 + n / 30)): treated rows, and the budget or what the
// pool has.
TEST(TargetingByHand, BetaCountsTreatedRowsIfTheUntreatedAreNotLearned) {
  for (const char* name : {"c2_up_ucb_bl", "c2_ucb"}) {
    EXPECT_NEAR(beta_after(name, 0, 1000), 5.7804, 1e-4);     // n = 10
    EXPECT_NEAR(beta_after(name, 1000, 1000), 6.4200, 1e-4);  // n = 100 + 10
  }
}

}  // namespace
}  // namespace updraft::testing
