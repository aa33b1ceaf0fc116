// Saved campaign policies that are damaged, foreign or newer are refused.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/state_frame.h"
#include "policies/campaign/campaign_example.h"
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
std::string as_version_1(const CampaignPolicy& policy) {
  constexpr std::string_view kMagic = "updraft-campaign-policy\r\n";
  const std::string file = saved(policy);
  std::string body(unframed({kMagic, CampaignPolicy::kStateVersion}, file).bytes);
  const std::size_t before = sizeof(std::uint64_t) * 6 + policy.spec().text().size();
  body.erase(before, 2 * sizeof(std::uint64_t));
  return framed({kMagic, 1}, body);
}

class CampaignState : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string example() {
    const auto policy = make_campaign_policy(GetParam(), kExampleShape);
    play_example(*policy, 0, 2);
    return saved(*policy);
  }
};

TEST_P(CampaignState, RefusesEveryTruncation) { expect_no_other_length(example(), refused); }

TEST_P(CampaignState, RefusesEveryFlippedBit) { expect_no_flipped_bit(example(), refused); }

INSTANTIATE_TEST_SUITE_P(Registered, CampaignState, ::testing::ValuesIn(usable_campaign_specs()));

TEST(CampaignFiles, RefusesForeignFiles) {
  constexpr auto kForeign = "policy state: is not a saved policy: its first bytes are wrong";
  EXPECT_EQ(refused(""), kForeign);
  EXPECT_EQ(refused(std::string(1000, '\0')), kForeign);
  std::ostringstream other;
  save_policy(*make_policy("ucb(alpha=1)", full_knowledge()), other);
  EXPECT_EQ(refused(other.str()), kForeign);
  std::istringstream campaign(saved(*make_campaign_policy("random", kExampleShape)));
  EXPECT_EQ(refusal([&] { load_policy(campaign); }), kForeign);
}

TEST(CampaignFiles, OfVersion1AreReadUnlessBetaDependsOnRows) {
  const auto policy = make_campaign_policy("c2_up_ucb(beta=1)", kExampleShape);
  play_example(*policy, 0, 3);
  const auto read = restored(as_version_1(*policy));
  EXPECT_EQ(read->observations(), 3u);
  EXPECT_EQ(play_example(*read, 3, 6), play_example(*policy, 3, 6));
  const auto counting = make_campaign_policy("c2_up_ucb(delta=0.1)", kExampleShape);
  play_example(*counting, 0, 3);
  EXPECT_EQ(refused(as_version_1(*counting)),
            "policy state: version = 1: does not say how many rows were learned from, and with "
            "delta beta depends on it: make the policy anew and let it observe its rows again, or "
            "load the state with the release that saved it");
}

TEST(CampaignFiles, KeepTheRowsThatBetaDependsOn) {
  const auto policy = make_campaign_policy("c2_up_ucb(delta=0.1)", kExampleShape);
  play_example(*policy, 0, 3);
  const auto read = restored(saved(*policy));
  EXPECT_GT(read->treated_rows(), 0u);
  EXPECT_EQ(read->rows(), policy->rows());
  EXPECT_EQ(read->treated_rows(), policy->treated_rows());
  EXPECT_EQ(play_example(*read, 3, 6), play_example(*policy, 3, 6));
}

TEST(CampaignFiles, AreReplacedAsAWhole) {
  const auto directory = std::filesystem::temp_directory_path() / "updraft_campaign_state_test";
  std::filesystem::create_directories(directory);
  const auto path = directory / "campaign.state";
  const auto policy = make_campaign_policy("c2_up_ucb(beta=1)", kExampleShape);
  save_campaign_policy(*policy, path);
  play_example(*policy, 0, 3);
  save_campaign_policy(*policy, path);
  EXPECT_EQ(load_campaign_policy(path)->observations(), 3u);
  EXPECT_EQ(saved(*load_campaign_policy(path)), saved(*policy));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
  std::filesystem::remove_all(directory);
}

TEST(CampaignFiles, ReportsFilesThatCannotBeReadOrWritten) {
  const auto policy = make_campaign_policy("random", kExampleShape);
  EXPECT_THROW(save_campaign_policy(*policy, "/no/such/folder/campaign.state"), std::runtime_error);
  EXPECT_THROW(load_campaign_policy(std::filesystem::path("/no/such/file")), std::runtime_error);
}

}  // namespace
}  // namespace updraft::testing
