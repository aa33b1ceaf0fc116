// The store keeps what was written, and says what is wrong with a file that is not as it was.

#include "store/campaign_store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/folder.h"

namespace updraft {
namespace {

using Folder = testing::TemporaryFolder;

const StoredCampaign kSpring = {1, "spring", R"({"name":"spring"})"};
const StoredCampaign kAutumn = {2, "autumn", R"({"name":"autumn"})"};

Event event(std::uint64_t number, std::string decision, std::string body = "body") {
  return {number, EventKind::kDecided, std::move(decision), 1000, std::move(body)};
}

std::vector<Event> events_after(const CampaignStore& store, std::uint64_t after) {
  std::vector<Event> out;
  store.for_each_event(kSpring, after, [&](const Event& found) { out.push_back(found); });
  return out;
}

/// What opening or reading says.
std::string complaint(const std::filesystem::path& path) {
  try {
    const CampaignStore store(path, CampaignStore::Mode::kWrite);
    for (const StoredCampaign& campaign : store.campaigns()) {
      store.last_snapshot(campaign);
      store.for_each_event(campaign, 0, [](const Event&) {});
    }
  } catch (const StoreError& error) {
    return error.what();
  }
  return "";
}

/// A store with two events and a snapshot of spring, changed by SQL.
std::string complaint_after(const Folder& folder, const char* sql) {
  const std::filesystem::path path = folder.path() / "campaigns.db";
  {
    CampaignStore store(path, CampaignStore::Mode::kWrite);
    store.write({kSpring, EventWrite{1, event(1, "a")}, EventWrite{1, event(2, "b")},
                 SnapshotWrite{1, {2, "state"}}});
  }
  Connection(path, Connection::Mode::kReadWrite).execute(sql);
  return complaint(path);
}

TEST(CampaignStore, KeepsCampaignsEventsAndSnapshots) {
  const Folder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  std::vector<Event> written;
  {
    CampaignStore store(path, CampaignStore::Mode::kWrite);
    store.write({kSpring, kAutumn});
    for (std::uint64_t number = 1; number <= 600; ++number) {
      written.push_back(event(number, number % 2 == 0 ? "even" : "odd", std::to_string(number)));
      store.write({EventWrite{1, written.back()}, EventWrite{2, event(number, "even")}});
      if (number == 599) store.write({SnapshotWrite{1, {number, std::string("a\0b", 3)}}});
    }
  }
  const CampaignStore store(path, CampaignStore::Mode::kRead);
  ASSERT_EQ(store.campaigns().size(), 2u);
  EXPECT_EQ(store.campaigns()[1].name, "autumn");
  EXPECT_EQ(store.campaigns()[0].definition, kSpring.definition);
  EXPECT_EQ(events_after(store, 0), written);
  EXPECT_EQ(events_after(store, 599).size(), 1u);
  EXPECT_TRUE(events_after(store, 600).empty());
  EXPECT_EQ(store.events_of(kSpring, "even").size(), 300u);
  EXPECT_EQ(store.events_of(kSpring, "even")[1], written[3]);
  EXPECT_TRUE(store.events_of(kSpring, "other").empty());
  EXPECT_TRUE(store.events_of(kSpring, "").empty());
  EXPECT_EQ(store.last_snapshot(kSpring)->body, std::string("a\0b", 3));
  EXPECT_FALSE(store.last_snapshot(kAutumn));
  EXPECT_TRUE(store.defects().empty());
}

TEST(CampaignStore, KeepsTheLastTwoSnapshots) {
  const Folder folder;
  CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kWrite);
  store.write({kSpring});
  for (std::uint64_t number : {1, 2, 3}) {
    store.write({EventWrite{1, event(number, "a")}, SnapshotWrite{1, {number, "state"}}});
  }
  const std::vector<StoredSnapshot> kept = store.snapshots(kSpring);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].number, 3u);
  EXPECT_EQ(kept[1].number, 2u);
  // The chain goes on from a snapshot, and so there is none of an event whose chain is not known.
  store.write({SnapshotWrite{1, {2, "other"}}, SnapshotWrite{1, {4, "later"}}});
  EXPECT_EQ(store.last_snapshot(kSpring)->number, 3u);
  EXPECT_EQ(store.snapshots(kSpring)[1].body, "other");
}

TEST(CampaignStore, WritesAllOrNothing) {
  const Folder folder;
  CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kWrite);
  store.write({kSpring, EventWrite{1, event(1, "a")}});
  EXPECT_EQ(store.write({EventWrite{1, event(2, "b")}, EventWrite{1, event(1, "a")}}),
            AppendResult::kConflict);
  EXPECT_EQ(events_after(store, 0).size(), 1u);
  store.write({EventWrite{1, event(2, "b")}});
  EXPECT_EQ(events_after(store, 0).size(), 2u);
  EXPECT_THROW(store.write_all([n = 2]() mutable -> std::vector<StoreWrite> {
    if (n == 5) throw std::runtime_error("enough");
    return {EventWrite{1, event(static_cast<std::uint64_t>(++n), "c")}};
  }),
               std::runtime_error);
  EXPECT_EQ(events_after(store, 0).size(), 2u);
}

TEST(CampaignStore, SaysThatTheDiskIsFull) {
  const Folder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  CampaignStore store(path, CampaignStore::Mode::kWrite);
  store.write({kSpring});
  // The writer's own limit, as another connection's does not bind it.
  store.limit_pages(20);
  try {
    store.write({EventWrite{1, event(1, "a", std::string(1'000'000, 'x'))}});
    FAIL() << "must be full";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::kDiskFull);
  }
  EXPECT_TRUE(events_after(store, 0).empty());
  store.write({EventWrite{1, event(1, "a")}});
  EXPECT_EQ(events_after(store, 0).size(), 1u);
}

TEST(CampaignStore, IsForOneWriter) {
  const Folder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  const CampaignStore store(path, CampaignStore::Mode::kWrite);
  EXPECT_EQ(complaint(path), path.string() + " is in use by another process");
  EXPECT_NO_THROW(CampaignStore(path, CampaignStore::Mode::kRead));
}

TEST(CampaignStore, RefusesWhatIsNoStore) {
  const Folder folder;
  const auto says = [&](const char* name, std::string_view text) {
    const std::string said = complaint(folder.path() / name);
    EXPECT_NE(said.find(text), std::string::npos) << said;
    EXPECT_NE(said.find(name), std::string::npos) << said;
  };
  std::ofstream(folder.path() / "text") << std::string(5000, 'x');
  says("text", "is damaged: file is not a database; restore a backup");

  Connection(folder.path() / "other", Connection::Mode::kReadWrite)
      .execute("CREATE TABLE t (a); PRAGMA application_id = 7");
  says("other", "is a database of something else");

  EXPECT_EQ(complaint(folder.path() / "newer"), "");
  Connection(folder.path() / "newer", Connection::Mode::kReadWrite)
      .execute("PRAGMA user_version = 99");
  says("newer", "has version 99 of the store, newer than 9: use a newer updraft");

  EXPECT_THROW(CampaignStore(folder.path() / "absent", CampaignStore::Mode::kRead), StoreError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "absent"));
}

TEST(CampaignStore, SaysWhatIsDamagedAndWhatCanBeDone) {
  const auto expect = [](const char* sql, std::string_view text) {
    const Folder folder;
    const std::string said = complaint_after(folder, sql);
    EXPECT_NE(said.find(text), std::string::npos) << said;
  };
  expect("UPDATE events SET body = x'00' WHERE decision = 'b'",
         "event 2 of campaign spring; restore a backup");
  expect("UPDATE events SET time_ms = 7 WHERE decision = 'a'", "event 1 of campaign spring");
  expect("DELETE FROM events WHERE decision = 'a'", "event 1 of campaign spring is missing");
  expect("UPDATE snapshots SET body = x'00'",
         "the snapshot of campaign spring after event 2; the events give the same state");
  expect("UPDATE campaigns SET definition = '{}'", "the definition of campaign 1");
}

TEST(CampaignStore, FindsDamagedPages) {
  const Folder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  {
    CampaignStore store(path, CampaignStore::Mode::kWrite);
    store.write({kSpring});
    for (std::uint64_t number = 1; number <= 500; ++number) {
      store.write(
          {EventWrite{1, event(number, "d" + std::to_string(number), std::string(300, 'x'))}});
    }
  }
  Connection(path, Connection::Mode::kReadWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path) / 2));
    file << std::string(8192, '\xff');
  }
  const CampaignStore store(path, CampaignStore::Mode::kRead);
  EXPECT_FALSE(store.defects().empty());
  EXPECT_NE(complaint(path).find("is damaged"), std::string::npos);
}

}  // namespace
}  // namespace updraft
