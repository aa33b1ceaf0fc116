// What every registered targeting policy must do, whatever its algorithm, beside
// ../rounds_conformance_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "policies/rounds_example.h"
#include "updraft/error.h"

namespace updraft::testing {
namespace {

class EveryTargetingPolicy : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Policy> make() { return make_targeting(GetParam(), kExampleShape); }
  static const PolicyInfo& info() { return policy_info(PolicySpec::parse(GetParam()).name()); }
  /// The same with one more parameter, where the policy has it.
  static std::unique_ptr<Policy> make_with(const std::string& parameter) {
    std::string text = GetParam();
    text.insert(text.size() - 1, text.ends_with("()") ? parameter : ", " + parameter);
    return make_targeting(text, kExampleShape);
  }
};

TEST_P(EveryTargetingPolicy, RefusesRecordedDecisionsThatDoNotFit) {
  const auto policy = make();
  play_example(*policy, 0, 8);
  const std::string before = saved(*policy);
  const MadeRound pool = example_pool(0);
  std::vector<Treatment> wrong(kExamplePool, 1);  // beyond the budget
  EXPECT_THROW(policy->take(pool.view(), treating(wrong)), InvalidInput);
  wrong.assign(kExamplePool, 0);
  wrong[0] = static_cast<Treatment>(kExampleShape.treatments + 1);
  EXPECT_THROW(policy->take(pool.view(), treating(wrong)), InvalidInput);
  wrong.assign(kExamplePool - 1, 0);
  EXPECT_THROW(policy->take(pool.view(), treating(wrong)), InvalidInput);
  EXPECT_EQ(saved(*policy), before);
}

TEST_P(EveryTargetingPolicy, HasProbabilityOneUnlessItDraws) {
  const auto policy = make();
  play_example(*policy, 0, 30);
  std::size_t different = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const MadeRound pool = example_pool(30);
    different += policy->preview(pool.view(), Stream(seed, 0, Purpose::kPolicy)).treatments !=
                 policy->preview(pool.view(), kExampleStream).treatments;
  }
  const double probability = policy->preview(example_pool(30).view(), kExampleStream).probability;
  EXPECT_EQ(probability<1.0, different> 0);
  EXPECT_EQ(different > 0, info().traits.draws);
  EXPECT_GT(probability, 0.0);
}

TEST_P(EveryTargetingPolicy, NeverTreatsMoreThanTheBudgetNorWithWhatThereIsNot) {
  const auto policy = make();
  const bool exactly = GetParam().starts_with("random");
  for (const Decision& decision : play_example(*policy, 0, 100)) {
    const std::vector<Treatment>& treated = decision.treatments;
    ASSERT_EQ(treated.size(), kExamplePool);
    const auto untreated = std::count(treated.begin(), treated.end(), 0u);
    const std::size_t count = kExamplePool - static_cast<std::size_t>(untreated);
    EXPECT_LE(count, kExampleShape.budget);
    if (exactly) {
      EXPECT_EQ(count, kExampleShape.budget);
    }
    EXPECT_LE(*std::max_element(treated.begin(), treated.end()), kExampleShape.treatments);
  }
}

TEST_P(EveryTargetingPolicy, FillSpendsTheWholeBudget) {
  if (!info().has_parameter("fill")) GTEST_SKIP() << "has no fill";
  const auto policy = make_with("fill=yes");
  for (const Decision& decision : play_example(*policy, 0, 100)) {
    const std::vector<Treatment>& treated = decision.treatments;
    const auto untreated = std::count(treated.begin(), treated.end(), 0u);
    EXPECT_EQ(kExamplePool - static_cast<std::size_t>(untreated), kExampleShape.budget);
  }
}

TEST_P(EveryTargetingPolicy, TreatsThePoolThatIsAsLargeAsTheBudget) {
  if (!info().has_parameter("fill")) GTEST_SKIP() << "has no fill";
  const auto policy = make_with("fill=yes");
  play_example(*policy, 0, 5);
  const auto treated = select_treatments(*policy, example_pool(5, 4).view(), kExampleStream);
  EXPECT_EQ(std::count(treated.begin(), treated.end(), 0u), 0);
}

void expect_in(const std::optional<double>& estimate, const std::optional<Interval>& interval) {
  ASSERT_EQ(estimate.has_value(), interval.has_value());
  if (!estimate) return;
  EXPECT_LE(interval->low, *estimate);
  EXPECT_GE(interval->high, *estimate);
}

TEST_P(EveryTargetingPolicy, SelectTreatsThoseWhomExplainShowsAsChosen) {
  const auto policy = make();
  for (std::uint32_t round = 0; round < 60; ++round) {
    const MadeRound pool = example_pool(round);
    const auto shown = individuals(*policy, pool.view());
    const auto treated = select_treatments(*policy, pool.view(), kExampleStream);
    ASSERT_EQ(shown.size(), kExamplePool);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      EXPECT_FALSE(shown[i].reason.empty());
      EXPECT_TRUE(std::isfinite(shown[i].index));
      expect_in(shown[i].payoff, shown[i].payoff_interval);
      expect_in(shown[i].uplift, shown[i].interval);
      const auto is = [](const char* name) { return GetParam().starts_with(name); };
      if (is("random")) {
        EXPECT_FALSE(shown[i].payoff);
      }
      if (is("random") || is("c2_ucb")) {
        EXPECT_FALSE(shown[i].uplift);
      }
      if (is("c2_up_ucb") && round == 59) {  // all directions were seen
        EXPECT_TRUE(shown[i].payoff && shown[i].uplift);
      }
      if (!info().traits.draws) {
        EXPECT_EQ(shown[i].chosen ? shown[i].treatment : 0, treated[i]);
      }
    }
    teach(*policy, pool.view(), treated, example_payoffs(round, pool, treated));
  }
}

// Wherever they stand in the pool, so that the lowest ids among equals are treated.
TEST_P(EveryTargetingPolicy, EqualsHaveEqualIndicesAndTheLowestIdsGoFirst) {
  const auto policy = make();
  play_example(*policy, 0, 30);
  for (std::uint32_t round = 30; round < 50; ++round) {
    const MadeRound once = example_pool(round, 7);
    MadeRound pool = once;
    for (int copy = 0; copy < 4; ++copy) {
      pool.features.insert(pool.features.end(), once.features.begin(), once.features.end());
      pool.baseline.insert(pool.baseline.end(), once.baseline.begin(), once.baseline.end());
    }
    const auto shown = individuals(*policy, pool.view());
    const auto treated = select_treatments(*policy, pool.view(), kExampleStream);
    for (std::size_t i = 7; i < shown.size(); ++i) {
      EXPECT_EQ(shown[i].index, shown[i - 7].index);
      EXPECT_EQ(shown[i].treatment, shown[i - 7].treatment);
      EXPECT_LE(shown[i].chosen, shown[i - 7].chosen);
      if (!info().traits.draws) {
        EXPECT_LE(treated[i], treated[i - 7]);
      }
    }
  }
}

TEST_P(EveryTargetingPolicy, TakesFeedbackOfPartsOfAPoolAndOfNobodyTreated) {
  const auto policy = make();
  const MadeRound small = example_pool(0, 2);  // fewer than the budget
  teach(*policy, small.view(), std::vector<Treatment>{0, 0}, std::vector<double>{0.0, 1.0});
  teach(*policy, small.view(), std::vector<Treatment>{2, 1}, std::vector<double>{0.5, 1.0});
  EXPECT_EQ(policy->observations(), 2u);
  EXPECT_EQ(policy->decisions(), 0u);
}

TEST_P(EveryTargetingPolicy, LargeNumbersGiveFiniteEstimates) {
  const auto policy = make();
  MadeRound pool = example_pool(0);
  pool.features[0] = 1e100;
  pool.features[4] = -1e100;
  std::vector<Treatment> treated(kExamplePool, 0);
  treated[0] = 1;
  treated[3] = 2;
  teach(*policy, pool.view(), treated, std::vector<double>(kExamplePool, 1.0));
  for (const MadeRound& next : {example_pool(1), pool}) expect_finite(policy->explain(next.view()));
  select_treatments(*policy, pool.view(), kExampleStream);
  EXPECT_EQ(saved(*restored(saved(*policy))), saved(*policy));
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryTargetingPolicy,
                         ::testing::ValuesIn(usable_targeting_specs()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace updraft::testing
