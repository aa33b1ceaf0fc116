// Saved campaign policies that are damaged, foreign or newer are refused.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

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
  constexpr auto kForeign = "policy state: is not a saved policy: it does not begin like one";
  EXPECT_EQ(refused(""), kForeign);
  EXPECT_EQ(refused(std::string(1000, '\0')), kForeign);
  std::ostringstream other;
  save_policy(*make_policy("ucb(alpha=1)", full_knowledge()), other);
  EXPECT_EQ(refused(other.str()), kForeign);
  std::istringstream campaign(saved(*make_campaign_policy("random", kExampleShape)));
  EXPECT_EQ(refusal([&] { load_policy(campaign); }), kForeign);
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
