// What the service does where its store fails or has another writer. The store is a real one behind
// an implementation that fails when told to.

#include "store/event_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include "service/service.h"
#include "service/store_check.h"
#include "store/campaign_store.h"
#include "support/folder.h"

namespace updraft {
namespace {

using testing::TemporaryFolder;

enum class Fault {
  kNone,
  kFails,     ///< writes nothing and throws
  kDiskFull,  ///< the same, for want of room
  kConflict,  ///< writes nothing and says that there is a conflict
};

/// Told by tests what the next write comes to.
struct Faults {
  std::atomic<Fault> next = Fault::kNone;
  std::atomic<int> writes = 0;
  std::atomic<bool> held = false;        ///< writes wait while this is so
  std::atomic<bool> reads_held = false;  ///< so do some reads
  std::atomic<int> waiting_reads = 0;

  void wait_to_read() {
    ++waiting_reads;
    while (reads_held) std::this_thread::yield();
    --waiting_reads;
  }
};

class FaultyStore final : public EventStore {
 public:
  FaultyStore(const std::filesystem::path& path, std::shared_ptr<Faults> faults)
      : store_(path, CampaignStore::Mode::kWrite), faults_(std::move(faults)) {}

  std::vector<StoredCampaign> campaigns() const override { return store_.campaigns(); }
  std::optional<StoredSnapshot> last_snapshot(const StoredCampaign& campaign) const override {
    return store_.last_snapshot(campaign);
  }
  void for_each_event(const StoredCampaign& campaign, std::uint64_t after,
                      const std::function<void(const Event&)>& visit) const override {
    store_.for_each_event(campaign, after, visit);
  }
  std::vector<Event> events_after(const StoredCampaign& campaign, std::uint64_t after,
                                  std::size_t most) const override {
    return store_.events_after(campaign, after, most);
  }
  std::vector<Event> events_of(const StoredCampaign& campaign,
                               std::string_view decision) const override {
    faults_->wait_to_read();
    return store_.events_of(campaign, decision);
  }
  std::string archive_summary(const StoredCampaign& campaign) const override {
    return store_.archive_summary(campaign);
  }
  bool has_dropped() const override { return store_.has_dropped(); }
  std::int64_t new_campaign_id() const override {
    faults_->wait_to_read();
    return store_.new_campaign_id();
  }

  AppendResult write(const std::vector<StoreWrite>& batch) override {
    ++faults_->writes;
    while (faults_->held) std::this_thread::yield();
    switch (faults_->next.exchange(Fault::kNone)) {
      case Fault::kFails:
        throw StoreError("the disk is gone", StoreError::Kind::kOther);
      case Fault::kDiskFull:
        throw StoreError("no room", StoreError::Kind::kDiskFull);
      case Fault::kConflict:
        return AppendResult::kConflict;
      case Fault::kNone:
        break;
    }
    return store_.write(batch);
  }

  /// As another process would, behind the service's back.
  CampaignStore& behind() { return store_; }

 private:
  CampaignStore store_;
  std::shared_ptr<Faults> faults_;
};

CampaignDefinition shop(const std::string& name = "shop") {
  return parse_definition(R"json({"name": ")json" + name +
                          R"json(", "policy": "up_ts", "actions": 2, "variables": 2,
                                  "knowledge": {"affected": [[0], [1]]}})json");
}

PayoffPart dense(std::vector<double> values) {
  return {.part = "", .complete = true, .dense = true, .ids = {}, .values = std::move(values)};
}

DecisionRequest asked(std::string id) {
  return {.id = std::move(id), .features = {}, .baseline = {}};
}

Event stopped() { return {0, EventKind::kStopped, "", 5, ""}; }

/// A service on a faulty store.
struct Faulty {
  explicit Faulty(const TemporaryFolder& folder) : path(folder.path() / "campaigns.db") {
    auto made = std::make_unique<FaultyStore>(path, faults);
    store = made.get();
    service = std::make_unique<Service>(
        ServiceOptions{.store = path, .clock = [this] { return clock ? clock() : 7; }},
        std::move(made));
  }

  /// What comes of a call whose write meets `fault`: "", or that it was unavailable.
  template <typename Call>
  std::string meeting(Fault fault, Call call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));  // it tries again after a while
    faults->next = fault;
    try {
      call();
    } catch (const Unavailable& error) {
      return error.disk_full() ? "full" : "unavailable";
    }
    return "";
  }

  std::filesystem::path path;
  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  FaultyStore* store = nullptr;
  std::function<std::int64_t()> clock;  // 7 if there is none
  std::unique_ptr<Service> service;
};

TEST(EventStore, AppendsWhereTheVersionIsTheExpectedOne) {
  const TemporaryFolder folder;
  CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kWrite);
  EventStore& events = store;
  const StoredCampaign spring = {store.new_campaign_id(), "spring", "{}"};
  EXPECT_EQ(spring.id, 1);
  EXPECT_EQ(store.write({spring}), AppendResult::kOk);
  EXPECT_EQ(events.append(1, 1, {stopped()}), AppendResult::kConflict);  // ahead
  EXPECT_EQ(events.append(1, 0, {stopped(), stopped()}), AppendResult::kOk);
  EXPECT_EQ(events.append(1, 0, {stopped()}), AppendResult::kConflict);  // behind
  EXPECT_EQ(events.append(1, 1, {stopped(), stopped()}), AppendResult::kConflict);
  EXPECT_EQ(events.append(1, 3, {stopped()}), AppendResult::kConflict);
  EXPECT_EQ(events.append(1, 2, {}), AppendResult::kOk);
  EXPECT_EQ(events.append(1, 2, {stopped()}), AppendResult::kOk);
  std::vector<std::uint64_t> numbers;
  store.for_each_event(spring, 0, [&](const Event& event) { numbers.push_back(event.number); });
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(EventStore, ABatchWithAConflictIsNotWritten) {
  const TemporaryFolder folder;
  CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kWrite);
  const StoredCampaign spring = {1, "spring", "{}"};
  const StoredCampaign autumn = {2, "autumn", "{}"};
  EXPECT_EQ(store.write({spring, autumn}), AppendResult::kOk);
  Event first = stopped();
  first.number = 1;
  Event gap = stopped();
  gap.number = 2;
  EXPECT_EQ(store.write({EventWrite{1, first}, EventWrite{2, gap}}), AppendResult::kConflict);
  EXPECT_EQ(store.write({EventWrite{1, first}, EventWrite{2, first}, EventWrite{1, gap}}),
            AppendResult::kOk);
  EXPECT_EQ(store.write({StoredCampaign{3, "spring", "{}"}}), AppendResult::kConflict);
  EXPECT_EQ(store.write({StoredCampaign{2, "winter", "{}"}}), AppendResult::kConflict);
  EXPECT_EQ(store.campaigns().size(), 2u);
}

TEST(EventStore, IdsOfCampaignsAreOfTheStore) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  {
    CampaignStore store(path, CampaignStore::Mode::kWrite);
    store.write({StoredCampaign{5, "old", shop("old").canonical}});  // others were taken out
    EXPECT_EQ(store.new_campaign_id(), 6);
  }
  {
    Service service({.store = path});
    service.create(shop("a"));
    service.create(shop("b"));
    service.decide("b", asked("x"));
    service.decide("old", asked("y"));
  }
  const CampaignStore store(path, CampaignStore::Mode::kRead);
  const std::vector<StoredCampaign> campaigns = store.campaigns();
  ASSERT_EQ(campaigns.size(), 3u);
  EXPECT_EQ(campaigns[1].id, 6);
  EXPECT_EQ(campaigns[2].id, 7);
  EXPECT_EQ(store.events_of(campaigns[2], "x").size(), 1u);
  EXPECT_TRUE(check_store(store).nothing_found());
}

TEST(FaultyStore, WhatFailedIsUnavailableAndChangesNothing) {
  const TemporaryFolder folder;
  {
    Faulty faulty(folder);
    Service& service = *faulty.service;
    service.create(shop());
    service.decide("shop", asked("a"));
    const nlohmann::json before = service.report("shop");
    for (const auto& [fault, said] : {std::pair{Fault::kFails, "unavailable"},
                                      {Fault::kDiskFull, "full"},
                                      {Fault::kConflict, "unavailable"}}) {
      EXPECT_EQ(faulty.meeting(fault, [&] { service.create(shop("other")); }), said);
      EXPECT_EQ(faulty.meeting(fault, [&] { service.decide("shop", asked("b")); }), said);
      EXPECT_EQ(faulty.meeting(fault, [&] { service.pay("shop", "a", dense({1, 2})); }), said);
      EXPECT_EQ(faulty.meeting(fault, [&] { service.stop("shop"); }), said);
      EXPECT_EQ(service.report("shop"), before);
      EXPECT_EQ(service.list()["campaigns"].size(), 1u);
    }
    EXPECT_EQ(service.gauges().failed_commits, 12u);
    EXPECT_EQ(faulty.meeting(Fault::kNone, [&] { service.pay("shop", "a", dense({1, 2})); }), "");
    EXPECT_TRUE(service.create(shop("other")));
    service.decide("other", asked("c"));
  }
  const CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kRead);
  const StoreCheck check = check_store(store);
  EXPECT_TRUE(check.nothing_found());
  EXPECT_EQ(check.campaigns.at(0).events, 2u);
  EXPECT_EQ(check.campaigns.at(1).events, 1u);
}

TEST(FaultyStore, GoesOnFromWhatAnotherWriterHasWritten) {
  const TemporaryFolder folder;
  Faulty faulty(folder);
  Service& service = *faulty.service;
  service.create(shop());
  service.decide("shop", asked("a"));
  ASSERT_EQ(faulty.store->behind().append(1, 1, {stopped()}), AppendResult::kOk);
  EXPECT_EQ(faulty.meeting(Fault::kNone, [&] { service.decide("shop", asked("b")); }),
            "unavailable");
  EXPECT_TRUE(service.report("shop")["stopped"].get<bool>());
  EXPECT_EQ(faulty.meeting(Fault::kNone, [&] { service.pay("shop", "a", dense({1, 2})); }), "");
  EXPECT_EQ(service.report("shop")["state_version"], 3);
  EXPECT_TRUE(check_store(faulty.store->behind()).nothing_found());
}

// Else the first caller hears that nothing was kept, and the second that it was.
TEST(FaultyStore, ARepeatedIdWaitsForTheFirstCommit) {
  const TemporaryFolder folder;
  Faulty faulty(folder);
  faulty.service->create(shop());
  faulty.faults->held = true;
  faulty.faults->next = Fault::kFails;
  const auto ask = [&] {
    try {
      faulty.service->decide("shop", asked("a"));
      return false;
    } catch (const Unavailable&) {
      return true;
    }
  };
  auto first = std::async(std::launch::async, ask);
  while (faulty.service->gauges().campaigns[0].decided == 0) std::this_thread::yield();
  auto second = std::async(std::launch::async, ask);
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  faulty.faults->held = false;
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
}

// A slow disk holds up the one who makes a campaign, and nobody who asks others.
TEST(FaultyStore, MakingACampaignHoldsUpNobody) {
  const TemporaryFolder folder;
  Faulty faulty(folder);
  faulty.service->create(shop());
  faulty.faults->held = true;
  const int writes = faulty.faults->writes;
  auto making = std::async(std::launch::async, [&] { return faulty.service->create(shop("new")); });
  while (faulty.faults->writes == writes) std::this_thread::yield();
  EXPECT_EQ(faulty.service->list()["campaigns"].size(), 1u);
  EXPECT_EQ(faulty.service->show("shop")["name"], "shop");
  EXPECT_EQ(faulty.service->gauges().campaigns.size(), 1u);
  EXPECT_THROW(faulty.service->create(shop("new")), Unavailable);
  EXPECT_FALSE(faulty.service->create(shop()));
  faulty.faults->held = false;
  EXPECT_TRUE(making.get());
  EXPECT_FALSE(faulty.service->create(shop("new")));
}

/// The list, or null if it is not there as long as `held` is true.
nlohmann::json list_while(const Service& service, std::atomic<bool>& held) {
  auto list = std::async(std::launch::async, [&] { return service.list()["campaigns"]; });
  const bool answered = list.wait_for(std::chrono::minutes(1)) == std::future_status::ready;
  held = false;
  return answered ? list.get() : nlohmann::json();
}

TEST(FaultyStore, ListsDoNotWaitForADecisionThatReads) {
  const TemporaryFolder folder;
  const Faulty faulty(folder);
  Service& service = *faulty.service;
  service.create(shop());
  service.decide("shop", asked("a"));
  faulty.faults->reads_held = true;
  auto deciding = std::async(std::launch::async, [&] { service.decide("shop", asked("b")); });
  while (faulty.faults->waiting_reads == 0) std::this_thread::yield();
  const nlohmann::json list = list_while(service, faulty.faults->reads_held);
  ASSERT_EQ(list.size(), 1u) << "it waited";
  EXPECT_EQ(list[0]["state_version"], 1);
  EXPECT_EQ(list[0]["decisions"]["decided"], 1);
  deciding.get();
  EXPECT_EQ(service.list()["campaigns"][0]["decisions"]["decided"], 2);
}

// The id of a new campaign comes from the store, which others may be reading.
TEST(FaultyStore, ListsDoNotWaitForACampaignThatIsMade) {
  const TemporaryFolder folder;
  const Faulty faulty(folder);
  Service& service = *faulty.service;
  service.create(shop());
  faulty.faults->reads_held = true;
  auto making = std::async(std::launch::async, [&] { service.create(shop("new")); });
  while (faulty.faults->waiting_reads == 0) std::this_thread::yield();
  EXPECT_EQ(list_while(service, faulty.faults->reads_held).size(), 1u) << "it waited";
  making.get();
  EXPECT_EQ(service.list()["campaigns"].size(), 2u);
}

// To archive a large campaign takes seconds, for its reports.
TEST(FaultyStore, ListsDoNotWaitForACampaignThatIsArchived) {
  const TemporaryFolder folder;
  Faulty faulty(folder);
  std::atomic<bool> held = true;
  std::atomic<bool> archives = false;
  std::atomic<std::thread::id> archivist;
  faulty.clock = [&] {
    while (std::this_thread::get_id() == archivist.load() && held) {
      archives = true;  // asked for with the lock of the campaign
      std::this_thread::yield();
    }
    return std::int64_t{7};
  };
  Service& service = *faulty.service;
  service.create(shop());
  service.decide("shop", asked("a"));
  auto archiving = std::async(std::launch::async, [&] {
    archivist = std::this_thread::get_id();
    service.archive("shop");
  });
  while (!archives) std::this_thread::yield();
  const nlohmann::json list = list_while(service, held);
  ASSERT_EQ(list.size(), 1u) << "it waited";
  EXPECT_EQ(list[0]["name"], "shop");
  EXPECT_EQ(list[0]["mode"], "live");
  archiving.get();
  EXPECT_TRUE(service.list()["campaigns"].empty());
}

TEST(FaultyStore, AnswersThatAreLeftForLaterWaitForTheDisk) {
  const TemporaryFolder folder;
  const Faulty faulty(folder);
  faulty.service->create(shop());
  std::atomic<int> kept = 0;
  const auto count = [&](const Unavailable* failure) {
    EXPECT_EQ(failure, nullptr);
    ++kept;
  };
  faulty.faults->held = true;
  Commit first;
  Commit again;
  Commit paid;
  faulty.service->decide("shop", asked("a"), {}, &first);
  faulty.service->decide("shop", asked("a"), {}, &again);
  faulty.service->pay("shop", "a", dense({1.0, 2.0}), {}, &paid);
  for (const Commit commit : {first, again, paid}) faulty.service->when_kept(commit, count);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(kept, 0) << "nothing is on disk";
  faulty.faults->held = false;
  while (kept < 3) std::this_thread::yield();
  // Once more, when it was forgotten.
  EXPECT_EQ(faulty.service->pay("shop", "a", dense({1.0, 2.0})).state_version, 2u);
}

TEST(FaultyStore, AnswersThatAreLeftForLaterFailWithTheirCommit) {
  const TemporaryFolder folder;
  const Faulty faulty(folder);
  faulty.service->create(shop());
  faulty.faults->next = Fault::kDiskFull;
  std::atomic<int> full = 0;
  std::atomic<bool> told = false;
  Commit commit;
  faulty.service->decide("shop", asked("a"), {}, &commit);
  faulty.service->when_kept(commit, [&](const Unavailable* failure) {
    if (failure != nullptr && failure->disk_full()) ++full;
    told = true;
  });
  while (!told) std::this_thread::yield();
  EXPECT_EQ(full, 1);
  EXPECT_EQ(faulty.service->report("shop").at("state_version"), 0);
}

}  // namespace
}  // namespace updraft
