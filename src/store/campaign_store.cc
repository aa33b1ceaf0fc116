#include "store/campaign_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <unordered_map>

#include "core/checksum.h"

namespace updraft {
namespace {

constexpr std::int64_t kApplication = 0x55706472;          // "Updr"
constexpr std::int64_t kKeySpace = std::int64_t{1} << 40;  // events of a campaign
constexpr int kSnapshotsKept = 2;

/// Each brings a store from one version to the next; version 0 is an empty file.
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
};
constexpr std::int64_t kVersion = std::size(kMigrations);

std::int64_t key_of(std::int64_t campaign, std::uint64_t number) {
  return campaign * kKeySpace + static_cast<std::int64_t>(number);
}

std::int64_t checksum_of(std::int64_t campaign, const Event& event) {
  return checksum(fmt::format("{} {} {} {} {} ", campaign, event.number,
                              static_cast<int>(event.kind), event.decision, event.time_ms) +
                  event.body);
}

std::int64_t checksum_of(const StoredCampaign& campaign) {
  return checksum(fmt::format("{} {} {}", campaign.id, campaign.name, campaign.definition));
}

std::int64_t checksum_of(std::int64_t campaign, const StoredSnapshot& snapshot) {
  return checksum(fmt::format("{} {} ", campaign, snapshot.number) + snapshot.body);
}

constexpr const char* kRebuild =
    "the log can be taken over into a new store, which rebuilds the state: updraft store export, "
    "then updraft store import";
constexpr const char* kRestore = "restore the file from a copy";

[[noreturn]] void damaged(const std::filesystem::path& path, std::string_view what,
                          std::string_view remedy) {
  throw StoreError(fmt::format("{} is damaged: {}; {}", path.string(), what, remedy),
                   StoreError::Kind::kDamaged);
}

Event event_in(const Statement& row) {
  return {.number = static_cast<std::uint64_t>(row.number(0) % kKeySpace),
          .kind = static_cast<EventKind>(row.number(1)),
          .decision = std::string(row.text(2)),
          .time_ms = row.number(3),
          .body = std::string(row.blob(4))};
}

/// Runs `read`, and says what is damaged where SQLite finds that.
template <typename Read>
auto guarded(const std::filesystem::path& path, Read read) {
  try {
    return read();
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kDamaged ||
        std::string_view(error.what()).starts_with(path.string())) {
      throw;
    }
    damaged(path, error.what(), kRestore);
  }
}

}  // namespace

/// What writing needs.
struct CampaignStore::Writer {
  explicit Writer(const std::filesystem::path& path)
      : connection(path, Connection::Mode::kReadWrite) {}

  void prepare() {
    add_campaign.emplace(connection.prepare("INSERT INTO campaigns VALUES (?, ?, ?, ?)"));
    add_event.emplace(connection.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"));
    add_snapshot.emplace(
        connection.prepare("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)"));
    last_key.emplace(connection.prepare("SELECT max(key) FROM events WHERE key >= ? AND key < ?"));
    same_campaign.emplace(
        connection.prepare("SELECT count(*) FROM campaigns WHERE id = ? OR name = ?"));
    drop_snapshots.emplace(connection.prepare(
        "DELETE FROM snapshots WHERE campaign = ?1 AND number NOT IN (SELECT number FROM snapshots "
        "WHERE campaign = ?1 ORDER BY number DESC LIMIT ?2)"));
  }

  void begin() {
    connection.execute("BEGIN IMMEDIATE");
    versions.clear();
  }

  /// Into the transaction; false where there is a conflict.
  bool write(const std::vector<StoreWrite>& batch) {
    return std::all_of(batch.begin(), batch.end(), [this](const StoreWrite& write) {
      if (!expected(write)) return false;
      std::visit([this](const auto& what) { add(what); }, write);
      return true;
    });
  }

  /// Whether what is there is what the write expects.
  bool expected(const StoreWrite& write) {
    if (const auto* added = std::get_if<StoredCampaign>(&write)) {
      same_campaign->bind(1, added->id).bind(2, std::string_view(added->name));
      return same_campaign->run_for_number() == 0;
    }
    const auto* event = std::get_if<EventWrite>(&write);
    return event == nullptr || event->event.number == ++version(event->campaign);
  }

  /// How many events the campaign has, with those of this transaction.
  std::uint64_t& version(std::int64_t campaign) {
    const auto known = versions.find(campaign);
    if (known != versions.end()) return known->second;
    last_key->bind(1, key_of(campaign, 0)).bind(2, key_of(campaign + 1, 0));
    const std::int64_t last = last_key->run_for_number();  // 0 where there is none
    return versions[campaign] = static_cast<std::uint64_t>(last % kKeySpace);
  }

  void add(const StoredCampaign& campaign) {
    add_campaign->bind(1, campaign.id)
        .bind(2, std::string_view(campaign.name))
        .bind(3, std::string_view(campaign.definition))
        .bind(4, checksum_of(campaign))
        .run();
  }

  void add(const EventWrite& write) {
    const Event& event = write.event;
    add_event->bind(1, key_of(write.campaign, event.number))
        .bind(2, static_cast<std::int64_t>(event.kind))
        .bind(3, write.campaign)
        .bind(4, std::string_view(event.decision))
        .bind(5, event.time_ms)
        .bind_blob(6, event.body)
        .bind(7, checksum_of(write.campaign, event))
        .run();
  }

  void add(const SnapshotWrite& write) {
    add_snapshot->bind(1, write.campaign)
        .bind(2, static_cast<std::int64_t>(write.snapshot.number))
        .bind_blob(3, write.snapshot.body)
        .bind(4, checksum_of(write.campaign, write.snapshot))
        .run();
    drop_snapshots->bind(1, write.campaign).bind(2, std::int64_t{kSnapshotsKept}).run();
  }

  Connection connection;
  std::optional<Statement> add_campaign;
  std::optional<Statement> add_event;
  std::optional<Statement> add_snapshot;
  std::optional<Statement> drop_snapshots;
  std::optional<Statement> last_key;
  std::optional<Statement> same_campaign;
  std::unordered_map<std::int64_t, std::uint64_t> versions;  // of campaigns in this transaction
};

CampaignStore::CampaignStore(const std::filesystem::path& path, Mode mode) : path_(path) {
  if (mode == Mode::kWrite) {
    const std::string lock = std::filesystem::weakly_canonical(path).string() + "-lock";
    lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      if (lock_ >= 0) ::close(lock_);
      throw StoreError(error == EWOULDBLOCK
                           ? fmt::format("{} is in use by another process", path.string())
                           : fmt::format("cannot write {}: {}", lock, std::strerror(error)),
                       StoreError::Kind::kOther);
    }
  } else if (!std::filesystem::exists(path)) {
    throw StoreError(fmt::format("{} does not exist", path.string()), StoreError::Kind::kOther);
  }
  try {
    guarded(path_, [&] {
      if (mode == Mode::kWrite) prepare_for_writing();
      reader_.emplace(path, Connection::Mode::kReadOnly);
      if (mode == Mode::kRead && reader_->number("PRAGMA user_version") != kVersion) {
        throw StoreError(
            fmt::format("{} is not a store of version {}; updraft serve brings older ones up to it",
                        path.string(), kVersion),
            StoreError::Kind::kOther);
      }
    });
  } catch (const StoreError& error) {
    if (lock_ >= 0) ::close(lock_);
    const std::string_view text = error.what();
    if (text.starts_with(path.string())) throw;
    throw StoreError(fmt::format("{}: {}", path.string(), text), error.kind());
  }
}

CampaignStore::~CampaignStore() {
  reader_.reset();
  writer_.reset();
  if (lock_ >= 0) ::close(lock_);
}

void CampaignStore::prepare_for_writing() {
  writer_ = std::make_unique<Writer>(path_);
  Connection& connection = writer_->connection;
  const std::int64_t application = connection.number("PRAGMA application_id");
  const std::int64_t version = connection.number("PRAGMA user_version");
  const bool empty = connection.number("SELECT count(*) FROM sqlite_schema") == 0;
  if (!(application == kApplication || (application == 0 && empty))) {
    throw StoreError(fmt::format("{} is a database of something else", path_.string()),
                     StoreError::Kind::kOther);
  }
  if (version > kVersion) {
    throw StoreError(
        fmt::format("{} has version {} of the store, newer than {}: use a newer updraft",
                    path_.string(), version, kVersion),
        StoreError::Kind::kOther);
  }
  connection.execute("PRAGMA journal_mode = WAL");
  connection.execute("PRAGMA synchronous = FULL");
  if (version < kVersion) {
    connection.execute("BEGIN IMMEDIATE");
    for (std::int64_t from = version; from < kVersion; ++from)
      connection.execute(kMigrations[from]);
    connection.execute(fmt::format("PRAGMA application_id = {}", kApplication).c_str());
    connection.execute(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
    connection.execute("COMMIT");
  }
  writer_->prepare();
}

std::vector<StoredCampaign> CampaignStore::campaigns() const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    std::vector<StoredCampaign> out;
    Statement rows =
        reader_->prepare("SELECT id, name, definition, checksum FROM campaigns ORDER BY id");
    while (rows.step()) {
      out.push_back({rows.number(0), std::string(rows.text(1)), std::string(rows.text(2))});
      if (rows.number(3) != checksum_of(out.back())) {
        damaged(path_, fmt::format("the definition of campaign {}", out.back().id), kRestore);
      }
    }
    return out;
  });
}

Event CampaignStore::checked_event(const StoredCampaign& campaign, const Statement& row) const {
  Event event = event_in(row);
  if (row.number(5) != checksum_of(campaign.id, event)) {
    damaged(path_, fmt::format("event {} of campaign {}", event.number, campaign.name), kRestore);
  }
  return event;
}

StoredSnapshot CampaignStore::snapshot_in(const StoredCampaign& campaign,
                                          const Statement& row) const {
  StoredSnapshot snapshot = {static_cast<std::uint64_t>(row.number(0)), std::string(row.blob(1))};
  if (row.number(2) != checksum_of(campaign.id, snapshot)) {
    damaged(
        path_,
        fmt::format("the snapshot of campaign {} after event {}", campaign.name, snapshot.number),
        kRebuild);
  }
  return snapshot;
}

std::vector<StoredSnapshot> CampaignStore::snapshots(const StoredCampaign& campaign) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    Statement rows = reader_->prepare(
        "SELECT number, body, checksum FROM snapshots WHERE campaign = ? ORDER BY number DESC");
    rows.bind(1, campaign.id);
    std::vector<StoredSnapshot> out;
    while (rows.step()) out.push_back(snapshot_in(campaign, rows));
    return out;
  });
}

std::optional<StoredSnapshot> CampaignStore::last_snapshot(const StoredCampaign& campaign) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&]() -> std::optional<StoredSnapshot> {
    Statement row = reader_->prepare(
        "SELECT number, body, checksum FROM snapshots WHERE campaign = ? ORDER BY number DESC "
        "LIMIT 1");
    if (!row.bind(1, campaign.id).step()) return std::nullopt;
    return snapshot_in(campaign, row);
  });
}

void CampaignStore::for_each_event(const StoredCampaign& campaign, std::uint64_t after,
                                   const std::function<void(const Event&)>& visit) const {
  // A few at a time, so that `visit` may read, too.
  constexpr std::size_t kAtOnce = 256;
  std::uint64_t expected = after + 1;
  std::vector<Event> events;
  do {
    events.clear();
    guarded(path_, [&] {
      const std::lock_guard lock(reading_);
      Statement rows = reader_->prepare(
          "SELECT key, kind, decision, time_ms, body, checksum FROM events "
          "WHERE key >= ? AND key < ? ORDER BY key LIMIT ?");
      rows.bind(1, key_of(campaign.id, expected))
          .bind(2, key_of(campaign.id + 1, 0))
          .bind(3, static_cast<std::int64_t>(kAtOnce));
      while (rows.step()) {
        events.push_back(checked_event(campaign, rows));
        const Event& event = events.back();
        if (event.number != expected) {
          damaged(path_, fmt::format("event {} of campaign {} is missing", expected, campaign.name),
                  kRestore);
        }
        ++expected;
      }
    });
    for (const Event& event : events) visit(event);
  } while (events.size() == kAtOnce);
}

std::vector<Event> CampaignStore::events_of(const StoredCampaign& campaign,
                                            std::string_view decision) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    std::vector<Event> out;
    if (decision.empty()) return out;
    Statement rows = reader_->prepare(
        "SELECT key, kind, decision, time_ms, body, checksum FROM events WHERE decision = ? AND "
        "campaign = ? AND decision <> '' ORDER BY key");
    rows.bind(1, decision).bind(2, campaign.id);
    while (rows.step()) out.push_back(checked_event(campaign, rows));
    return out;
  });
}

AppendResult CampaignStore::write(const std::vector<StoreWrite>& batch) {
  return in_transaction([&] { return writer_->write(batch); });
}

AppendResult CampaignStore::write_all(const std::function<std::vector<StoreWrite>()>& next) {
  return in_transaction([&] {
    for (std::vector<StoreWrite> batch = next(); !batch.empty(); batch = next()) {
      if (!writer_->write(batch)) return false;
    }
    return true;
  });
}

AppendResult CampaignStore::in_transaction(const std::function<bool()>& work) {
  Connection& connection = writer_->connection;
  const auto roll_back = [&] {
    try {
      connection.execute("ROLLBACK");
    } catch (const StoreError&) {  // some errors have rolled back already
    }
  };
  writer_->begin();
  try {
    if (work()) {
      connection.execute("COMMIT");
      return AppendResult::kOk;
    }
  } catch (...) {
    roll_back();
    throw;
  }
  roll_back();
  return AppendResult::kConflict;
}

std::int64_t CampaignStore::new_campaign_id() const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] { return reader_->number("SELECT max(id) FROM campaigns") + 1; });
}

void CampaignStore::limit_pages(std::int64_t pages) {
  writer_->connection.number(fmt::format("PRAGMA max_page_count = {}", pages).c_str());
}

std::vector<std::string> CampaignStore::defects() const {
  const std::lock_guard lock(reading_);
  std::vector<std::string> out;
  try {
    Statement rows = reader_->prepare("PRAGMA integrity_check");
    while (rows.step()) {
      if (rows.text(0) != "ok") out.emplace_back(rows.text(0));
    }
  } catch (const StoreError& error) {
    out.emplace_back(error.what());
  }
  return out;
}

}  // namespace updraft
