// Campaigns with their store: repeated requests, restarts, concurrent requests, a disk that is
// full.

#include "service/service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>

#include "service/campaign_cost.h"
#include "service/campaign_log.h"
#include "service/event_bodies.h"
#include "service/live_campaign.h"
#include "service/queries.h"
#include "service/store_check.h"
#include "store/campaign_store.h"
#include "store/committer.h"
#include "store/sqlite.h"
#include "support/folder.h"
#include "support/old_store.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using testing::TemporaryFolder;

CampaignDefinition shop(const std::string& more = "") {
  return parse_definition(R"json({"name": "shop", "policy": "up_ts", "actions": ["a", "b"],
      "variables": ["x", "y", "z"], "knowledge": {"affected": [["x"], ["y", "z"]]})json" +
                          more + "}");
}

PayoffPart dense(std::vector<double> values) {
  return {.part = "", .complete = true, .dense = true, .ids = {}, .values = std::move(values)};
}

DecisionRequest asked(std::string id) {
  return {.id = std::move(id), .features = {}, .baseline = {}};
}

struct Opened {
  explicit Opened(const TemporaryFolder& folder, std::uint64_t snapshot_every = 10'000)
      : Opened(std::make_unique<CampaignStore>(folder.path() / "campaigns.db",
                                               CampaignStore::Mode::kWrite),
               snapshot_every) {}
  Opened(std::unique_ptr<CampaignStore> made, std::uint64_t snapshot_every)
      : store(*made),
        service({.store = "campaigns.db",
                 .snapshot_every = snapshot_every,
                 .clock = [this] { return now.load(); }},
                std::move(made)) {}
  std::atomic<std::int64_t> now = 0;
  CampaignStore& store;
  Service service;
};

TEST(Service, AnswersTheSameWhenAskedAgain) {
  const TemporaryFolder folder;
  DecisionAnswer decided;
  PayoffsAnswer paid;
  for (int restart = 0; restart < 3; ++restart) {
    Opened opened(folder);
    Service& service = opened.service;
    EXPECT_EQ(service.create(shop()), restart == 0);
    EXPECT_THROW(service.create(shop(R"(, "seed": 2)")), Conflict);
    for (int again = 0; again < 2; ++again) {
      const DecisionAnswer answer = service.decide("shop", asked("monday"));
      if (restart == 0 && again == 0) decided = answer;
      EXPECT_EQ(answer.action, decided.action);
      EXPECT_EQ(answer.state_version, 0u);
      const PayoffsAnswer taken = service.pay("shop", "monday", dense({1, 2, 3}));
      if (restart == 0 && again == 0) paid = taken;
      EXPECT_EQ(taken.status, DecisionStatus::kComplete);
      EXPECT_EQ(taken.state_version, paid.state_version);
    }
    EXPECT_THROW(service.pay("shop", "monday", dense({1, 2, 4})), Conflict);
    EXPECT_EQ(service.decision("shop", "monday").status, DecisionStatus::kComplete);
    EXPECT_EQ(service.report("shop")["state_version"], 2);
  }
}

TEST(Service, KnowsWhatIsNotThere) {
  const TemporaryFolder folder;
  Opened opened(folder);
  opened.service.create(shop());
  EXPECT_THROW(opened.service.decide("other", {}), NotFound);
  EXPECT_THROW(opened.service.report("other"), NotFound);
  EXPECT_THROW(opened.service.pay("shop", "monday", dense({1, 2, 3})), NotFound);
  EXPECT_THROW(opened.service.decision("shop", "monday"), NotFound);
}

TEST(Service, RestartsInTheSameStateAndTheStoreAddsUp) {
  const TemporaryFolder folder;
  nlohmann::json before;
  DecisionAnswer next;
  {
    Opened opened(folder, 50);
    opened.service.create(shop());
    opened.service.create(parse_definition(
        R"json({"name": "mail", "policy": "c2_up_ucb(beta=1)", "treatments": 1, "budget": 1, "features": 2
  })json"));
    for (int j = 0; j < 120; ++j) {
      const DecisionAnswer answer = opened.service.decide("shop", {});
      if (j % 5 != 0) opened.service.pay("shop", answer.id, dense({1.0, 0.1 * j, 3.0}));
      const DecisionAnswer pool =
          opened.service.decide("mail", {.id = "", .features = {1, 0, 0, 1}, .baseline = {}});
      opened.service.pay("mail", pool.id, dense({1.0, 0.1 * j}));
    }
    before = {opened.service.report("shop"), opened.service.report("mail")};
  }
  {
    Opened opened(folder, 50);
    EXPECT_EQ(nlohmann::json({opened.service.report("shop"), opened.service.report("mail")}),
              before);
  }
  const CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kRead);
  const StoreCheck check = check_store(store);
  EXPECT_TRUE(check.defects.empty()) << check.defects.front();
  ASSERT_EQ(check.campaigns.size(), 2u);
  EXPECT_EQ(check.campaigns[0].events, 216u);
  EXPECT_EQ(check.campaigns[0].snapshots, 2u);

  std::stringstream log;
  export_campaign(store, "shop", log);
  CampaignStore other(folder.path() / "other.db", CampaignStore::Mode::kWrite);
  EXPECT_EQ(import_campaign(other, log), "shop");
  std::stringstream again;
  export_campaign(other, "shop", again);
  EXPECT_EQ(again.str(), log.str());
}

TEST(Service, ManyThreadsGetDifferentDecisionsAndNothingIsLost) {
  const TemporaryFolder folder;
  {
    Opened opened(folder, 100);
    opened.service.create(shop());
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int j = 0; j < 50; ++j) {
          const std::string id = std::to_string(t) + "-" + std::to_string(j);
          const DecisionAnswer answer = opened.service.decide("shop", asked(id));
          EXPECT_EQ(answer.id, id);
          opened.service.pay("shop", id, dense({1.0 * t, 2.0 * j, 0.5}));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const ServiceGauges gauges = opened.service.gauges();
    EXPECT_EQ(gauges.campaigns[0].complete, 400u);
    EXPECT_EQ(gauges.campaigns[0].outstanding, 0u);
    EXPECT_LT(gauges.commits, gauges.writes);  // grouped
  }
  const StoreCheck check =
      check_store(CampaignStore(folder.path() / "campaigns.db", CampaignStore::Mode::kRead));
  EXPECT_TRUE(check.defects.empty()) << check.defects.front();
  EXPECT_EQ(check.campaigns[0].events, 800u);
}

/// Reopened, the store adds up and nothing was counted twice.
void expect_sound(const TemporaryFolder& folder, std::uint64_t complete) {
  const StoreCheck check =
      check_store(CampaignStore(folder.path() / "campaigns.db", CampaignStore::Mode::kRead));
  EXPECT_TRUE(check.defects.empty()) << check.defects.front();
  Opened opened(folder);
  EXPECT_EQ(opened.service.gauges().campaigns[0].complete, complete);
  std::uint64_t pulls = 0;
  const nlohmann::json report = opened.service.report("shop");
  for (const auto& action : report["actions"]) {
    pulls += action["pulls"].get<std::uint64_t>();
  }
  EXPECT_EQ(pulls, complete);
}

/// Calls `visit(thread)` in as many threads.
template <typename Visit>
void in_threads(int count, Visit visit) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&visit, t] { visit(t); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Service, PartsAndRepeatsOfOneDecisionAtOnceCountOnce) {
  const TemporaryFolder folder;
  {
    Opened opened(folder, 100);
    Service& service = opened.service;
    service.create(shop());
    for (int j = 0; j < 150; ++j) {
      const std::string id = "x" + std::to_string(j);
      in_threads(3, [&](int) { service.decide("shop", asked(id)); });
      in_threads(8, [&](int t) {
        const auto variable = static_cast<VariableId>(t % 3);
        const PayoffPart part = {std::to_string(t % 3), false, false, {variable}, {1.0}};
        try {
          service.pay("shop", id, part);
          service.pay("shop", id, {"end", true, false, {}, {}});
          service.pay("shop", id, part);
        } catch (const Conflict&) {  // it was complete before this part came
        }
      });
    }
  }
  expect_sound(folder, 150);
}

TEST(Service, PayoffsThatComeWhileTheirDecisionIsLostCountOnce) {
  const TemporaryFolder folder;
  {
    Opened opened(folder, 100);
    Service& service = opened.service;
    service.create(shop(R"(, "wait": 1)"));
    for (int j = 0; j < 150; ++j) {
      const std::string id = "x" + std::to_string(j);
      service.decide("shop", asked(id));
      opened.now += 2000;
      in_threads(4, [&](int t) {
        if (t == 0) service.sweep();
        if (t != 0) service.pay("shop", id, dense({1.0, 2.0, 3.0}));
      });
    }
    EXPECT_EQ(service.gauges().campaigns[0].lost, 0u);
  }
  expect_sound(folder, 150);
}

TEST(Service, SweepsWhatIsLost) {
  const TemporaryFolder folder;
  for (int restart = 0; restart < 2; ++restart) {
    Opened opened(folder);
    opened.now = 10'000 * restart;
    if (restart == 0) {
      opened.service.create(shop(R"(, "wait": 5)"));
      opened.service.decide("shop", asked("a"));
      opened.service.decide("shop", asked("b"));
      opened.now = 5000;
      opened.service.sweep();
      opened.service.sweep();
      EXPECT_EQ(opened.service.gauges().campaigns[0].lost, 2u);
    }
    if (restart == 1) opened.service.pay("shop", "a", dense({1, 2, 3}));
    EXPECT_EQ(opened.service.gauges().campaigns[0].lost, restart == 0 ? 2u : 1u);
    EXPECT_EQ(opened.service.decision("shop", "b").status, DecisionStatus::kLost);
  }
}

TEST(Service, NothingChangesWhereTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  nlohmann::json before;
  {
    Opened opened(folder);
    Service& service = opened.service;
    service.create(shop());
    service.decide("shop", asked("a"));
    opened.store.limit_pages(1);
    before = service.report("shop");
    bool full = false;
    for (int j = 0; j < 100'000 && !full; ++j) {
      try {
        service.decide("shop", asked("b-" + std::to_string(j)));
        before = service.report("shop");
      } catch (const Unavailable& error) {
        full = error.disk_full();
        EXPECT_TRUE(full) << error.what();
      }
    }
    ASSERT_TRUE(full);
    EXPECT_EQ(service.report("shop"), before);
    EXPECT_GE(service.gauges().failed_commits, 1u);

    opened.store.limit_pages(1'000'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it tries again after a while
    EXPECT_EQ(service.decide("shop", asked("a")).state_version, 0u);  // as it was answered before
    service.pay("shop", "a", dense({1, 2, 3}));
    before = service.report("shop");
  }
  Opened opened(folder);
  EXPECT_EQ(opened.service.report("shop"), before);
}

TEST(Service, ACampaignThatCannotBeRebuiltIsQuarantinedAlone) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  {
    CampaignStore store(path, CampaignStore::Mode::kWrite);
    store.write({StoredCampaign{1, "shop", shop().canonical},
                 EventWrite{1, {1, EventKind::kLost, "a", 0, ""}}});
    store.write({StoredCampaign{2, "other", R"({"name": "other"})"}});
    CampaignDefinition whole = shop();
    store.write({StoredCampaign{3, "whole", whole.canonical}});
  }
  Opened opened(folder);
  const auto quarantined = opened.service.quarantined();
  ASSERT_EQ(quarantined.size(), 2u);
  EXPECT_EQ(quarantined[0].first, "other");
  EXPECT_EQ(quarantined[0].second.find("policy"), 0u) << quarantined[0].second;
  EXPECT_EQ(quarantined[1].first, "shop");
  EXPECT_EQ(quarantined[1].second.find("event 1"), 0u) << quarantined[1].second;
  EXPECT_THROW(opened.service.decide("shop", {}), Quarantined);
  EXPECT_THROW(opened.service.report("other"), Quarantined);
  EXPECT_THROW(opened.service.definition("other"), Quarantined);
  EXPECT_EQ(opened.service.decide("whole", {}).state_version, 0u);
  EXPECT_EQ(opened.service.gauges().quarantined, 2u);
  EXPECT_EQ(opened.service.gauges().campaigns.size(), 3u);
  opened.service.sweep();
  const nlohmann::json list = opened.service.list()["campaigns"];
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[1]["quarantined"], quarantined[1].second);
  EXPECT_FALSE(list[2].contains("quarantined"));
}

TEST(Service, CampaignsShareABudgetOfMemory) {
  const TemporaryFolder folder;
  const std::string wide =
      R"json("policy": "c2_up_ucb(beta=1)", "treatments": 1, "budget": 1, "features": 200})json";
  const std::uint64_t each = cost_of(parse_definition(R"({"name": "a", )" + wide)).bytes;
  ServiceOptions options = {.store = folder.path() / "campaigns.db"};
  options.most_bytes = 2 * each;
  {
    Service service(options);
    EXPECT_TRUE(service.create(parse_definition(R"({"name": "a", )" + wide)));
    EXPECT_TRUE(service.create(parse_definition(R"({"name": "b", )" + wide)));
    EXPECT_FALSE(service.create(parse_definition(R"({"name": "b", )" + wide)));
    EXPECT_THROW(service.create(parse_definition(R"({"name": "c", )" + wide)), Conflict);
    EXPECT_EQ(service.gauges().bytes, 2 * each);
  }
  // What no longer fits is set aside; the service starts.
  options.most_bytes = 2 * each - 1;
  const Service service(options);
  const auto quarantined = service.quarantined();
  ASSERT_EQ(quarantined.size(), 1u);
  EXPECT_EQ(quarantined[0].first, "b");
  EXPECT_NE(quarantined[0].second.find("--memory"), std::string::npos) << quarantined[0].second;
}

// Logistic models that are fitted to all rows keep the different ones for ever.
TEST(Service, RowsThatAPolicyKeepsCountToItsMemory) {
  constexpr std::size_t kRows = 500;
  constexpr std::size_t kFeatures = 20;
  constexpr std::uint64_t kMebibyte = 1 << 20;
  const auto definition = [](const std::string& fit) {
    return parse_definition(R"json({"name": ")json" + fit +
                            R"json(", "policy": "c2_up_ucb(beta=1, model=logistic, fit=)json" +
                            fit + R"json()", "treatments": 1, "budget": 1, "features": 20})json");
  };
  const auto play = [&](Service& service, const std::string& name, int pool) {
    DecisionRequest request = asked("");
    for (std::size_t i = 0; i < kRows * kFeatures; ++i) {
      request.features.push_back(i % kFeatures == 0 ? 1e-4 * static_cast<double>(i) + pool : 0.1);
    }
    const std::string id = service.decide(name, request).id;
    service.pay(name, id, dense(std::vector<double>(kRows, 0.5)));
  };
  const TemporaryFolder folder;
  const std::uint64_t each = cost_of(definition("exact")).bytes;
  ServiceOptions options = {.store = folder.path() / "campaigns.db"};
  options.most_bytes = 2 * each + 3 * kMebibyte;
  std::uint64_t full = 0;
  {
    Service service(options);
    service.create(definition("exact"));
    service.create(definition("online"));
    for (int again = 0; again < 20; ++again) play(service, "exact", 0);
    EXPECT_EQ(service.gauges().bytes, 2 * each + kMebibyte) << "equal rows are kept once";
    int pools = 1;
    std::string refused;
    try {
      for (; pools < 50; ++pools) play(service, "exact", pools);
    } catch (const Conflict& full_up) {
      refused = full_up.what();
    }
    EXPECT_NE(refused.find("fit=online"), std::string::npos) << refused;
    // 400 bytes a row: 15 pools are 3 MB, and in 2 MiB there is room for 8.
    EXPECT_GT(pools, 8);
    EXPECT_LE(pools, 16);
    full = service.gauges().bytes;
    EXPECT_LE(full, options.most_bytes);
    for (int pool = 0; pool < 20; ++pool) play(service, "online", pool);
    EXPECT_EQ(service.gauges().bytes, full);
  }
  {
    Service service(options);
    EXPECT_EQ(service.gauges().bytes, full);
    EXPECT_THROW(play(service, "exact", 50), Conflict);
  }
  ServiceOptions smaller = options;
  smaller.most_bytes = 2 * each + kMebibyte;
  {
    const Service service(smaller);
    ASSERT_EQ(service.quarantined().size(), 1u);
    EXPECT_EQ(service.quarantined()[0].first, "exact");
    EXPECT_NE(service.quarantined()[0].second.find("--memory"), std::string::npos);
    EXPECT_EQ(service.gauges().bytes, each);
  }
  Service service(options);
  service.archive("exact");
  EXPECT_EQ(service.gauges().bytes, each);
}

TEST(Service, OutstandingDecisionsReachTheirLimitAndNotOneMore) {
  const TemporaryFolder folder;
  ServiceOptions options = {.store = folder.path() / "campaigns.db"};
  options.most_outstanding = 2;
  Service service(options);
  service.create(shop());
  service.decide("shop", asked("a"));
  service.decide("shop", asked("b"));
  EXPECT_THROW(service.decide("shop", asked("c")), Conflict);
  EXPECT_EQ(service.decide("shop", asked("b")).state_version, 1u) << "is there already";
  service.pay("shop", "a", dense({1, 2, 3}));
  service.decide("shop", asked("c"));
  EXPECT_THROW(service.decide("shop", asked("d")), Conflict);
}

TEST(Service, OneSweepLosesAllThatIsDue) {
  const TemporaryFolder folder;
  Opened opened(folder);
  opened.service.create(shop(R"(, "wait": 5)"));
  for (int j = 0; j < 1500; ++j) opened.service.decide("shop", {});
  opened.now = 5000;
  opened.service.sweep();
  EXPECT_EQ(opened.service.gauges().campaigns[0].lost, 1500u);
  EXPECT_EQ(opened.service.gauges().campaigns[0].outstanding, 0u);
}

TEST(Service, ScrubbingQuarantinesWhatIsDamaged) {
  const TemporaryFolder folder;
  Opened opened(folder);
  opened.service.create(shop());
  CampaignDefinition other = shop();
  opened.service.create(parse_definition(
      R"json({"name": "other", "policy": "ucb(alpha=1)", "actions": 2, "variables": 2})json"));
  opened.service.decide("shop", asked("a"));
  opened.service.decide("other", asked("a"));
  opened.service.scrub();
  EXPECT_TRUE(opened.service.quarantined().empty());
  Connection(folder.path() / "campaigns.db", Connection::Mode::kReadWrite)
      .execute("UPDATE events SET time_ms = time_ms + 1 WHERE campaign = 1");
  opened.service.scrub();
  ASSERT_EQ(opened.service.quarantined().size(), 1u);
  EXPECT_EQ(opened.service.quarantined()[0].first, "shop");
  EXPECT_THROW(opened.service.decide("shop", asked("b")), Quarantined);
  opened.service.decide("other", asked("b"));
}

TEST(Service, ReadingADamagedDecisionQuarantinesItsCampaign) {
  const TemporaryFolder folder;
  Opened opened(folder);
  opened.service.create(shop());
  opened.service.decide("shop", asked("a"));
  opened.service.pay("shop", "a", dense({1, 2, 3}));  // so it is only in the store
  Connection(folder.path() / "campaigns.db", Connection::Mode::kReadWrite)
      .execute("UPDATE events SET time_ms = time_ms + 1 WHERE decision = 'a'");
  EXPECT_THROW(opened.service.decide("shop", asked("a")), Quarantined);
  EXPECT_THROW(opened.service.decide("shop", asked("b")), Quarantined);
  EXPECT_EQ(opened.service.quarantined().size(), 1u);
}

TEST(Service, ADamagedSnapshotIsReplacedByTheEvents) {
  const TemporaryFolder folder;
  nlohmann::json before;
  {
    Opened opened(folder, 4);
    opened.service.create(shop());
    for (int j = 0; j < 10; ++j) opened.service.decide("shop", {});
    before = opened.service.report("shop");
  }
  Connection(folder.path() / "campaigns.db", Connection::Mode::kReadWrite)
      .execute("UPDATE snapshots SET body = x'00'");
  Opened opened(folder, 4);
  EXPECT_TRUE(opened.service.quarantined().empty());
  EXPECT_EQ(opened.service.report("shop"), before);
}

// Version 1 had smaller snapshots.
TEST(Service, BringsOldStoresUpToDate) {
  const TemporaryFolder folder;
  nlohmann::json before;
  {
    Opened opened(folder, 4);
    opened.service.create(shop());
    for (int j = 0; j < 9; ++j) {
      const DecisionAnswer answer = opened.service.decide("shop", {});
      opened.service.pay("shop", answer.id, dense({1.0 * j, 2, 3}));
    }
    before = opened.service.report("shop");
  }
  testing::make_old_store(folder.path() / "campaigns.db", 1);
  Opened opened(folder, 4);
  EXPECT_EQ(opened.service.report("shop"), before);
  EXPECT_EQ(opened.service.history("shop")["decided"].size(), 18u);
}

// Version 3 had neither probabilities nor revisions.
TEST(Service, OpensStoresOfDecisionsWithoutProbabilities) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  {
    LiveCampaign live(std::make_shared<CampaignDefinition>(shop()));
    Event event = live.decide(asked("monday"), 5);
    Decided decided = decode_decided(event.body);
    EXPECT_EQ(decided.probability, 1.0);
    decided.probability.reset();
    decided.revision = 0;
    event.body = encode(decided);
    CampaignStore store(path, CampaignStore::Mode::kWrite);
    store.write({StoredCampaign{1, "shop", shop().canonical}, EventWrite{1, event},
                 SnapshotWrite{1, {1, "of version 3"}}});
  }
  testing::make_old_store(path, 3);
  Opened opened(folder);
  EXPECT_EQ(opened.service.decision("shop", "monday").probability, std::nullopt);
  EXPECT_EQ(opened.service.decide("shop", asked("monday")).probability, std::nullopt);
  EXPECT_EQ(opened.service.decide("shop", asked("tuesday")).probability, 1.0);
  opened.service.pay("shop", "monday", dense({1, 2, 3}));
  EXPECT_TRUE(check_store(CampaignStore(path, CampaignStore::Mode::kRead)).nothing_found());
}

// Snapshots of version 7 had no evidence.
TEST(Service, RebuildsWhatOlderSnapshotsLack) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  nlohmann::json before;
  {
    Opened opened(folder, 4);
    opened.service.create(shop());
    for (int j = 0; j < 9; ++j) {
      const DecisionAnswer answer = opened.service.decide("shop", {});
      opened.service.pay("shop", answer.id, dense({1.0 * j, 2, 3}));
    }
    before = opened.service.report("shop");
  }
  {
    Connection connection(path, Connection::Mode::kReadWrite);
    EXPECT_GT(connection.number("SELECT count(*) FROM snapshots"), 0);
    connection.execute(
        "DROP TABLE snapshot_parts; DROP TABLE cuts; DROP TABLE settled; ALTER TABLE snapshots "
        "DROP "
        "COLUMN parts; PRAGMA user_version = 7");
  }
  { const CampaignStore upgraded(path, CampaignStore::Mode::kWrite); }
  EXPECT_EQ(Connection(path, Connection::Mode::kReadOnly).number("SELECT count(*) FROM snapshots"),
            0);
  Opened opened(folder, 4);
  EXPECT_EQ(opened.service.report("shop"), before);
}

// Else a campaign that nobody uses any more is replayed from its first event at every start.
TEST(Service, KeepsASnapshotOfWhatWasReplayedForLong) {
  const TemporaryFolder folder;
  {
    Opened opened(folder, 1000);
    opened.service.create(shop());
    for (int j = 0; j < 9; ++j) opened.service.decide("shop", {});
    opened.service.stop("shop");
  }
  { const Opened opened(folder, 10); }
  const CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kRead);
  ASSERT_TRUE(store.last_snapshot(store.campaigns().at(0)));
  EXPECT_EQ(store.last_snapshot(store.campaigns().at(0))->number, 10u);
  EXPECT_TRUE(check_store(store).defects.empty());
}

TEST(Service, IsLookedAtWhileItDecides) {
  const TemporaryFolder folder;
  Opened opened(folder);
  Service& service = opened.service;
  service.create(shop());
  std::atomic<bool> over = false;
  std::vector<std::thread> viewers;
  for (int viewer = 0; viewer < 3; ++viewer) {
    viewers.emplace_back([&] {
      std::uint64_t last = 0;
      while (!over) {
        const auto view = service.view("shop");
        EXPECT_GE(view->state_version, last);
        last = view->state_version;
        EXPECT_EQ(nlohmann::json::parse(view->report)["state_version"], last);
        service.history("shop");
        service.variables("shop", {.action = 1, .show = VariableQuery::Show::kAll, .search = ""});
        service.list();
      }
    });
  }
  for (int round = 0; round < 100; ++round) {
    const DecisionAnswer answer = service.decide("shop", {});
    service.pay("shop", answer.id, dense({1.0 * round, 2, 3}));
  }
  over = true;
  for (std::thread& viewer : viewers) viewer.join();
  EXPECT_EQ(service.report("shop")["decisions"]["complete"], 100);
}

}  // namespace
}  // namespace updraft
