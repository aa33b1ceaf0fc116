// Saved context policies that are damaged, foreign or newer are refused.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/state_frame.h"
#include "policies/contextual/contextual_example.h"
#include "support/damage.h"
#include "support/refusal.h"
#include "support/rounds.h"
#include "updraft/state.h"
#include "updraft/state_io.h"

namespace updraft::testing {
namespace {

std::string refused(const std::string& bytes) {
  return refusal([&] { restored(bytes); });
}

/// The state as version 1 had it: without the rows behind the observations.
std::string as_version_1(const Policy& policy) {
  constexpr std::string_view kMagic = "updraft-context-policy\r\n";
  const std::string file = saved(policy);
  std::string body(unframed({kMagic, Policy::kStateVersion}, file).bytes);
  const std::size_t before = sizeof(std::uint64_t) * 5 + policy.spec().text().size();
  body.erase(before, sizeof(std::uint64_t));
  return framed({kMagic, 1}, body);
}

class ContextState : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string example() {
    const auto policy = make_contextual(GetParam(), kExampleContextualShape);
    play_contexts_example(*policy, 0, 2);
    return saved(*policy);
  }
};

TEST_P(ContextState, RefusesEveryTruncation) { expect_no_other_length(example(), refused); }

TEST_P(ContextState, RefusesEveryFlippedBit) { expect_no_flipped_bit(example(), refused); }

INSTANTIATE_TEST_SUITE_P(Kinds, ContextState,
                         ::testing::Values("lin_up_ucb(beta=1)",
                                           "lin_up_ucb_bl(beta=1, max_affected=2)"));

/// The state of a policy that has the wrong number of something.
TEST(ContextStates, RefusesCountsThatDoNotAddUp) {
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

TEST(ContextFiles, RefusesForeignFiles) {
  constexpr auto kForeign = "policy state: is not a saved policy: its first bytes are wrong";
  EXPECT_EQ(refused(""), kForeign);
  EXPECT_EQ(refused(std::string(1000, '\0')), kForeign);
}

TEST(ContextFiles, AreToldFromThoseOfOtherKinds) {
  const std::string contextual =
      saved(*make_contextual("lin_up_ucb(beta=1)", kExampleContextualShape));
  EXPECT_EQ(restored(contextual)->kind(), PolicyKind::kContextual);
  constexpr StateKind kTargeting{"updraft-campaign-policy\r\n", 2};
  constexpr StateKind kContextual{"updraft-context-policy\r\n", 2};
  EXPECT_NE(refused(framed(kTargeting, unframed(kContextual, contextual).bytes)), "(accepted)");
}

TEST(ContextFiles, OfVersion1AreReadUnlessBetaDependsOnRows) {
  const auto policy = make_contextual("lin_up_ucb(beta=1)", kExampleContextualShape);
  play_contexts_example(*policy, 0, 4);
  const auto read = restored(as_version_1(*policy));
  EXPECT_EQ(read->observations(), 4u);
  EXPECT_EQ(play_contexts_example(*read, 4, 8), play_contexts_example(*policy, 4, 8));
  const auto counting = make_contextual("lin_up_ucb(delta=0.1)", kExampleContextualShape);
  play_contexts_example(*counting, 0, 4);
  EXPECT_EQ(refused(as_version_1(*counting)).find("policy state: version = 1: does not say how "),
            0u);
}

TEST(ContextFiles, KeepTheRowsThatBetaDependsOn) {
  const auto policy = make_contextual("lin_up_ucb_bl(delta=0.1)", kExampleContextualShape);
  play_contexts_example(*policy, 0, 4);
  const auto read = restored(saved(*policy));
  EXPECT_EQ(read->rows(), 4 * kExampleVariables);
  EXPECT_EQ(play_contexts_example(*read, 4, 8), play_contexts_example(*policy, 4, 8));
}

TEST(ContextFiles, AreReplacedAsAWhole) {
  const auto directory = std::filesystem::temp_directory_path() / "updraft_context_state_test";
  std::filesystem::create_directories(directory);
  const auto path = directory / "context.state";
  const auto policy = make_contextual("lin_up_ucb(beta=1)", kExampleContextualShape);
  save_policy(*policy, path);
  play_contexts_example(*policy, 0, 3);
  save_policy(*policy, path);
  EXPECT_EQ(load_policy(path)->observations(), 3u);
  EXPECT_EQ(saved(*load_policy(path)), saved(*policy));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
  std::filesystem::remove_all(directory);
}

TEST(ContextFiles, ReportsFilesThatCannotBeReadOrWritten) {
  const auto policy = make_contextual("lin_up_ucb(beta=1)", kExampleContextualShape);
  EXPECT_THROW(save_policy(*policy, "/no/such/folder/context.state"), std::runtime_error);
  EXPECT_THROW(load_policy(std::filesystem::path("/no/such/file")), std::runtime_error);
}

}  // namespace
}  // namespace updraft::testing
