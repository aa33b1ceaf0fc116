#include "store/store_schema.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <iterator>
#include <system_error>

#include "core/checksum.h"

namespace updraft {
namespace {

constexpr std::int64_t kApplication = 0x55706472;  // "Updr"

/// Each brings a store from one version to the next; version 0 has nothing.
constexpr const char* kMigrations[] = {
    R"(CREATE TABLE campaigns (
         id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL,
         checksum INTEGER NOT NULL) STRICT;
       CREATE TABLE events (
         key INTEGER PRIMARY KEY, kind INTEGER NOT NULL, campaign INTEGER NOT NULL,
         decision TEXT NOT NULL, time_ms INTEGER NOT NULL, body BLOB NOT NULL,
         checksum INTEGER NOT NULL) STRICT;
       CREATE INDEX events_of_decision ON events (decision, campaign) WHERE decision <> '';
       CREATE TABLE snapshots (
         campaign INTEGER NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL,
         checksum INTEGER NOT NULL, PRIMARY KEY (campaign, number)) STRICT;)",
    // Snapshots hold more than before; the events give them back.
    "DELETE FROM snapshots;",
    // Snapshots of policies with features count the rows learned from, and estimates that are no
    // uplifts are differences now; again from the events.
    "DELETE FROM snapshots;",
    // Decisions may have a probability and a revision, and snapshots say which policy made them.
    "DELETE FROM snapshots;",
    // Events are chained, and heads say how far they reach; snapshots begin in the middle of a
    // chain.
    R"(CREATE TABLE heads (
         campaign INTEGER PRIMARY KEY, number INTEGER NOT NULL, chain INTEGER NOT NULL) STRICT;
       INSERT INTO heads VALUES (0, 0, 0);
       DROP TABLE snapshots;
       CREATE TABLE snapshots (
         campaign INTEGER NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL,
         checksum INTEGER NOT NULL, chain INTEGER NOT NULL,
         PRIMARY KEY (campaign, number)) STRICT;)",
    // Who did it. The checksums of what was done by nobody stay as they were.
    R"(ALTER TABLE events ADD COLUMN done_by TEXT NOT NULL DEFAULT '';
       ALTER TABLE campaigns ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
       ALTER TABLE campaigns ADD COLUMN created_by TEXT NOT NULL DEFAULT '';)",
    // Campaigns that were archived or deleted.
    R"(CREATE TABLE archives (
         campaign INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, done_by TEXT NOT NULL,
         brief TEXT NOT NULL, summary TEXT NOT NULL, has_events INTEGER NOT NULL,
         checksum INTEGER NOT NULL) STRICT;
       CREATE TABLE deleted (
         campaign INTEGER PRIMARY KEY, name TEXT NOT NULL, time_ms INTEGER NOT NULL,
         done_by TEXT NOT NULL, number INTEGER NOT NULL, chain INTEGER NOT NULL) STRICT;
       CREATE TABLE dropped (campaign INTEGER PRIMARY KEY) STRICT;)",
    // Large snapshots are in parts, and campaigns may begin behind a cut. Snapshots hold the
    // evidence, and payoffs that are packed; the events give them back. There are new kinds of
    // events, which older programs cannot read.
    R"(DELETE FROM snapshots;
       ALTER TABLE snapshots ADD COLUMN parts INTEGER NOT NULL DEFAULT 0;
       CREATE TABLE snapshot_parts (
         campaign INTEGER NOT NULL, number INTEGER NOT NULL, part INTEGER NOT NULL,
         body BLOB NOT NULL, PRIMARY KEY (campaign, number, part)) STRICT;
       CREATE TABLE cuts (
         campaign INTEGER NOT NULL, number INTEGER NOT NULL, chain INTEGER NOT NULL,
         time_ms INTEGER NOT NULL, made INTEGER NOT NULL, purged INTEGER NOT NULL,
         dropped INTEGER NOT NULL, dropped_sum INTEGER NOT NULL, checksum INTEGER NOT NULL,
         PRIMARY KEY (campaign, number)) STRICT;
       CREATE TABLE settled (
         campaign INTEGER NOT NULL, decision TEXT NOT NULL, PRIMARY KEY (campaign, decision))
         STRICT, WITHOUT ROWID;)",
    // Decisions among some actions only, and actions that are paused, resumed and retired: events
    // that older programs cannot read.
    "",
};
constexpr std::int64_t kVersion = std::size(kMigrations);
constexpr std::int64_t kVersionWithHeads = 5;

/// Heads of events that were written before there were any.
void add_heads(Connection& connection) {
  connection.execute("INSERT INTO heads SELECT id, 0, 0 FROM campaigns");
  Statement rows = connection.prepare("SELECT campaign, key, checksum FROM events ORDER BY key");
  Statement set = connection.prepare("UPDATE heads SET number = ?, chain = ? WHERE campaign = ?");
  std::int64_t campaign = 0;
  std::int64_t number = 0;
  std::int64_t chain = 0;
  const auto finish = [&] {
    if (campaign > 0) set.bind(1, number).bind(2, chain).bind(3, campaign).run();
  };
  while (rows.step()) {
    if (rows.number(0) != campaign) {
      finish();
      campaign = rows.number(0);
      chain = 0;
    }
    number = rows.number(1) % (std::int64_t{1} << 40);
    chain = chained(chain, rows.number(2));
  }
  finish();
}

void migrate(Connection& connection, std::int64_t version) {
  connection.execute("BEGIN IMMEDIATE");
  for (std::int64_t from = version; from < kVersion; ++from) {
    connection.execute(kMigrations[from]);
    if (from + 1 == kVersionWithHeads) add_heads(connection);
  }
  connection.execute(fmt::format("PRAGMA application_id = {}", kApplication).c_str());
  connection.execute(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
  connection.execute("COMMIT");
}

/// So that the name of a file is on disk like what is in it.
void sync_folder(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}  // namespace

std::int64_t store_version() { return kVersion; }

std::int64_t chained(std::int64_t before, std::int64_t checksum_of_event) {
  return checksum(fmt::format("{} {}", before, checksum_of_event));
}

void make_store(const std::filesystem::path& path) {
  std::filesystem::path partial = path;
  partial += "-new";
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  {
    Connection connection(partial, Connection::Mode::kReadWrite);
    connection.execute("PRAGMA synchronous = FULL");
    migrate(connection, 0);
  }
  // SQLite gives the files beside it the same permissions.
  std::filesystem::permissions(
      partial, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::rename(partial, path);
  sync_folder(path);
}

void upgrade_store(const std::filesystem::path& path, Connection& connection) {
  const auto refuse = [&](const std::string& what) {
    throw StoreError(fmt::format("{} {}", path.string(), what), StoreError::Kind::kOther);
  };
  const std::int64_t application = connection.number("PRAGMA application_id");
  const std::int64_t version = connection.number("PRAGMA user_version");
  if (connection.number("SELECT count(*) FROM sqlite_schema") == 0) {
    refuse(
        "is empty: it is no store, or a copy without its -wal file; restore a backup, or remove "
        "the file to begin a new store");
  }
  if (application != kApplication) refuse("is a database of something else");
  if (version > kVersion) {
    refuse(fmt::format("has version {} of the store, newer than {}: use a newer updraft", version,
                       kVersion));
  }
  if (version < kVersion) migrate(connection, version);
}

}  // namespace updraft
