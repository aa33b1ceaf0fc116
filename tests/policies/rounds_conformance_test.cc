// What every registered policy that is given rounds must do, whatever its kind and algorithm.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "policies/rounds_example.h"
#include "support/vector_targets.h"

namespace updraft::testing {
namespace {

class EveryPolicyWithRounds : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Policy> make() { return make_for_example(GetParam()); }
};

std::vector<double> estimates(const Policy& policy, std::uint32_t round) {
  return shown_numbers(policy.explain(example_round(policy.kind(), round).view()));
}

TEST_P(EveryPolicyWithRounds, IsDeterministic) {
  const auto first = make();
  const auto second = make();
  EXPECT_EQ(play_example(*first, 0, 60), play_example(*second, 0, 60));
  EXPECT_EQ(saved(*first), saved(*second));
}

TEST_P(EveryPolicyWithRounds, DecidesAlikeWhateverVectorsTheMachineHas) {
  const auto policy = make();
  const auto expected = play_example(*policy, 0, 40);
  const std::vector<double> estimated = estimates(*policy, 40);
  for_each_vector_target([&](const std::string& target) {
    const auto other = make();
    EXPECT_EQ(play_example(*other, 0, 40), expected) << target;
    EXPECT_EQ(saved(*other), saved(*policy)) << target;
    EXPECT_EQ(estimates(*other, 40), estimated) << target;
  });
}

// What it needs to know to decide, it need not know to take over a decision.
TEST_P(EveryPolicyWithRounds, TakesRecordedDecisionsAsIfItHadMadeThem) {
  const auto deciding = make();
  const auto taking = make();
  for (std::uint32_t round = 0; round < 40; ++round) {
    const MadeRound made = example_round(deciding->kind(), round);
    const std::string before = saved(*deciding);
    const Decision preview = deciding->preview(made.view(), kExampleStream);
    ASSERT_EQ(saved(*deciding), before);
    const Decision decision = deciding->decide(made.view(), kExampleStream);
    ASSERT_EQ(preview, decision);
    taking->take({.features = made.features, .width = made.width}, decision);
    ASSERT_EQ(saved(*taking), saved(*deciding)) << round;
    if (round % 5 == 3) continue;  // outstanding for ever
    std::vector<double> payoffs(made.view().size());
    for (std::size_t i = 0; i < payoffs.size(); ++i) payoffs[i] = (round + i) % 3 == 0 ? 1.0 : 0.0;
    deciding->learn(decision, made.view(), Payoffs::dense(payoffs));
    taking->learn(decision, made.view(), Payoffs::dense(payoffs));
  }
  EXPECT_EQ(saved(*taking), saved(*deciding));
}

TEST_P(EveryPolicyWithRounds, SelectsWhatItDecidesWithoutTheProbability) {
  const auto deciding = make();
  const auto selecting = make();
  for (std::uint32_t round = 0; round < 20; ++round) {
    const MadeRound made = example_round(deciding->kind(), round);
    const Decision decided = deciding->decide(made.view(), kExampleStream);
    Decision selected = selecting->select(made.view(), kExampleStream);
    ASSERT_TRUE(std::isnan(selected.probability));
    selected.probability = decided.probability;
    ASSERT_EQ(selected, decided) << round;
    const auto payoffs = example_payoffs(deciding->kind(), round, made, decided);
    deciding->learn(decided, made.view(), Payoffs::dense(payoffs));
    selecting->learn(decided, made.view(), Payoffs::dense(payoffs));
    ASSERT_EQ(saved(*selecting), saved(*deciding));
  }
}

TEST_P(EveryPolicyWithRounds, SelectLeavesTheStatisticsAlone) {
  const auto policy = make();
  play_example(*policy, 0, 30);
  const std::vector<double> before = estimates(*policy, 30);
  const MadeRound made = example_round(policy->kind(), 30);
  for (int j = 0; j < 5; ++j) policy->decide(made.view(), kExampleStream);
  EXPECT_EQ(estimates(*policy, 30), before);
  EXPECT_EQ(policy->decisions(), 35u);
  EXPECT_EQ(policy->observations(), 30u);
  std::uint64_t pulls = 0;
  for (ActionId a = 0; a < policy->knowledge().actions(); ++a) {
    if (policy->kind() == PolicyKind::kContextual) pulls += policy->pulls(a);
  }
  EXPECT_EQ(pulls, policy->kind() == PolicyKind::kContextual ? 30u : 0u);
}

TEST_P(EveryPolicyWithRounds, ExplainChangesNothing) {
  const auto policy = make();
  play_example(*policy, 0, 10);
  const std::string before = saved(*policy);
  estimates(*policy, 10);
  EXPECT_EQ(saved(*policy), before);
}

TEST_P(EveryPolicyWithRounds, SavesAndRestoresBitForBit) {
  for (const std::uint32_t rounds : {0u, 1u, 2u, 9u, 50u}) {
    const auto policy = make();
    play_example(*policy, 0, rounds);
    policy->decide(example_round(policy->kind(), 1000).view(), kExampleStream);  // outstanding
    const std::string state = saved(*policy);
    const auto copy = restored(state);
    EXPECT_EQ(saved(*copy), state);
    EXPECT_EQ(copy->spec(), policy->spec());
    EXPECT_EQ(copy->knowledge().features(), policy->knowledge().features());
    EXPECT_EQ(copy->knowledge().actions(), policy->knowledge().actions());
    EXPECT_EQ(copy->knowledge().budget(), policy->knowledge().budget());
    EXPECT_EQ(copy->decisions(), rounds + 1);
    EXPECT_EQ(copy->observations(), rounds);
    EXPECT_EQ(estimates(*copy, rounds), estimates(*policy, rounds));
    EXPECT_EQ(play_example(*copy, rounds, rounds + 40), play_example(*policy, rounds, rounds + 40))
        << "after " << rounds << " rounds";
    EXPECT_EQ(saved(*copy), saved(*policy));
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPolicyWithRounds,
                         ::testing::ValuesIn(usable_specs_with_rounds()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace updraft::testing
