// A store that has lost something, or that holds something else than was written, says so before
// anybody uses it.

#include <gtest/gtest.h>

#include <fstream>

#include "store/campaign_store.h"
#include "store/head_file.h"
#include "support/folder.h"
#include "support/old_store.h"

namespace updraft {
namespace {

using Folder = testing::TemporaryFolder;
using Path = std::filesystem::path;

const StoredCampaign kSpring = {1, "spring", R"({"name":"spring"})"};

Event event(std::uint64_t number, const std::string& body = "body") {
  return {number, EventKind::kDecided, "d" + std::to_string(number), 1000, body};
}

/// What opening and reading says.
std::string complaint(const Path& path) {
  try {
    const CampaignStore store(path, CampaignStore::Mode::kWrite);
    store.for_each_event(kSpring, 0, [](const Event&) {});
  } catch (const StoreError& error) {
    return error.what();
  }
  return "";
}

std::uint64_t events_in(const Path& path) {
  std::uint64_t count = 0;
  const CampaignStore store(path, CampaignStore::Mode::kWrite);
  store.for_each_event(kSpring, 0, [&](const Event&) { ++count; });
  return count;
}

void write_events(CampaignStore& store, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t number = first; number <= last; ++number) {
    store.write({EventWrite{1, event(number)}});
  }
}

/// A store with ten events, and snapshots after the fifth and the eighth.
Path made_store(const Folder& folder) {
  const Path path = folder.path() / "campaigns.db";
  CampaignStore store(path, CampaignStore::Mode::kWrite);
  store.write({kSpring});
  write_events(store, 1, 5);
  store.write({SnapshotWrite{1, {5, "five"}}});
  write_events(store, 6, 8);
  store.write({SnapshotWrite{1, {8, "eight"}}});
  write_events(store, 9, 10);
  return path;
}

void change(const Path& path, const char* sql) {
  Connection(path, Connection::Mode::kReadWrite).execute(sql);
}

std::string complaint_after(const char* sql) {
  const Folder folder;
  const Path path = made_store(folder);
  EXPECT_EQ(complaint(path), "");
  change(path, sql);
  return complaint(path);
}

TEST(StoreDamage, FindsEventsThatAreMissingAtTheEnd) {
  const std::string said = complaint_after("DELETE FROM events WHERE decision = 'd10'");
  EXPECT_NE(said.find("event 10 of campaign spring is missing; restore a backup"), said.npos)
      << said;
  EXPECT_NE(complaint_after("DELETE FROM events").find("events 1 to 10"), said.npos);
  EXPECT_NE(complaint_after("DELETE FROM heads WHERE campaign = 1").find("the head of campaign"),
            said.npos);
}

TEST(StoreDamage, FindsAnEventThatIsWholeButAnother) {
  const Folder folder;
  const Path path = made_store(folder);
  const Folder other_folder;
  const Path other = other_folder.path() / "campaigns.db";
  {
    CampaignStore store(other, CampaignStore::Mode::kWrite);
    store.write({kSpring});
    write_events(store, 1, 3);
    store.write({EventWrite{1, event(4, "another")}});
  }
  change(path, ("ATTACH '" + other.string() +
                "' AS other; DELETE FROM events WHERE decision = 'd4'; INSERT INTO events SELECT * "
                "FROM other.events WHERE decision = 'd4'")
                   .c_str());
  const std::string said = complaint(path);
  EXPECT_NE(said.find("events of campaign spring up to 10 are not those that were written"),
            said.npos)
      << said;
}

TEST(StoreDamage, ComparesTheChainFromASnapshotOn) {
  const Folder folder;
  const Path path = made_store(folder);
  const auto reads_from = [&](std::uint64_t after) {
    const CampaignStore store(path, CampaignStore::Mode::kRead);
    try {
      store.for_each_event(kSpring, after, [](const Event&) {});
    } catch (const StoreError&) {
      return false;
    }
    return true;
  };
  EXPECT_TRUE(reads_from(8));
  EXPECT_TRUE(reads_from(5));
  change(path, "UPDATE snapshots SET chain = chain + 1 WHERE number = 8");
  EXPECT_FALSE(reads_from(8));
  EXPECT_TRUE(reads_from(5));
  change(path, "UPDATE heads SET chain = chain + 1 WHERE campaign = 1");
  EXPECT_FALSE(reads_from(5));
  EXPECT_FALSE(reads_from(0));
}

TEST(StoreDamage, FindsNamesThatWereChanged) {
  const Folder folder;
  const Path path = folder.path() / "campaigns.db";
  {
    CampaignStore store(path, CampaignStore::Mode::kWrite);
    store.write({StoredCampaign{1, "spring", "{}", 5, "otto"}});
    Event with_name = event(1);
    with_name.by = "anna";
    store.write({EventWrite{1, with_name}, EventWrite{1, event(2)}});
    EXPECT_EQ(store.events_after(kSpring, 0, 1).front().by, "anna");
    EXPECT_EQ(store.events_after(kSpring, 1, 5).size(), 1u);
    EXPECT_EQ(store.events_after(kSpring, 1, 5).front().number, 2u);
  }
  const auto said_after = [&](const char* sql, const char* back) {
    change(path, sql);
    std::string said = complaint(path);
    if (said.empty()) {
      try {
        CampaignStore(path, CampaignStore::Mode::kRead).campaigns();
      } catch (const StoreError& error) {
        said = error.what();
      }
    }
    change(path, back);
    EXPECT_EQ(complaint(path), "");
    return said;
  };
  EXPECT_NE(said_after("UPDATE events SET done_by = 'otto' WHERE decision = 'd1'",
                       "UPDATE events SET done_by = 'anna' WHERE decision = 'd1'"),
            "");
  EXPECT_NE(said_after("UPDATE events SET done_by = '' WHERE decision = 'd1'",
                       "UPDATE events SET done_by = 'anna' WHERE decision = 'd1'"),
            "");
  EXPECT_NE(said_after("UPDATE events SET done_by = 'otto' WHERE decision = 'd2'",
                       "UPDATE events SET done_by = '' WHERE decision = 'd2'"),
            "");
  EXPECT_NE(said_after("UPDATE campaigns SET created_by = 'anna'",
                       "UPDATE campaigns SET created_by = 'otto'"),
            "");
  EXPECT_NE(
      said_after("UPDATE campaigns SET created_ms = 6", "UPDATE campaigns SET created_ms = 5"), "");
}

TEST(StoreDamage, BringsOlderStoresUpToDate) {
  for (const int version : {1, 2, 3, 4, 5}) {
    const Folder folder;
    const Path path = made_store(folder);
    testing::make_old_store(path, version);
    EXPECT_EQ(events_in(path), 10u) << version;
    {
      CampaignStore store(path, CampaignStore::Mode::kWrite);
      write_events(store, 11, 12);
    }
    EXPECT_EQ(events_in(path), 12u) << version;
    change(path, "DELETE FROM events WHERE decision = 'd12'");
    EXPECT_NE(complaint(path), "") << version;
  }
}

TEST(StoreDamage, AnEmptyFileIsNoStoreAndStaysAsItIs) {
  const Folder folder;
  const Path path = folder.path() / "campaigns.db";
  std::ofstream(path).close();
  EXPECT_NE(complaint(path).find("is empty: it is no store"), std::string::npos) << complaint(path);
  EXPECT_EQ(std::filesystem::file_size(path), 0u);
  // As SQLite leaves a file whose tables are only in its log.
  const Path bare = folder.path() / "bare.db";
  change(bare, "PRAGMA journal_mode = DELETE; PRAGMA user_version = 1; PRAGMA user_version = 0");
  ASSERT_GT(std::filesystem::file_size(bare), 0u);
  EXPECT_NE(complaint(bare).find("is empty: it is no store"), std::string::npos) << complaint(bare);
}

TEST(StoreDamage, AStoreThatIsGoneIsNotBegunAnew) {
  const Folder folder;
  const Path path = made_store(folder);
  std::filesystem::remove(path);
  EXPECT_NE(complaint(path).find("does not exist, but"), std::string::npos) << complaint(path);
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::remove(path.string() + "-head");
  { const CampaignStore store(path, CampaignStore::Mode::kWrite); }
  EXPECT_TRUE(std::filesystem::exists(path));
}

/// Copies a store that is in use, as after a crash.
Path copied(const Folder& folder, const Path& path, const std::vector<const char*>& suffixes) {
  const Path copy = folder.path() / "copy.db";
  for (const char* suffix : suffixes) {
    std::filesystem::copy_file(path.string() + suffix, copy.string() + suffix);
  }
  return copy;
}

TEST(StoreDamage, ACopyOfTheFileAloneIsRefusedWhileTheStoreIsInUse) {
  const Folder folder;
  const Path path = made_store(folder);
  CampaignStore store(path, CampaignStore::Mode::kWrite);
  write_events(store, 11, 20);
  const std::string said = complaint(copied(folder, path, {""}));
  EXPECT_NE(said.find("it was in use when it was copied"), said.npos) << said;
}

TEST(StoreDamage, AfterACrashAllFilesTogetherAreWhole) {
  const Folder folder;
  const Path path = made_store(folder);
  CampaignStore store(path, CampaignStore::Mode::kWrite);
  write_events(store, 11, 20);
  EXPECT_EQ(events_in(copied(folder, path, {"", "-wal", "-head"})), 20u);
}

TEST(StoreDamage, ALogThatWasCutIsNoticed) {
  const Folder folder;
  const Path path = made_store(folder);
  CampaignStore store(path, CampaignStore::Mode::kWrite);
  write_events(store, 11, 20);
  const Path copy = copied(folder, path, {"", "-wal", "-head"});
  std::filesystem::resize_file(copy.string() + "-wal",
                               std::filesystem::file_size(copy.string() + "-wal") / 2);
  const std::string said = complaint(copy);
  EXPECT_NE(said.find("was acknowledged"), said.npos) << said;
  // What is left can be read all the same.
  std::uint64_t left = 0;
  CampaignStore(copy, CampaignStore::Mode::kRead).for_each_event(kSpring, 0, [&](const Event&) {
    ++left;
  });
  EXPECT_GE(left, 10u);
  EXPECT_LT(left, 20u);
}

TEST(StoreDamage, AHeadFileThatIsNotWholeSaysNothing) {
  const Folder folder;
  const Path path = folder.path() / "head";
  {
    HeadFile file(path);
    EXPECT_EQ(file.commits(), std::nullopt);
    file.set_commits(1234567);
    file.set_commits(7);
  }
  EXPECT_EQ(HeadFile(path).commits(), 7u);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_EQ(HeadFile(path).commits(), std::nullopt);
  std::ofstream(path) << "updraft-head 1 00000000000000000008 0000000000\n";
  EXPECT_EQ(HeadFile(path).commits(), std::nullopt);
}

TEST(StoreBackup, IsAWholeStoreAsOfOneMoment) {
  const Folder folder;
  const Path path = made_store(folder);
  CampaignStore store(path, CampaignStore::Mode::kWrite);
  write_events(store, 11, 20);
  const Path backup = folder.path() / "backup.db";
  store.back_up(backup);
  write_events(store, 21, 30);
  EXPECT_EQ(events_in(backup), 20u);
  EXPECT_EQ(CampaignStore(backup, CampaignStore::Mode::kRead).last_snapshot(kSpring)->body,
            "eight");
  EXPECT_THROW(store.back_up(backup), StoreError) << "must not overwrite";
  EXPECT_EQ(std::filesystem::status(backup).permissions() & std::filesystem::perms::group_all,
            std::filesystem::perms::none);
}

TEST(StoreFiles, AreForTheirOwnerAlone) {
  const Folder folder;
  const Path path = made_store(folder);
  const CampaignStore store(path, CampaignStore::Mode::kWrite);
  for (const char* suffix : {"", "-wal", "-shm", "-lock", "-head"}) {
    const auto mode = std::filesystem::status(path.string() + suffix).permissions();
    EXPECT_EQ(mode & (std::filesystem::perms::group_all | std::filesystem::perms::others_all),
              std::filesystem::perms::none)
        << suffix;
  }
}

}  // namespace
}  // namespace updraft
