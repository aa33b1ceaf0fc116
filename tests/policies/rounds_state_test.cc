// Saved policies that are given rounds, and are damaged, foreign or of another version.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/state_frame.h"
#include "policies/rounds_example.h"
#include "support/damage.h"
#include "support/knowledge.h"
#include "support/refusal.h"
#include "updraft/state_io.h"

namespace updraft::testing {
namespace {

constexpr StateKind kPlain{"updraft-policy\r\n", 2, 2};
constexpr StateKind kTargeting{"updraft-campaign-policy\r\n", Policy::kStateVersion};
constexpr StateKind kContextual{"updraft-context-policy\r\n", Policy::kStateVersion};

std::string refused(const std::string& bytes) {
  return refusal([&] { restored(bytes); });
}

/// The state as version 1 had it: without the rows behind the observations, and without the pulls
/// of actions, of which targeting policies have none.
std::string as_version_1(const Policy& policy) {
  const bool targeting = policy.kind() == PolicyKind::kTargeting;
  const StateKind& kind = targeting ? kTargeting : kContextual;
  const std::string file = saved(policy);
  std::string body(unframed(kind, file).bytes);
  const std::size_t words = targeting ? 6 : 5;  // before the rows
  body.erase(words * sizeof(std::uint64_t) + policy.spec().text().size(),
             (targeting ? 2 : 1) * sizeof(std::uint64_t));
  return framed({kind.magic, 1}, body);
}

class StateWithRounds : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string example() {
    const auto policy = make_for_example(GetParam());
    play_example(*policy, 0, 2);
    return saved(*policy);
  }
};

TEST_P(StateWithRounds, RefusesEveryTruncation) { expect_no_other_length(example(), refused); }

TEST_P(StateWithRounds, RefusesEveryFlippedBit) { expect_no_flipped_bit(example(), refused); }

std::vector<std::string> damaged_specs() {
  std::vector<std::string> specs = usable_targeting_specs();
  specs.insert(specs.end(), {"lin_up_ucb(beta=1)", "lin_up_ucb_bl(beta=1, max_affected=2)"});
  return specs;
}

INSTANTIATE_TEST_SUITE_P(Kinds, StateWithRounds, ::testing::ValuesIn(damaged_specs()),
                         [](const auto& tested) { return test_name(tested.param); });

/// The state of a policy that has the wrong number of something.
TEST(StatesWithRounds, RefusesCountsThatDoNotAddUp) {
  const auto restore = [](std::uint64_t decisions, std::uint64_t observations) {
    StateWriter writer;
    writer.u64(decisions);
    writer.u64(observations);
    writer.u64(30);
    writer.u64s(std::vector<std::uint64_t>{1, 0, 2});
    writer.u64s(std::vector<std::uint64_t>{2, 1, 2});
    const auto policy = make_contextual("lin_up_ucb(beta=1)", kExampleContextualShape);
    return refusal([&] {
      StateReader reader(writer.bytes());
      policy->restore_state(reader);
    });
  };
  EXPECT_EQ(restore(5, 4), "policy state: pulls: must add up to the number of observations");
  EXPECT_EQ(restore(6, 3), "policy state: offers: must add up to the number of decisions");
  EXPECT_NE(restore(5, 3).find("is truncated"), std::string::npos);
}

// One function loads every kind, and a file with the frame of another kind is refused.
TEST(StatesWithRounds, AreToldFromThoseOfOtherKinds) {
  const std::string plain = saved(*make_policy("ucb(alpha=1)", full_knowledge()));
  const std::string targeting = saved(*make_for_example("random"));
  const std::string contextual = saved(*make_for_example("lin_up_ucb(beta=1)"));
  EXPECT_EQ(restored(plain)->kind(), PolicyKind::kPlain);
  EXPECT_EQ(restored(targeting)->kind(), PolicyKind::kTargeting);
  EXPECT_EQ(restored(contextual)->kind(), PolicyKind::kContextual);
  EXPECT_NE(refused(framed(kPlain, unframed(kTargeting, targeting).bytes)), "(accepted)");
  EXPECT_NE(refused(framed(kTargeting, unframed(kPlain, plain).bytes)), "(accepted)");
  EXPECT_NE(refused(framed(kTargeting, unframed(kContextual, contextual).bytes)), "(accepted)");
}

TEST(StatesWithRounds, OfVersion1AreReadUnlessBetaDependsOnRows) {
  for (const std::string name : {"c2_up_ucb", "lin_up_ucb"}) {
    SCOPED_TRACE(name);
    const auto policy = make_for_example(name + "(beta=1)");
    play_example(*policy, 0, 4);
    const auto read = restored(as_version_1(*policy));
    EXPECT_EQ(read->observations(), 4u);
    EXPECT_EQ(play_example(*read, 4, 8), play_example(*policy, 4, 8));
    const auto counting = make_for_example(name + "(delta=0.1)");
    play_example(*counting, 0, 4);
    EXPECT_EQ(refused(as_version_1(*counting)),
              "policy state: version = 1: does not say how many rows were learned from, and with "
              "delta beta depends on it: make the policy anew and let it observe its rows again, "
              "or load the state with the release that saved it");
  }
}

// All rows, or those of the treated alone.
TEST(StatesWithRounds, KeepTheRowsThatBetaDependsOn) {
  for (const std::string name : {"c2_up_ucb", "c2_up_ucb_bl", "lin_up_ucb_bl"}) {
    SCOPED_TRACE(name);
    const auto policy = make_for_example(name + "(delta=0.1)");
    play_example(*policy, 0, 4);
    const auto read = restored(saved(*policy));
    const MadeRound next = example_round(policy->kind(), 4);
    EXPECT_EQ(read->rows(), 4 * next.view().size());
    EXPECT_EQ(shown_numbers(read->explain(next.view())),
              shown_numbers(policy->explain(next.view())));
    EXPECT_EQ(play_example(*read, 4, 8), play_example(*policy, 4, 8));
  }
}

TEST(StatesWithRounds, AreReplacedAsAWhole) {
  for (const char* spec : {"c2_up_ucb(beta=1)", "lin_up_ucb(beta=1)"}) {
    expect_file_is_replaced(*make_for_example(spec),
                            [](Policy& policy) { play_example(policy, 0, 3); });
  }
}

}  // namespace
}  // namespace updraft::testing
