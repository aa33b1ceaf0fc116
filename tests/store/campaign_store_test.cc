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
