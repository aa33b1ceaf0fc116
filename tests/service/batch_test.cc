// Several decisions in one request: what the campaign does is what the library does, all of it or
// nothing, and events and snapshots give it back, bit for bit.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "played_campaign.h"
#include "service/log_events.h"
#include "service/service.h"
#include "service/store_check.h"
#include "store/campaign_store.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::campaign_of;
using testing::conflict;
using testing::dense_part;
using testing::paid_by;
using testing::refusal;
using testing::TemporaryFolder;

std::string outlet(const std::string& policy, const std::string& more = "") {
  return R"json({"name": "outlet", "policy": ")json" + policy +
         R"json(", "actions": ["none", "news", "sale"], "variables": 4,
         "knowledge": {"affected": [[0], [1], [2, 3]]})json" +
         more + "}";
}

DecisionRequest several(std::uint32_t count, std::string id = "") {
  DecisionRequest request;
  request.id = std::move(id);
  request.batch.size = count;
  return request;
}

class BatchedCampaign : public ::testing::TestWithParam<std::string> {};

TEST_P(BatchedCampaign, DecidesAsThePolicyAndReplaysFromEveryEvent) {
  const std::string body = outlet(GetParam());
  LiveCampaign live = campaign_of(body);
  const auto twin = make_policy(live.spec(), live.definition().policy_knowledge());
  const Stream stream(live.definition().seed, 0, Purpose::kPolicy);
  std::vector<Event> events;
  for (int round = 0; round < 12; ++round) {
    const auto expected = twin->decide_batch(7, {}, stream);
    const std::vector<Event> made = live.decide_batch(several(7), round);
    ASSERT_EQ(made.size(), 7u);
    for (std::size_t j = 0; j < made.size(); ++j) {
      const Decided& decided = live.find(made[j].decision)->decided;
      ASSERT_EQ(decided.action, expected[j].action) << round << " " << j;
      ASSERT_EQ(decided.probability, expected[j].probability);
      ASSERT_EQ(decided.batch, (BatchPlace{static_cast<std::uint32_t>(j + 1), 7}));
    }
    events.insert(events.end(), made.begin(), made.end());
    for (std::size_t j = made.size(); j-- > 1;) {  // the first stays outstanding
      const std::vector<double> payoffs = paid_by(expected[j].action, 7 * round);
      twin->observe(expected[j].action, Payoffs::dense(payoffs));
      events.push_back(live.pay(made[j].decision, dense_part(payoffs), round));
    }
  }
  const auto none = [](const Event&) { return std::optional<LiveDecision>(); };
  LiveCampaign first = campaign_of(body);
  for (const Event& event : events) {
    const json line = event_json(event, live.definition());
    ASSERT_EQ(event_from(json::parse(line.dump()), live.definition()), event) << line;
    LiveCampaign restored = campaign_of(body);
    if (first.version() > 0) restored.restore(first.snapshot());
    if (event.kind == EventKind::kDecided) {  // from a snapshot in the middle of a batch, too
      const Decided recorded = decode_decided(event.body);
      EXPECT_EQ(restored.decide_again(recorded).action, recorded.action) << line;
      EXPECT_EQ(first.decide_again(recorded).action, recorded.action) << line;
    }
    first.replay(event, none);
  }
  EXPECT_EQ(first.snapshot(), live.snapshot());
}

INSTANTIATE_TEST_SUITE_P(Policies, BatchedCampaign,
                         ::testing::Values("up_ts", "up_ucb(alpha=1)", "ucb(alpha=1)",
                                           "up_ts_sparse"),
                         [](const auto& given) {
                           return given.param.substr(0, given.param.find('('));
                         });

TEST(BatchRequests, AreReadAndRefusedWithFieldValueAndRule) {
  const LiveCampaign live = campaign_of(outlet("up_ts"));
  const auto parsed = [&](const std::string& body) {
    return parse_decision(body, live.definition());
  };
  EXPECT_EQ(parsed(R"({"count": 1000})").batch, (BatchPlace{0, 1000}));
  EXPECT_EQ(parsed(R"({})").batch, (BatchPlace{}));
  EXPECT_EQ(refusal([&] { parsed(R"({"count": 0})"); }),
            "count = 0: must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal([&] { parsed(R"({"count": 1001})"); }),
            "count = 1001: must be a whole number from 1 to 1000");
  EXPECT_NE(refusal([&] { parsed(R"({"count": "two"})"); }), "(accepted)");
  EXPECT_NE(refusal([&] {
              parsed(json{{"count", 10}, {"decision", std::string(199, 'x')}}.dump());
            }),
            "(accepted)");
  RequestLimits limits;
  limits.batch_work = 30;  // 3 actions, 4 variables: 12
  EXPECT_EQ(refusal([&] { parse_decision(R"({"count": 3})", live.definition(), limits); }),
            "count = 3: must be at most 2: each decision takes 12 multiplications");
  const LiveCampaign sparse = campaign_of(outlet("up_ts_sparse"));
  limits.batch_work = 5000;
  EXPECT_EQ(refusal([&] { parse_decision(R"({"count": 3})", sparse.definition(), limits); }),
            "count = 3: must be at most 2: each decision takes 2400 multiplications");

  const LiveCampaign shadow = campaign_of(outlet("up_ts", R"(, "mode": "shadow")"));
  EXPECT_EQ(refusal([&] { parse_decision(R"({"count": 2, "action": 1})", shadow.definition()); }),
            "count: cannot be combined with action, which is of one decision");
  LiveCampaign shadowed = campaign_of(outlet("up_ts", R"(, "mode": "shadow")"));
  EXPECT_EQ(refusal([&] { shadowed.decide_batch(several(2), 0); }),
            "count = 2: cannot be used in shadow mode: the caller decides");
}

TEST(BatchRequests, AreAnsweredTheSameAgainAndAfterARestart) {
  const TemporaryFolder folder;
  std::vector<ActionId> actions;
  for (int restart = 0; restart < 2; ++restart) {
    Service service({.store = folder.path() / "campaigns.db", .snapshot_every = 4});
    service.create(parse_definition(outlet("ts")));
    for (int again = 0; again < 2; ++again) {
      const auto answers = service.decide_batch("outlet", several(10, "monday"));
      ASSERT_EQ(answers.size(), 10u);
      for (std::size_t j = 0; j < 10; ++j) {
        EXPECT_EQ(answers[j].id, "monday." + std::to_string(j + 1));
        EXPECT_EQ(answers[j].state_version, j);
        if (restart == 0 && again == 0) actions.push_back(answers[j].action);
        EXPECT_EQ(answers[j].action, actions[j]);
      }
    }
    const auto paid = service.pay("outlet", "monday.3", dense_part({1, 2, 3, 4}));
    EXPECT_EQ(paid.status, DecisionStatus::kComplete);
    EXPECT_EQ(service.report("outlet")["decisions"]["decided"], 10 + restart);
    EXPECT_EQ(conflict([&] { service.decide_batch("outlet", several(9, "monday")); }),
              "decision monday.1 was made for another count");
    DecisionRequest alone = several(0, "monday.3");
    EXPECT_EQ(conflict([&] { service.decide("outlet", alone); }),
              "decision monday.3 was made for another count");
    if (restart == 0) service.decide("outlet", several(0, "tuesday.2"));
    EXPECT_EQ(conflict([&] { service.decide_batch("outlet", several(3, "tuesday")); }),
              "decision tuesday.2 was made before");
    EXPECT_EQ(service.report("outlet")["decisions"]["decided"], 11);
    EXPECT_EQ(service.gauges().failed_commits, 0u);
  }
  const StoreCheck check =
      check_store(CampaignStore(folder.path() / "campaigns.db", CampaignStore::Mode::kRead));
  EXPECT_TRUE(check.defects.empty());
  EXPECT_TRUE(check.nothing_found());
}

TEST(BatchRequests, OfUcbAreFoundByACheckOfTheStore) {
  const TemporaryFolder folder;
  std::vector<ActionId> actions;
  {
    Service service({.store = folder.path() / "campaigns.db", .snapshot_every = 5});
    service.create(parse_definition(outlet("ucb(alpha=50)")));
    for (int round = 0; round < 6; ++round) {
      for (const DecisionAnswer& one : service.decide_batch("outlet", several(8))) {
        actions.push_back(one.action);
        if (round < 5) service.pay("outlet", one.id, dense_part(paid_by(one.action, round)));
      }
    }
  }
  const std::vector<ActionId> last(actions.end() - 8, actions.end());
  EXPECT_GT(*std::max_element(last.begin(), last.end()),
            *std::min_element(last.begin(), last.end()))
      << "a batch of ucb spreads";
  const StoreCheck check =
      check_store(CampaignStore(folder.path() / "campaigns.db", CampaignStore::Mode::kRead));
  EXPECT_TRUE(check.defects.empty());
  EXPECT_EQ(check.campaigns.at(0).decided_otherwise, 0u);
  EXPECT_GT(check.campaigns.at(0).snapshots, 0u);
}

TEST(BatchRequests, AreMadeAsAWholeOrNotAtAll) {
  const TemporaryFolder folder;
  ServiceOptions options = {.store = folder.path() / "campaigns.db"};
  options.most_outstanding = 10;
  Service service(options);
  service.create(parse_definition(outlet("ts")));
  const std::uint64_t before = service.gauges().commits;
  service.decide_batch("outlet", several(7, "a"));
  EXPECT_EQ(service.gauges().commits, before + 1);
  EXPECT_EQ(conflict([&] { service.decide_batch("outlet", several(4, "b")); }),
            "7 decisions are outstanding; with 4 more there would be more than the limit, 10");
  EXPECT_EQ(service.report("outlet")["state_version"], 7);
  EXPECT_EQ(service.decide_batch("outlet", several(7, "a")).size(), 7u) << "is there already";
  EXPECT_EQ(service.decide_batch("outlet", several(3, "b")).size(), 3u);
  EXPECT_NE(conflict([&] { service.decide_batch("outlet", several(1, "c")); }), "(accepted)");
}

}  // namespace
}  // namespace updraft
