// Large snapshots in parts, and events that are dropped behind a snapshot.

#include <gtest/gtest.h>

#include <sstream>

#include "service/campaign_log.h"
#include "service/queries.h"
#include "service/service.h"
#include "service/store_check.h"
#include "store/campaign_store.h"
#include "store/sqlite.h"
#include "store/store_writer.h"
#include "support/folder.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;
using testing::TemporaryFolder;
using Json = nlohmann::json;

constexpr std::int64_t kDay = 86'400'000;

struct Opened {
  explicit Opened(const std::filesystem::path& folder, std::uint64_t snapshot_every = 100,
                  std::int64_t start = 0, bool compacts = true)
      : path(folder / "campaigns.db"), now(start), service(options(snapshot_every, compacts)) {}

  ServiceOptions options(std::uint64_t snapshot_every, bool compacts) {
    ServiceOptions given;
    given.store = path;
    given.snapshot_every = snapshot_every;
    if (compacts) given.compact_after_ms = kDay;
    given.clock = [this] { return now; };
    return given;
  }

  void create(const std::string& more = "") {
    service.create(parse_definition(
        R"json({"name": "spring", "policy": "up_ts", "actions": 2, "variables": 80,
                "knowledge": {"affected": [[0, 1], [2]]})json" +
        more + "}"));
  }
  void decide(const std::string& id) {
    service.decide("spring", {.id = id, .features = {}, .baseline = {}});
  }
  /// Without waiting for the disk each time.
  void decide_many(int from, int until) {
    Commit commit;
    for (int i = from; i < until - 1; ++i) {
      const std::string id = "waiting-for-its-payoffs-" + std::to_string(i);
      service.decide("spring", {.id = id, .features = {}, .baseline = {}}, {}, &commit);
    }
    decide("last-" + std::to_string(until));
  }
  static PayoffPart payoffs(int i) {
    std::vector<double> values(80, 0.5);
    values[static_cast<std::size_t>(i % 80)] = 0.25 * (i % 9);
    return {"", true, true, {}, std::move(values)};
  }
  void play(int from, int until) {
    for (int i = from; i < until; ++i) {
      decide("a" + std::to_string(i));
      service.pay("spring", "a" + std::to_string(i), payoffs(i));
    }
  }
  std::int64_t number(const char* sql) const {
    return Connection(path, Connection::Mode::kReadOnly).number(sql);
  }
  StoreCheck check() const { return check_store(CampaignStore(path, CampaignStore::Mode::kRead)); }
  std::string log() const {
    std::stringstream out;
    export_campaign(CampaignStore(path, CampaignStore::Mode::kRead), "spring", out);
    return out.str();
  }
  std::string audited(const std::string& log) const {
    std::stringstream in(log);
    return refusal([&] { audit_campaign(CampaignStore(path, CampaignStore::Mode::kRead), in); });
  }
  std::string asked_again(const std::string& id) {
    try {
      decide(id);
    } catch (const Conflict& refused) {
      return refused.what();
    }
    return "(accepted)";
  }

  std::filesystem::path path;
  std::int64_t now;
  Service service;
};

/// As it is on disk at this moment, as after kill -9.
void copy_store(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::create_directories(to.parent_path());
  for (const char* suffix : {"", "-wal", "-head"}) {
    if (!std::filesystem::exists(from.string() + suffix)) continue;
    std::filesystem::copy_file(from.string() + suffix, to.string() + suffix,
                               std::filesystem::copy_options::overwrite_existing);
  }
}

std::ptrdiff_t store_copies(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST(Compaction, DropsCompleteDecisionsBehindASnapshot) {
  const TemporaryFolder folder;
  Json report;
  std::string log;
  {
    Opened opened(folder.path());
    opened.create();
    opened.decide("waits");
    opened.play(0, 60);
    opened.service.tend();  // plans a cut after event 100
    log = opened.log();
    opened.now += kDay - 1;
    opened.service.tend();
    EXPECT_EQ(opened.number("SELECT count(*) FROM events"), 121);
    opened.now += 1;
    opened.service.tend();
    // Decided and paid: events 2 to 99. 100 is a decision that is paid by 101.
    EXPECT_EQ(opened.number("SELECT count(*) FROM events"), 121 - 98);
    EXPECT_EQ(opened.number("SELECT count(*) FROM settled"), 49);
    opened.service.scrub();
    EXPECT_TRUE(opened.service.quarantined().empty());

    // A repeated id is never a new decision.
    EXPECT_NE(opened.asked_again("a3").find("its events were dropped"), std::string::npos);
    EXPECT_THROW(opened.service.pay("spring", "a3", Opened::payoffs(3)), Conflict);
    EXPECT_THROW(opened.service.decision("spring", "a3"), Conflict);
    EXPECT_EQ(opened.asked_again("a49"), "(accepted)") << "paid behind the cut";
    EXPECT_EQ(opened.asked_again("a59"), "(accepted)");
    EXPECT_EQ(opened.service.report("spring").at("state_version"), 121);
    // What was outstanding at the cut is paid, and that can be repeated.
    opened.service.pay("spring", "waits", Opened::payoffs(7));
    EXPECT_EQ(opened.service.pay("spring", "waits", Opened::payoffs(7)).state_version, 122u);
    EXPECT_EQ(opened.service.events("spring", {}).at("events").at(0).at("event"), 101);
    report = opened.service.report("spring");
  }
  Opened opened(folder.path(), 100, kDay);
  EXPECT_EQ(opened.service.report("spring").at("actions"), report.at("actions"));
  EXPECT_NE(opened.asked_again("a3").find("its events were dropped"), std::string::npos);
  const StoreCheck check = opened.check();
  EXPECT_TRUE(check.nothing_found()) << (check.defects.empty() ? "" : check.defects.front());
  EXPECT_EQ(check.campaigns.at(0).cut, 100u);
  EXPECT_EQ(opened.audited(log), "(accepted)") << "the log has what was dropped";
  EXPECT_NE(refusal([&] { opened.log(); }).find("--compact-after"), std::string::npos);

  // The next cut drops what is complete by then.
  opened.play(100, 150);
  opened.service.tend();
  opened.now += kDay;
  opened.service.tend();
  EXPECT_EQ(opened.number("SELECT count(*) FROM cuts WHERE made = 1"), 2);
  EXPECT_EQ(opened.number("SELECT min(number) FROM snapshots"), 200);
  EXPECT_NE(opened.asked_again("waits").find("its events were dropped"), std::string::npos);
  EXPECT_TRUE(opened.check().nothing_found());
  EXPECT_NE(opened.audited(log).find("are not those"), std::string::npos)
      << "it ends between two cuts";
}

TEST(Compaction, LatePayoffsOfLostDecisionsStillCount) {
  const TemporaryFolder folder;
  Opened opened(folder.path());
  opened.create(R"json(, "wait": 10)json");
  opened.decide("late");
  opened.now += 20'000;
  opened.service.sweep();
  opened.play(0, 60);
  opened.service.tend();
  opened.now += kDay;
  opened.service.tend();
  ASSERT_EQ(opened.number("SELECT count(*) FROM cuts WHERE made = 1"), 1);
  opened.service.pay("spring", "late", Opened::payoffs(1));
  EXPECT_EQ(opened.service.report("spring").at("decisions").at("late"), 1);
  EXPECT_TRUE(opened.check().nothing_found());
}

/// Copies the files before every commit, and opens the copies.
class CopyingStore final : public EventStore {
 public:
  CopyingStore(std::filesystem::path path, std::filesystem::path copies)
      : path_(std::move(path)),
        copies_(std::move(copies)),
        store_(path_, CampaignStore::Mode::kWrite) {}

  std::vector<StoredCampaign> campaigns() const override { return store_.campaigns(); }
  std::optional<StoredSnapshot> last_snapshot(const StoredCampaign& one) const override {
    return store_.last_snapshot(one);
  }
  void for_each_event(const StoredCampaign& one, std::uint64_t after,
                      const std::function<void(const Event&)>& visit) const override {
    store_.for_each_event(one, after, visit);
  }
  std::vector<Event> events_after(const StoredCampaign& one, std::uint64_t after,
                                  std::size_t most) const override {
    return store_.events_after(one, after, most);
  }
  std::vector<Event> events_of(const StoredCampaign& one, std::string_view id) const override {
    return store_.events_of(one, id);
  }
  std::optional<StoredCut> cut_of(const StoredCampaign& one) const override {
    return store_.cut_of(one);
  }
  std::optional<StoredCut> planned_cut(const StoredCampaign& one) const override {
    return store_.planned_cut(one);
  }
  std::optional<StoredSnapshot> snapshot_at(const StoredCampaign& one,
                                            std::uint64_t number) const override {
    return store_.snapshot_at(one, number);
  }
  std::uint64_t last_snapshot_number(const StoredCampaign& one) const override {
    return store_.last_snapshot_number(one);
  }
  std::vector<Event> events_between(const StoredCampaign& one, std::uint64_t after,
                                    std::uint64_t until, std::size_t most) const override {
    return store_.events_between(one, after, until, most);
  }
  bool was_compacted(const StoredCampaign& one, std::string_view id) const override {
    return store_.was_compacted(one, id);
  }
  std::string archive_summary(const StoredCampaign& one) const override {
    return store_.archive_summary(one);
  }
  bool has_dropped() const override { return store_.has_dropped(); }
  std::int64_t new_campaign_id() const override { return store_.new_campaign_id(); }
  AppendResult write(const std::vector<StoreWrite>& batch) override {
    if (copying) copy_store(path_, copies_ / std::to_string(++count) / "campaigns.db");
    return store_.write(batch);
  }

  bool copying = false;
  int count = 0;

 private:
  std::filesystem::path path_;
  std::filesystem::path copies_;
  CampaignStore store_;
};

TEST(Compaction, LosesNothingWhereverItIsCutOff) {
  const TemporaryFolder folder;
  std::int64_t now = 0;
  ServiceOptions options;
  options.store = folder.path() / "campaigns.db";
  options.snapshot_every = 1000;
  options.compact_after_ms = kDay;
  options.clock = [&] { return now; };
  auto made = std::make_unique<CopyingStore>(options.store, folder.path() / "copies");
  CopyingStore& store = *made;
  Json report;
  {
    Service service(options, std::move(made));
    service.create(parse_definition(
        R"json({"name": "spring", "policy": "up_ts", "actions": 2, "variables": 80,
                "knowledge": {"affected": [[0, 1], [2]]}})json"));
    for (int i = 0; i < 700; ++i) {
      const std::string id = "a" + std::to_string(i);
      service.decide("spring", {.id = id, .features = {}, .baseline = {}});
      if (i % 7 != 0) service.pay("spring", id, Opened::payoffs(i));
    }
    store.copying = true;
    service.tend();
    now += kDay;
    service.tend();
    store.copying = false;
    report = service.report("spring");
  }
  ASSERT_GE(store_copies(folder.path() / "copies"), 5) << "the plan, the cut, and events in parts";
  for (const auto& copy : std::filesystem::directory_iterator(folder.path() / "copies")) {
    Opened opened(copy.path(), 1000, kDay);
    EXPECT_EQ(opened.service.report("spring").at("actions"), report.at("actions"));
    EXPECT_EQ(opened.service.report("spring").at("decisions"), report.at("decisions"));
    for (int i = 0; i < 700; i += 3) opened.asked_again("a" + std::to_string(i));
    EXPECT_EQ(opened.service.report("spring").at("state_version"), report.at("state_version"))
        << "no decision is made twice";
    opened.service.tend();
    opened.service.tend();
    EXPECT_TRUE(opened.check().nothing_found()) << copy.path();
  }
}

TEST(Compaction, ADamagedBaseIsFound) {
  const TemporaryFolder folder;
  {
    Opened opened(folder.path());
    opened.create();
    opened.play(0, 60);
    opened.service.tend();
    opened.now += kDay;
    opened.service.tend();
  }
  const std::filesystem::path path = folder.path() / "campaigns.db";
  Connection(path, Connection::Mode::kReadWrite)
      .execute(
          "UPDATE snapshots SET body = CAST(substr(body, 1, 50) || x'07' || substr(body, 52) AS "
          "BLOB)");
  EXPECT_FALSE(check_store(CampaignStore(path, CampaignStore::Mode::kRead)).defects.empty());
  Opened opened(folder.path(), 100, kDay);
  EXPECT_EQ(opened.service.quarantined().size(), 1u);
}

/// A store of 300 events whose first 100 were dropped, with a later snapshot, in `folder`.
void make_compacted(const std::filesystem::path& folder) {
  Opened opened(folder);
  opened.create();
  opened.play(0, 60);
  opened.service.tend();
  opened.now += kDay;
  opened.service.tend();
  opened.play(60, 150);
}

// Nothing else tells whether an id was used.
TEST(Compaction, DamageToWhatIsLeftIsFound) {
  for (const char* damage :
       {"UPDATE cuts SET number = number + 256 WHERE made = 1",
        "UPDATE cuts SET chain = chain + 1 WHERE made = 1", "UPDATE cuts SET made = 0",
        "UPDATE settled SET decision = 'b3' WHERE decision = 'a3'",
        "DELETE FROM settled WHERE decision = 'a3'", "INSERT INTO settled VALUES (1, 'never-made')",
        "DELETE FROM snapshots WHERE number = 100"}) {
    const TemporaryFolder folder;
    make_compacted(folder.path());
    const std::filesystem::path path = folder.path() / "campaigns.db";
    ASSERT_TRUE(check_store(CampaignStore(path, CampaignStore::Mode::kRead)).nothing_found());
    Connection(path, Connection::Mode::kReadWrite).execute(damage);
    EXPECT_FALSE(check_store(CampaignStore(path, CampaignStore::Mode::kRead)).nothing_found())
        << damage;
    Opened opened(folder.path(), 100, kDay);
    opened.service.scrub();
    EXPECT_EQ(opened.service.quarantined().size(), 1u) << damage;
    EXPECT_THROW(opened.asked_again("a3"), Quarantined) << damage;
  }
}

TEST(Compaction, DamageThatIsFoundOnTheWayQuarantines) {
  const TemporaryFolder folder;
  Opened opened(folder.path());
  opened.create();
  opened.play(0, 60);
  opened.service.tend();  // plans a cut
  Connection(opened.path, Connection::Mode::kReadWrite)
      .execute("UPDATE events SET time_ms = time_ms + 1 WHERE decision = 'a7'");
  opened.now += kDay;
  opened.service.tend();
  ASSERT_EQ(opened.service.quarantined().size(), 1u);
  EXPECT_NE(opened.service.quarantined().at(0).second.find("of campaign spring"),
            std::string::npos);
}

// To remove many at once would hold up the commits of all others for seconds.
TEST(Compaction, LargeEventsAreRemovedAFewAtATime) {
  const TemporaryFolder folder;
  Opened opened(folder.path(), 16);
  opened.service.create(parse_definition(
      R"json({"name": "spring", "policy": "ucb(alpha=1)", "actions": 2, "variables": 100000})json"));
  std::vector<double> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 3);
  for (int i = 0; i < 8; ++i) {  // 800 kB each, in 4 MiB and one there are 6
    opened.decide("a" + std::to_string(i));
    opened.service.pay("spring", "a" + std::to_string(i), {"", true, true, {}, values});
  }
  opened.service.tend();  // plans a cut after event 16
  opened.now += kDay;
  const std::uint64_t before = opened.service.gauges().commits;
  opened.service.tend();
  EXPECT_EQ(opened.number("SELECT count(*) FROM events"), 0);
  EXPECT_EQ(opened.service.gauges().commits - before, 3u) << "of the cut, and of 6 and 2 decisions";
  EXPECT_TRUE(opened.check().nothing_found());
  EXPECT_NE(opened.asked_again("a0").find("its events were dropped"), std::string::npos);
}

TEST(Compaction, EventsOfACampaignThatGoesOnAreNotPurged) {
  const TemporaryFolder folder;
  Opened opened(folder.path());
  opened.create();
  opened.play(0, 10);
  Connection(opened.path, Connection::Mode::kReadWrite).execute("INSERT INTO dropped VALUES (1)");
  for (int i = 0; i < 3; ++i) opened.service.sweep();
  EXPECT_EQ(opened.number("SELECT count(*) FROM events"), 20);
  EXPECT_FALSE(CampaignStore(opened.path, CampaignStore::Mode::kRead).has_dropped());
}

TEST(Compaction, NoCutBehindASnapshotThatTheEventsDoNotGive) {
  const TemporaryFolder folder;
  Opened opened(folder.path());
  opened.create();
  opened.play(0, 60);
  opened.service.tend();
  {
    // Another state with a checksum of its own.
    const CampaignStore store(opened.path, CampaignStore::Mode::kRead);
    const StoredCampaign campaign = store.campaigns().at(0);
    std::string body = store.snapshot_at(campaign, 100)->body;
    body.back() = static_cast<char>(body.back() ^ 1);
    Connection(opened.path, Connection::Mode::kReadWrite)
        .prepare("UPDATE snapshots SET body = ?, checksum = ?")
        .bind_blob(1, body)
        .bind(2, checksum_of(campaign.id, {100, body}, store.snapshot_at(campaign, 100)->chain))
        .run();
  }
  opened.now += kDay;
  opened.service.tend();
  EXPECT_EQ(opened.number("SELECT count(*) FROM cuts WHERE made = 1"), 0);
  EXPECT_EQ(opened.number("SELECT count(*) FROM events"), 120);
}

TEST(Compaction, ACutMeanwhileIsNoDamageToThoseWhoRead) {
  const TemporaryFolder folder;
  Opened opened(folder.path(), 1000);
  opened.create();
  opened.play(0, 500);
  opened.decide("another");  // by then the snapshot is on disk
  opened.service.tend();     // plans a cut after event 1000
  opened.now += 2 * kDay;
  const CampaignStore store(opened.path, CampaignStore::Mode::kRead);
  bool cut = false;
  try {
    store.for_each_event(store.campaigns().at(0), 0, [&](const Event&) {
      if (cut) return;
      cut = true;
      opened.service.tend();
    });
    ADD_FAILURE() << "read on over a cut";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::kOther) << error.what();
  }
  EXPECT_TRUE(opened.check().nothing_found());
  EXPECT_EQ(opened.service.decisions("spring", {.after = 0, .count = 10}).at("cut"), 1000);
}

// The state of a later event was written as that of an earlier one.
TEST(LargeSnapshots, AreLeftOutOnceALaterOneIsThere) {
  const TemporaryFolder folder;
  Opened opened(folder.path(), 11'000);
  opened.create(R"json(, "wait": 10)json");
  opened.decide_many(0, 11'000);  // a large snapshot is due
  opened.now += kDay;
  opened.service.sweep();  // loses all, and a small one is written
  ASSERT_EQ(opened.number("SELECT max(number) FROM snapshots"), 22'000);
  opened.service.tend();
  EXPECT_EQ(opened.number("SELECT count(*) FROM snapshots WHERE number < 22000"), 0);
  EXPECT_TRUE(opened.check().nothing_found());
}

TEST(LargeSnapshots, AreWrittenInPartsAndUsed) {
  const TemporaryFolder folder;
  constexpr int kOutstanding = 12'000;
  Json report;
  {
    Opened opened(folder.path(), 4000);
    opened.create();
    opened.decide_many(0, kOutstanding);
    EXPECT_EQ(opened.number("SELECT count(*) FROM snapshots WHERE number = 12000"), 0)
        << "nobody waits for it";
    opened.service.tend();
    EXPECT_GT(opened.number("SELECT parts FROM snapshots WHERE number = 12000"), 1);
    report = opened.service.report("spring");
  }
  {
    Opened opened(folder.path(), 4000);
    EXPECT_EQ(opened.service.report("spring").at("decisions"), report.at("decisions"));
    const StoreCheck check = opened.check();
    EXPECT_TRUE(check.nothing_found()) << (check.defects.empty() ? "" : check.defects.front());
    EXPECT_GE(check.campaigns.at(0).snapshots, 1u);
  }
  const std::filesystem::path path = folder.path() / "campaigns.db";
  Connection(path, Connection::Mode::kReadWrite)
      .execute("DELETE FROM snapshot_parts WHERE part = 2");
  {
    const CampaignStore store(path, CampaignStore::Mode::kRead);
    EXPECT_THROW(store.last_snapshot(store.campaigns().at(0)), StoreError);
  }
  EXPECT_FALSE(check_store(CampaignStore(path, CampaignStore::Mode::kRead)).defects.empty());
  Opened opened(folder.path(), 4000);
  EXPECT_EQ(opened.service.report("spring").at("decisions"), report.at("decisions"))
      << "the events give the same state";
}

// Parts of one that is being written may be removed if a later one is kept meanwhile.
TEST(LargeSnapshots, CountForNothingIfAPartIsMissing) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  CampaignStore store(path, CampaignStore::Mode::kWrite);
  const StoredCampaign campaign = {1, "spring", "{}"};
  ASSERT_EQ(store.write({campaign}), AppendResult::kOk);
  const StoredSnapshot whole = {1, "abcd"};
  const std::int64_t sum = checksum_of(1, whole, 7);
  store.write({SnapshotPartWrite{1, 1, 2, "cd"}, SnapshotEndWrite{1, 1, 2, 7, sum}});
  EXPECT_FALSE(store.last_snapshot(campaign));
  store.write({SnapshotPartWrite{1, 1, 1, "ab"}, SnapshotEndWrite{1, 1, 2, 7, sum}});
  ASSERT_TRUE(store.last_snapshot(campaign));
  EXPECT_EQ(store.last_snapshot(campaign)->body, "abcd");
}

TEST(LargeSnapshots, PartsOfOldOnesAreRemoved) {
  const TemporaryFolder folder;
  Opened opened(folder.path(), 5500, 0, false);
  opened.create();
  for (int i = 0; i < 4; ++i) {
    opened.decide_many(5500 * i, 5500 * (i + 1));
    opened.service.tend();
  }
  EXPECT_EQ(opened.number("SELECT count(*) FROM snapshots"), 2);
  for (int i = 0; i < 20; ++i) opened.service.sweep();
  EXPECT_EQ(opened.number("SELECT count(DISTINCT number) FROM snapshot_parts"), 2);
  EXPECT_TRUE(opened.check().nothing_found());
}

}  // namespace
}  // namespace updraft
