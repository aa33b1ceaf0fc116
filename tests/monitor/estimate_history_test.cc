// Points of a history: how many, which, and that snapshots and events give them back.

#include "updraft/estimate_history.h"

#include <gtest/gtest.h>

#include "service/played_campaign.h"

namespace updraft {
namespace {

constexpr const char* kShop = R"json({"name": "shop", "policy": "up_ucb(alpha=1)", "actions": 2,
    "variables": 3, "knowledge": {"affected": [[0], [1, 2]]}})json";

double noisy(ActionId action, VariableId variable, std::mt19937_64& random) {
  return testing::normal(random, action == 1 && variable > 0 ? 1.0 : 0.0);
}

std::vector<std::uint64_t> events_of(const EstimateHistory& history) {
  std::vector<std::uint64_t> out;
  for (const EstimateHistory::Point& point : history.points()) out.push_back(point.event);
  return out;
}

TEST(EstimateHistory, IsThinnedAndEven) {
  EstimateHistory history(2, 1);
  std::uint64_t most = 0;
  for (std::uint64_t event = 1; event <= 100'000; ++event) {
    if (!history.due(event)) continue;
    history.add(
        {.event = event, .chosen = {event, 0}, .estimates = std::vector<IntervalEstimate>(2)});
    most = std::max<std::uint64_t>(most, history.points().size());
  }
  EXPECT_LE(most, EstimateHistory::kMostPoints);
  const std::vector<std::uint64_t> events = events_of(history);
  EXPECT_GE(events.size(), EstimateHistory::kMostPoints / 2 - 1);
  for (std::size_t j = 0; j < events.size(); ++j) EXPECT_EQ(events[j], (j + 1) * events[0]);
}

TEST(EstimateHistory, StartsSlowlyIfALookIsDear) {
  const EstimateHistory history(20, 20 * 100'000);
  EXPECT_FALSE(history.due(1));
  EXPECT_TRUE(history.due(32));
}

TEST(EstimateHistory, IsNotKeptOfVeryManyActions) {
  const EstimateHistory history(EstimateHistory::kMostActions + 1, 1);
  EXPECT_FALSE(history.kept());
  EXPECT_FALSE(history.due(1));
}

TEST(EstimateHistory, HoldsTheEstimatesOfThen) {
  LiveCampaign live = testing::campaign_of(kShop);
  testing::play(live, 20, 1, noisy);
  const auto points = live.monitor().history().points();  // a copy
  ASSERT_EQ(points.size(), 40u);                          // a decision and a payoff a round
  LiveCampaign again = testing::campaign_of(kShop);
  testing::play(again, 10, 1, noisy);
  const EstimateHistory::Point& then = points[19];
  EXPECT_EQ(then.event, 20u);
  EXPECT_EQ(then.decided, 10u);
  EXPECT_EQ(then.complete, 10u);
  std::vector<IntervalEstimate> expected;
  for (const ActionExplanation& about : again.policy().explain().actions) {
    expected.push_back(about.estimate);
  }
  EXPECT_EQ(then.estimates, expected);
  EXPECT_EQ(then.chosen[0] + then.chosen[1], 10u);
  EXPECT_EQ(then.chosen[0], again.policy().pulls(0));
}

// The action with most payoffs plays baseline: which one that was is kept with the point.
TEST(EstimateHistory, KnowsWhatDifferencesWereTo) {
  constexpr const char* kSearch = R"json({"name": "shop", "policy": "up_ucb_l(alpha=0.1)",
      "actions": 2, "variables": 3, "knowledge": {"max_affected": 1}})json";
  LiveCampaign live = testing::campaign_of(kSearch);
  testing::play(live, 30, 1, noisy);
  const auto& points = live.monitor().history().points();
  EXPECT_FALSE(points[0].reference);  // a decision, and nothing was paid yet
  EXPECT_EQ(points[1].reference, 0u);
  EXPECT_EQ(points.back().reference, 1u);
  LiveCampaign restored = testing::campaign_of(kSearch);
  restored.restore(live.snapshot());
  EXPECT_EQ(restored.monitor().history().points()[1].reference, 0u);
  EXPECT_EQ(restored.monitor().history().points().back().reference, 1u);
  EXPECT_EQ(restored.snapshot(), live.snapshot());

  // Uplifts are over nothing.
  LiveCampaign shop = testing::campaign_of(kShop);
  testing::play(shop, 30, 1, noisy);
  EXPECT_FALSE(shop.monitor().history().points().back().reference);
}

TEST(EstimateHistory, ComesBackFromSnapshotsAndEvents) {
  LiveCampaign live = testing::campaign_of(kShop);
  testing::play(live, 300, 1, noisy);
  LiveCampaign restored = testing::campaign_of(kShop);
  restored.restore(live.snapshot());
  testing::play(live, 50, 2, noisy);
  testing::play(restored, 50, 2, noisy);
  EXPECT_EQ(live.snapshot(), restored.snapshot());
  EXPECT_EQ(events_of(live.monitor().history()), events_of(restored.monitor().history()));
}

}  // namespace
}  // namespace updraft
