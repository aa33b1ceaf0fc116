// Saved targeting policies that are damaged, foreign or newer are refused.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/state_frame.h"
#include "policies/targeting/targeting_example.h"
#include "support/damage.h"
#include "support/knowledge.h"
#include "support/refusal.h"
#include "updraft/state.h"

namespace updraft::testing {
namespace {

std::string refused(const std::string& bytes) {
  return refusal([&] { restored(bytes); });
}

/// The state as version 1 had it: without the rows behind the observations.
std::string as_version_1(const Policy& policy) {
  constexpr std::string_view kMagic = "updraft-campaign-policy\r\n";
  const std::string file = saved(policy);
  std::string body(unframed({kMagic, Policy::kStateVersion}, file).bytes);
  const std::size_t before = sizeof(std::uint64_t) * 6 + policy.spec().text().size();
  body.erase(before, 2 * sizeof(std::uint64_t));
  return framed({kMagic, 1}, body);
}

class TargetingState : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string example() {
    const auto policy = make_targeting(GetParam(), kExampleShape);
    play_example(*policy, 0, 2);
    return saved(*policy);
  }
};

TEST_P(TargetingState, RefusesEveryTruncation) { expect_no_other_length(example(), refused); }

TEST_P(TargetingState, RefusesEveryFlippedBit) { expect_no_flipped_bit(example(), refused); }

INSTANTIATE_TEST_SUITE_P(Registered, TargetingState, ::testing::ValuesIn(usable_targeting_specs()));

TEST(TargetingFiles, RefusesForeignFiles) {
  constexpr auto kForeign = "policy state: is not a saved policy: its first bytes are wrong";
  EXPECT_EQ(refused(""), kForeign);
  EXPECT_EQ(refused(std::string(1000, '\0')), kForeign);
}

// One function loads every kind, and a file with the frame of another kind is refused.
TEST(TargetingFiles, AreToldFromThoseOfOtherKinds) {
  const std::string plain = saved(*make_policy("ucb(alpha=1)", full_knowledge()));
  const std::string targeting = saved(*make_targeting("random", kExampleShape));
  EXPECT_EQ(restored(plain)->kind(), PolicyKind::kPlain);
  EXPECT_EQ(restored(targeting)->kind(), PolicyKind::kTargeting);
  constexpr StateKind kPlain{"updraft-policy\r\n", 2, 2};
  constexpr StateKind kTargeting{"updraft-campaign-policy\r\n", 2};
  EXPECT_NE(refused(framed(kPlain, unframed(kTargeting, targeting).bytes)), "(accepted)");
  EXPECT_NE(refused(framed(kTargeting, unframed(kPlain, plain).bytes)), "(accepted)");
}

TEST(TargetingFiles, OfVersion1AreReadUnlessBetaDependsOnRows) {
  const auto policy = make_targeting("c2_up_ucb(beta=1)", kExampleShape);
  play_example(*policy, 0, 3);
  const auto read = restored(as_version_1(*policy));
  EXPECT_EQ(read->observations(), 3u);
  EXPECT_EQ(play_example(*read, 3, 6), play_example(*policy, 3, 6));
  const auto counting = make_targeting("c2_up_ucb(delta=0.1)", kExampleShape);
  play_example(*counting, 0, 3);
  EXPECT_EQ(refused(as_version_1(*counting)),
            "policy state: version = 1: does not say how many rows were learned from, and with "
            "delta beta depends on it: make the policy anew and let it observe its rows again, or "
            "load the state with the release that saved it");
}

// All rows, or the treated ones alone.
TEST(TargetingFiles, KeepTheRowsThatBetaDependsOn) {
  for (const char* spec : {"c2_up_ucb(delta=0.1)", "c2_up_ucb_bl(delta=0.1)"}) {
    const auto policy = make_targeting(spec, kExampleShape);
    play_example(*policy, 0, 3);
    const auto read = restored(saved(*policy));
    EXPECT_EQ(read->rows(), 3 * kExamplePool);
    const MadePool pool = example_pool(3);
    const auto shown = individuals(*read, pool.view());
    const auto expected = individuals(*policy, pool.view());
    for (std::size_t i = 0; i < shown.size(); ++i) EXPECT_EQ(shown[i].index, expected[i].index);
    EXPECT_EQ(play_example(*read, 3, 6), play_example(*policy, 3, 6));
  }
}

TEST(TargetingFiles, AreReplacedAsAWhole) {
  const auto directory = std::filesystem::temp_directory_path() / "updraft_targeting_state_test";
  std::filesystem::create_directories(directory);
  const auto path = directory / "targeting.state";
  const auto policy = make_targeting("c2_up_ucb(beta=1)", kExampleShape);
  save_policy(*policy, path);
  play_example(*policy, 0, 3);
  save_policy(*policy, path);
  EXPECT_EQ(load_policy(path)->observations(), 3u);
  EXPECT_EQ(saved(*load_policy(path)), saved(*policy));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
  std::filesystem::remove_all(directory);
}

TEST(TargetingFiles, ReportsFilesThatCannotBeReadOrWritten) {
  const auto policy = make_targeting("random", kExampleShape);
  EXPECT_THROW(save_policy(*policy, "/no/such/folder/targeting.state"), std::runtime_error);
  EXPECT_THROW(load_policy(std::filesystem::path("/no/such/file")), std::runtime_error);
}

}  // namespace
}  // namespace updraft::testing
