// What every registered targeting policy must do, whatever its algorithm.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "policies/targeting/targeting_example.h"
#include "support/vector_targets.h"
#include "updraft/error.h"

namespace updraft::testing {
namespace {

const Stream kPolicyStream(13, 0, Purpose::kPolicy);

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

/// Everything that explain() shows, to be compared bit for bit.
std::vector<double> estimates(const Policy& policy, const Round& pool) {
  std::vector<double> all;
  for (const IndividualExplanation& about : individuals(policy, pool)) {
    const Interval payoff = about.payoff_interval.value_or(Interval());
    const Interval uplift = about.interval.value_or(Interval());
    for (const double number :
         {static_cast<double>(about.treatment), about.index, about.greedy_index,
          about.payoff.value_or(-1e9), payoff.low, payoff.high, about.uplift.value_or(-1e9),
          uplift.low, uplift.high}) {
      all.push_back(number);
    }
  }
  return all;
}

TEST_P(EveryTargetingPolicy, IsDeterministic) {
  const auto first = make();
  const auto second = make();
  EXPECT_EQ(play_example(*first, 0, 60), play_example(*second, 0, 60));
  EXPECT_EQ(saved(*first), saved(*second));
}

TEST_P(EveryTargetingPolicy, DecidesAlikeWhateverVectorsTheMachineHas) {
  const auto policy = make();
  const auto expected = play_example(*policy, 0, 40);
  for_each_vector_target([&](const std::string& target) {
    const auto other = make();
    EXPECT_EQ(play_example(*other, 0, 40), expected) << target;
    EXPECT_EQ(saved(*other), saved(*policy)) << target;
  });
}

TEST_P(EveryTargetingPolicy, TakesRecordedDecisionsAsIfItHadMadeThem) {
  const auto selecting = make();
  const auto taking = make();
  for (std::uint32_t round = 0; round < 40; ++round) {
    const MadePool pool = example_pool(round);
    const std::string before = saved(*selecting);
    const std::vector<Treatment> preview =
        selecting->preview(pool.view(), kPolicyStream).treatments;
    ASSERT_EQ(saved(*selecting), before);
    const std::vector<Treatment> treated =
        select_treatments(*selecting, pool.view(), kPolicyStream);
    ASSERT_EQ(preview, treated);
    Round bare = pool.view();
    bare.baseline = {};
    taking->take(bare, treating(treated));
    ASSERT_EQ(saved(*taking), saved(*selecting)) << round;
    if (round % 5 == 3) continue;  // outstanding for ever
    std::vector<double> payoffs(treated.size());
    for (std::size_t i = 0; i < payoffs.size(); ++i) payoffs[i] = (round + i) % 3 == 0 ? 1.0 : 0.0;
    teach(*selecting, pool.view(), treated, payoffs);
    teach(*taking, pool.view(), treated, payoffs);
  }
  const std::string before = saved(*taking);
  EXPECT_EQ(before, saved(*selecting));
  const MadePool pool = example_pool(0);
  std::vector<Treatment> wrong(pool.view().size(), 1);  // beyond the budget
  EXPECT_THROW(taking->take(pool.view(), treating(wrong)), InvalidInput);
  wrong.assign(pool.view().size(), 0);
  wrong[0] = static_cast<Treatment>(kExampleShape.treatments + 1);
  EXPECT_THROW(taking->take(pool.view(), treating(wrong)), InvalidInput);
  wrong.assign(pool.view().size() - 1, 0);
  EXPECT_THROW(taking->take(pool.view(), treating(wrong)), InvalidInput);
  EXPECT_EQ(saved(*taking), before);
}

TEST_P(EveryTargetingPolicy, SelectsWhatItDecidesWithoutTheProbability) {
  const auto deciding = make();
  const auto selecting = make();
  for (std::uint32_t round = 0; round < 20; ++round) {
    const MadePool pool = example_pool(round);
    const Decision decided = deciding->decide(pool.view(), kPolicyStream);
    Decision selected = selecting->select(pool.view(), kPolicyStream);
    ASSERT_TRUE(std::isnan(selected.probability));
    selected.probability = decided.probability;
    ASSERT_EQ(selected, decided) << round;
    const std::vector<double> payoffs = example_payoffs(round, pool, decided.treatments);
    teach(*deciding, pool.view(), decided.treatments, payoffs);
    teach(*selecting, pool.view(), decided.treatments, payoffs);
    ASSERT_EQ(saved(*selecting), saved(*deciding));
  }
}

TEST_P(EveryTargetingPolicy, HasProbabilityOneUnlessItDraws) {
  const auto policy = make();
  play_example(*policy, 0, 30);
  std::size_t different = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const MadePool pool = example_pool(30);
    different += policy->preview(pool.view(), Stream(seed, 0, Purpose::kPolicy)).treatments !=
                 policy->preview(pool.view(), kPolicyStream).treatments;
  }
  const double probability = policy->preview(example_pool(30).view(), kPolicyStream).probability;
  EXPECT_EQ(probability<1.0, different> 0);
  EXPECT_EQ(different > 0, info().traits.draws);
  EXPECT_GT(probability, 0.0);
}

TEST_P(EveryTargetingPolicy, SelectLeavesTheStatisticsAlone) {
  const auto policy = make();
  play_example(*policy, 0, 30);
  const MadePool pool = example_pool(30);
  const std::vector<double> before = estimates(*policy, pool.view());
  for (int j = 0; j < 5; ++j) select_treatments(*policy, pool.view(), kPolicyStream);
  EXPECT_EQ(estimates(*policy, pool.view()), before);
  EXPECT_EQ(policy->decisions(), 35u);
  EXPECT_EQ(policy->observations(), 30u);
}

TEST_P(EveryTargetingPolicy, ExplainChangesNothing) {
  const auto policy = make();
  play_example(*policy, 0, 10);
  const std::string before = saved(*policy);
  individuals(*policy, example_pool(10).view());
  EXPECT_EQ(saved(*policy), before);
}

TEST_P(EveryTargetingPolicy, SavesAndRestoresBitForBit) {
  for (const std::uint32_t rounds : {0u, 1u, 2u, 9u, 50u}) {
    const auto policy = make();
    play_example(*policy, 0, rounds);
    select_treatments(*policy, example_pool(1000).view(),
                      kPolicyStream);  // one decision outstanding
    const std::string state = saved(*policy);
    const auto copy = restored(state);
    EXPECT_EQ(saved(*copy), state);
    EXPECT_EQ(copy->spec(), policy->spec());
    EXPECT_EQ(copy->knowledge().features(), policy->knowledge().features());
    EXPECT_EQ(copy->knowledge().actions(), policy->knowledge().actions());
    EXPECT_EQ(copy->knowledge().budget(), policy->knowledge().budget());
    EXPECT_EQ(copy->decisions(), rounds + 1);
    EXPECT_EQ(copy->observations(), rounds);
    const MadePool pool = example_pool(rounds);
    EXPECT_EQ(estimates(*copy, pool.view()), estimates(*policy, pool.view()));
    EXPECT_EQ(play_example(*copy, rounds, rounds + 40), play_example(*policy, rounds, rounds + 40))
        << "after " << rounds << " rounds";
    EXPECT_EQ(saved(*copy), saved(*policy));
  }
}

TEST_P(EveryTargetingPolicy, NeverTreatsMoreThanTheBudgetNorWithWhatThereIsNot) {
  const auto policy = make();
  const bool exactly = GetParam().starts_with("random");
  for (const auto& treated : play_example(*policy, 0, 100)) {
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
  for (const auto& treated : play_example(*policy, 0, 100)) {
    const auto untreated = std::count(treated.begin(), treated.end(), 0u);
    EXPECT_EQ(kExamplePool - static_cast<std::size_t>(untreated), kExampleShape.budget);
  }
}

TEST_P(EveryTargetingPolicy, TreatsThePoolThatIsAsLargeAsTheBudget) {
  if (!info().has_parameter("fill")) GTEST_SKIP() << "has no fill";
  const auto policy = make_with("fill=yes");
  play_example(*policy, 0, 5);
  const auto treated = select_treatments(*policy, example_pool(5, 4).view(), kPolicyStream);
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
    const MadePool pool = example_pool(round);
    const auto shown = individuals(*policy, pool.view());
    const auto treated = select_treatments(*policy, pool.view(), kPolicyStream);
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
    const MadePool once = example_pool(round, 7);
    MadePool pool = once;
    for (int copy = 0; copy < 4; ++copy) {
      pool.features.insert(pool.features.end(), once.features.begin(), once.features.end());
      pool.baseline.insert(pool.baseline.end(), once.baseline.begin(), once.baseline.end());
    }
    const auto shown = individuals(*policy, pool.view());
    const auto treated = select_treatments(*policy, pool.view(), kPolicyStream);
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
  const MadePool small = example_pool(0, 2);  // fewer than the budget
  teach(*policy, small.view(), std::vector<Treatment>{0, 0}, std::vector<double>{0.0, 1.0});
  teach(*policy, small.view(), std::vector<Treatment>{2, 1}, std::vector<double>{0.5, 1.0});
  EXPECT_EQ(policy->observations(), 2u);
  EXPECT_EQ(policy->decisions(), 0u);
}

TEST_P(EveryTargetingPolicy, LargeNumbersGiveFiniteEstimates) {
  const auto policy = make();
  MadePool pool = example_pool(0);
  pool.features[0] = 1e100;
  pool.features[4] = -1e100;
  std::vector<Treatment> treated(kExamplePool, 0);
  treated[0] = 1;
  treated[3] = 2;
  teach(*policy, pool.view(), treated, std::vector<double>(kExamplePool, 1.0));
  const MadePool next = example_pool(1);
  for (const double number : estimates(*policy, next.view())) EXPECT_TRUE(std::isfinite(number));
  for (const double number : estimates(*policy, pool.view())) EXPECT_TRUE(std::isfinite(number));
  select_treatments(*policy, pool.view(), kPolicyStream);
  EXPECT_EQ(saved(*restored(saved(*policy))), saved(*policy));
}

std::string test_name(const std::string& spec) {
  std::string name = spec.substr(0, spec.find('('));
  if (spec.find("online") != std::string::npos) return name + "_online";
  if (spec.find("logistic") != std::string::npos) return name + "_logistic";
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryTargetingPolicy,
                         ::testing::ValuesIn(usable_targeting_specs()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace updraft::testing
