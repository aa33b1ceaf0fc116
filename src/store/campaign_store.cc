#include "store/campaign_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/checksum.h"
#include "store/store_schema.h"
#include "store/store_writer.h"

namespace updraft {
namespace {

/// Of bodies of events that are read together.
constexpr std::size_t kBytesAtOnce = 16 << 20;
constexpr std::size_t kEventsAtOnce = 256;
constexpr const char* kRebuild = "the events give the same state";
constexpr const char* kRestore = "restore a backup";
constexpr const char* kRestoreOrExport =
    "the last events are missing: restore a backup, or take over what is left into a new store: "
    "updraft store export, then updraft store import";

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
          .body = std::string(row.blob(4)),
          .by = std::string(row.text(6))};
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

CampaignStore::CampaignStore(const std::filesystem::path& path, Mode mode) : path_(path) {
  if (mode == Mode::kWrite) {
    const std::string lock = std::filesystem::weakly_canonical(path).string() + "-lock";
    lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
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
      if (mode == Mode::kRead && reader_->number("PRAGMA user_version") != store_version()) {
        throw StoreError(
            fmt::format("{} is not a store of version {}; updraft serve brings older ones up to it",
                        path.string(), store_version()),
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
  find_events_.reset();
  reader_.reset();
  if (writer_) {
    try {  // The next one to open it knows that it is whole without a -wal file.
      writer_->connection().execute("UPDATE heads SET chain = 0 WHERE campaign = 0");
    } catch (const StoreError&) {
    }
  }
  writer_.reset();
  if (lock_ >= 0) ::close(lock_);
}

void CampaignStore::prepare_for_writing() {
  if (!std::filesystem::exists(path_)) {
    if (const auto commits = HeadFile(beside(path_, "-head")).commits()) {
      throw StoreError(fmt::format("{0} does not exist, but {0}-head says that it had {1} commits; "
                                   "restore it, or remove {0}-head to begin a new store",
                                   path_.string(), *commits),
                       StoreError::Kind::kOther);
    }
    make_store(path_);
  }
  if (std::filesystem::file_size(path_) == 0) {
    throw StoreError(fmt::format("{} is empty: it is no store; restore a backup, or remove the "
                                 "file to begin a new store",
                                 path_.string()),
                     StoreError::Kind::kOther);
  }
  const bool has_log = std::filesystem::exists(beside(path_, "-wal"));
  writer_ = std::make_unique<StoreWriter>(path_);
  Connection& connection = writer_->connection();
  upgrade_store(path_, connection);
  connection.execute("PRAGMA journal_mode = WAL");
  connection.execute("PRAGMA synchronous = FULL");
  writer_->prepare();
  check_whole(has_log);
  writer_->begin();
  writer_->commit();
  // A copy of the file without its log then knows that it is one.
  connection.execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

/// Whether the file may have lost the end of what was acknowledged.
void CampaignStore::check_whole(bool has_log) {
  const StoreHead store = writer_->head(kStoreRow);
  writer_->set_commits(store.number);
  const std::optional<std::uint64_t> acknowledged = writer_->head_file().commits();
  if (acknowledged && *acknowledged > store.number) {
    damaged(path_,
            fmt::format("it ends with commit {}, but commit {} was acknowledged, as {}-head says",
                        store.number, *acknowledged, path_.string()),
            kRestoreOrExport);
  }
  const bool in_use = store.chain != 0;
  if (in_use && !has_log && !acknowledged) {
    damaged(path_, "it was in use when it was copied, or its -wal file was removed",
            kRestoreOrExport);
  }
}

std::vector<StoredCampaign> CampaignStore::campaigns() const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    std::vector<StoredCampaign> out;
    Statement rows = reader_->prepare(
        "SELECT id, name, definition, campaigns.checksum, created_ms, created_by, time_ms, "
        "done_by, "
        "brief, has_events FROM campaigns LEFT JOIN archives ON campaign = id ORDER BY id");
    while (rows.step()) {
      StoredCampaign& one = out.emplace_back(
          StoredCampaign{rows.number(0), std::string(rows.text(1)), std::string(rows.text(2)),
                         rows.number(4), std::string(rows.text(5))});
      if (rows.number(3) != checksum_of(one)) {
        damaged(path_, fmt::format("the definition of campaign {}", one.id), kRestore);
      }
      if (rows.text(8).empty()) continue;
      one.archive = {rows.number(6), std::string(rows.text(7)), std::string(rows.text(8)),
                     rows.number(9) != 0};
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

std::vector<CampaignStore::SnapshotRow> CampaignStore::snapshot_rows(
    const StoredCampaign& campaign) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    Statement rows = reader_->prepare(
        "SELECT number, body, checksum, chain, parts FROM snapshots WHERE campaign = ? "
        "ORDER BY number DESC");
    rows.bind(1, campaign.id);
    std::vector<SnapshotRow> out;
    while (rows.step()) {
      SnapshotRow& row = out.emplace_back();
      row.snapshot.number = static_cast<std::uint64_t>(rows.number(0));
      row.snapshot.body = rows.blob(1);
      row.checksum = rows.number(2);
      row.chain = rows.number(3);
      row.parts = rows.number(4);
    }
    return out;
  });
}

bool CampaignStore::has_snapshot(const StoredCampaign& campaign, std::uint64_t number) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    Statement row = reader_->prepare("SELECT 1 FROM snapshots WHERE campaign = ? AND number = ?");
    row.bind(1, campaign.id).bind(2, static_cast<std::int64_t>(number));
    return row.step();
  });
}

StoredSnapshot CampaignStore::whole(const StoredCampaign& campaign, SnapshotRow row) const {
  StoredSnapshot snapshot = std::move(row.snapshot);
  snapshot.chain = row.chain;
  for (std::int64_t part = 1; part <= row.parts; ++part) {
    const std::lock_guard lock(reading_);
    guarded(path_, [&] {
      Statement one = reader_->prepare(
          "SELECT body FROM snapshot_parts WHERE campaign = ? AND number = ? AND part = ?");
      one.bind(1, campaign.id).bind(2, static_cast<std::int64_t>(snapshot.number)).bind(3, part);
      if (one.step()) snapshot.body.append(one.blob(0));
    });
  }
  if (row.checksum != checksum_of(campaign.id, snapshot, row.chain)) {
    if (!has_snapshot(campaign, snapshot.number)) {
      throw StoreError(
          fmt::format("a snapshot of campaign {} was removed meanwhile: try again", campaign.name),
          StoreError::Kind::kOther);
    }
    damaged(
        path_,
        fmt::format("the snapshot of campaign {} after event {}", campaign.name, snapshot.number),
        kRebuild);
  }
  return snapshot;
}

std::vector<StoredSnapshot> CampaignStore::snapshots(const StoredCampaign& campaign) const {
  std::vector<StoredSnapshot> out;
  for (SnapshotRow& row : snapshot_rows(campaign)) {
    out.push_back(whole(campaign, std::move(row)));
  }
  return out;
}

std::optional<StoredSnapshot> CampaignStore::last_snapshot(const StoredCampaign& campaign) const {
  std::vector<SnapshotRow> rows = snapshot_rows(campaign);
  if (rows.empty()) return std::nullopt;
  return whole(campaign, std::move(rows.front()));
}

std::optional<StoredSnapshot> CampaignStore::snapshot_at(const StoredCampaign& campaign,
                                                         std::uint64_t number) const {
  for (SnapshotRow& row : snapshot_rows(campaign)) {
    if (row.snapshot.number == number) return whole(campaign, std::move(row));
  }
  return std::nullopt;
}

std::vector<StoredCut> CampaignStore::cuts_where(const StoredCampaign& campaign,
                                                 const char* condition) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] { return cuts_of(*reader_, campaign, condition); });
}

std::vector<StoredCut> CampaignStore::cuts_of(Connection& connection,
                                              const StoredCampaign& campaign,
                                              const char* condition) const {
  Statement rows = connection.prepare(
      fmt::format("SELECT number, chain, time_ms, made, purged, dropped, dropped_sum, checksum "
                  "FROM cuts WHERE campaign = ? AND {} ORDER BY number",
                  condition)
          .c_str());
  rows.bind(1, campaign.id);
  std::vector<StoredCut> out;
  while (rows.step()) {
    out.push_back({static_cast<std::uint64_t>(rows.number(0)), rows.number(1), rows.number(2),
                   rows.number(3) != 0, static_cast<std::uint64_t>(rows.number(4)),
                   static_cast<std::uint64_t>(rows.number(5)), rows.number(6)});
    if (rows.number(7) != checksum_of(campaign.id, out.back())) {
      damaged(path_, fmt::format("where the events of campaign {} begin", campaign.name), kRestore);
    }
  }
  return out;
}

void CampaignStore::check_compacted(const StoredCampaign& campaign) const {
  guarded(path_, [&] {
    // A connection of its own, as it takes long and nobody is to wait for it; as of one moment.
    Connection connection(path_, Connection::Mode::kReadOnly);
    connection.execute("BEGIN");
    const std::vector<StoredCut> made = cuts_of(connection, campaign, "made = 1");
    StoredCut found;
    Statement ids = connection.prepare("SELECT decision FROM settled WHERE campaign = ?");
    ids.bind(1, campaign.id);
    for (; ids.step(); ++found.dropped) found.dropped_sum += checksum(ids.text(0));
    const StoredCut known = made.empty() ? StoredCut() : made.back();
    if (found.dropped != known.dropped || found.dropped_sum != known.dropped_sum) {
      damaged(path_,
              fmt::format("the ids of decisions of campaign {} whose events were dropped",
                          campaign.name),
              kRestore);
    }
  });
}

std::vector<StoredCut> CampaignStore::cuts(const StoredCampaign& campaign) const {
  return cuts_where(campaign, "made = 1");
}

std::optional<StoredCut> CampaignStore::cut_of(const StoredCampaign& campaign) const {
  const std::vector<StoredCut> made = cuts(campaign);
  return made.empty() ? std::nullopt : std::optional(made.back());
}

std::optional<StoredCut> CampaignStore::planned_cut(const StoredCampaign& campaign) const {
  const std::vector<StoredCut> planned = cuts_where(campaign, "made = 0");
  return planned.empty() ? std::nullopt : std::optional(planned.back());
}

std::uint64_t CampaignStore::last_snapshot_number(const StoredCampaign& campaign) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    return static_cast<std::uint64_t>(
        reader_->prepare("SELECT max(number) FROM snapshots WHERE campaign = ?")
            .bind(1, campaign.id)
            .run_for_number());
  });
}

std::vector<Event> CampaignStore::events_between(const StoredCampaign& campaign,
                                                 std::uint64_t after, std::uint64_t until,
                                                 std::size_t most) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    Statement rows = reader_->prepare(
        "SELECT key, kind, decision, time_ms, body, checksum, done_by FROM events "
        "WHERE key > ? AND key <= ? ORDER BY key LIMIT ?");
    rows.bind(1, key_of(campaign.id, after))
        .bind(2, key_of(campaign.id, until))
        .bind(3, static_cast<std::int64_t>(most));
    std::vector<Event> out;
    std::size_t bytes = 0;
    while (bytes < kBytesAtOnce && rows.step()) {
      out.push_back(checked_event(campaign, rows));
      bytes += out.back().body.size();
    }
    return out;
  });
}

bool CampaignStore::was_compacted(const StoredCampaign& campaign, std::string_view decision) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    return reader_->prepare("SELECT count(*) FROM settled WHERE decision = ? AND campaign = ?")
               .bind(1, decision)
               .bind(2, campaign.id)
               .run_for_number() > 0;
  });
}

std::int64_t CampaignStore::chain_at(const StoredCampaign& campaign, std::uint64_t number) const {
  const auto cut = cut_of(campaign);
  std::int64_t chain = cut ? cut->chain : 0;
  for (std::uint64_t last = cut ? cut->number : 0; last < number;) {
    const std::vector<Link> links = links_from(campaign, last + 1, kEventsAtOnce);
    if (links.empty()) break;
    for (const Link& link : links) {
      if (link.event.number <= number) chain = chained(chain, link.checksum);
      last = link.event.number;
    }
  }
  return chain;
}

CampaignStore::Reach CampaignStore::reach_of(const StoredCampaign& campaign,
                                             std::uint64_t after) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    Statement head = reader_->prepare("SELECT number, chain FROM heads WHERE campaign = ?");
    if (!head.bind(1, campaign.id).step()) {
      damaged(path_, fmt::format("the head of campaign {} is missing", campaign.name), kRestore);
    }
    Reach reach = {.last = static_cast<std::uint64_t>(head.number(0)), .chain = head.number(1)};
    if (after == 0) {
      reach.before = 0;
      return reach;
    }
    Statement snapshot = reader_->prepare(
        "SELECT chain FROM snapshots WHERE campaign = ?1 AND number = ?2 UNION ALL "
        "SELECT chain FROM cuts WHERE campaign = ?1 AND number = ?2");
    snapshot.bind(1, campaign.id).bind(2, static_cast<std::int64_t>(after));
    if (snapshot.step()) reach.before = snapshot.number(0);
    return reach;
  });
}

std::vector<CampaignStore::Link> CampaignStore::links_from(const StoredCampaign& campaign,
                                                           std::uint64_t first,
                                                           std::size_t most) const {
  std::vector<Link> links;
  std::optional<std::uint64_t> gap;
  {
    const std::lock_guard lock(reading_);
    guarded(path_, [&] { gap = read_links(campaign, first, most, links); });
  }
  if (gap) missing_events(campaign, *gap, *gap);
  return links;
}

/// The first event that is missing among those up to the last that was read.
std::optional<std::uint64_t> CampaignStore::read_links(const StoredCampaign& campaign,
                                                       std::uint64_t first, std::size_t most,
                                                       std::vector<Link>& links) const {
  Statement rows = reader_->prepare(
      "SELECT key, kind, decision, time_ms, body, checksum, done_by FROM events "
      "WHERE key >= ? AND key < ? ORDER BY key LIMIT ?");
  rows.bind(1, key_of(campaign.id, first))
      .bind(2, key_of(campaign.id + 1, 0))
      .bind(3, static_cast<std::int64_t>(most));
  std::size_t bytes = 0;
  for (std::uint64_t expected = first; bytes < kBytesAtOnce && rows.step(); ++expected) {
    links.push_back({checked_event(campaign, rows), rows.number(5)});
    if (links.back().event.number != expected) return expected;
    bytes += links.back().event.body.size();
  }
  return std::nullopt;
}

void CampaignStore::missing_events(const StoredCampaign& campaign, std::uint64_t first,
                                   std::uint64_t last) const {
  // A cut is made before events are removed behind it.
  if (const auto cut = cut_of(campaign); cut && cut->number >= first) {
    throw StoreError(
        fmt::format("events of campaign {} were compacted meanwhile: try again", campaign.name),
        StoreError::Kind::kOther);
  }
  const std::string which =
      first == last
          ? fmt::format("event {} of campaign {} is missing", first, campaign.name)
          : fmt::format("events {} to {} of campaign {} are missing", first, last, campaign.name);
  damaged(path_, which, kRestore);
}

void CampaignStore::for_each_event(const StoredCampaign& campaign, std::uint64_t after,
                                   const std::function<void(const Event&)>& visit) const {
  // A few at a time, so that `visit` may read, too. More may come meanwhile.
  if (const auto cut = cut_of(campaign); cut && cut->number > after) {
    if (after > 0) missing_events(campaign, after + 1, cut->number);
    after = cut->number;
  }
  const Reach reach = reach_of(campaign, after);
  std::optional<std::int64_t> chain = reach.before;
  std::uint64_t last = after;
  std::vector<Link> links;
  do {
    links = links_from(campaign, last + 1, kEventsAtOnce);
    for (const Link& link : links) {
      last = link.event.number;
      if (chain) chain = chained(*chain, link.checksum);
      if (last == reach.last && chain && *chain != reach.chain) {
        damaged(path_,
                fmt::format("the events of campaign {} up to {} are not those that were written",
                            campaign.name, last),
                kRestore);
      }
      visit(link.event);
    }
  } while (!links.empty());
  if (last < reach.last) missing_events(campaign, last + 1, reach.last);
}

std::vector<Event> CampaignStore::events_after(const StoredCampaign& campaign, std::uint64_t after,
                                               std::size_t most) const {
  std::vector<Event> out;
  for (Link& link : links_from(campaign, after + 1, most)) out.push_back(std::move(link.event));
  return out;
}

std::vector<Event> CampaignStore::events_of(const StoredCampaign& campaign,
                                            std::string_view decision) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    std::vector<Event> out;
    if (decision.empty()) return out;
    if (!find_events_) {
      find_events_.emplace(
          reader_->prepare("SELECT key, kind, decision, time_ms, body, checksum, done_by FROM "
                           "events WHERE decision = ? AND campaign = ? AND decision <> '' "
                           "ORDER BY key"));
    }
    Statement& rows = *find_events_;
    const ResetAtEnd reset(rows);  // or a checkpoint could not go beyond it
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
  Connection& connection = writer_->connection();
  const auto roll_back = [&] {
    try {
      connection.execute("ROLLBACK");
    } catch (const StoreError&) {  // some errors have rolled back already
    }
  };
  writer_->begin();
  try {
    if (work()) {
      writer_->commit();
      return AppendResult::kOk;
    }
  } catch (...) {
    roll_back();
    throw;
  }
  roll_back();
  return AppendResult::kConflict;
}

std::string CampaignStore::archive_summary(const StoredCampaign& campaign) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    Statement row = reader_->prepare("SELECT summary, checksum FROM archives WHERE campaign = ?");
    if (!campaign.archive || !row.bind(1, campaign.id).step()) {
      damaged(path_, fmt::format("the archive of campaign {} is missing", campaign.name), kRestore);
    }
    std::string summary(row.text(0));
    if (row.number(1) != checksum_of(campaign.id, *campaign.archive, summary)) {
      damaged(path_, fmt::format("the archive of campaign {}", campaign.name), kRestore);
    }
    return summary;
  });
}

bool CampaignStore::has_dropped() const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    return reader_->number(kPurgeable) > 0 ||
           reader_->number((std::string(kUnusedParts) + " LIMIT 1").c_str()) > 0;
  });
}

std::vector<NamedHead> CampaignStore::heads_of(std::string_view name) const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    std::vector<NamedHead> out;
    Statement rows = reader_->prepare(
        "SELECT id, number, chain FROM campaigns JOIN heads ON campaign = id WHERE name = ?1 "
        "UNION ALL SELECT campaign, number, chain FROM deleted WHERE name = ?1");
    rows.bind(1, name);
    while (rows.step()) {
      out.push_back({rows.number(0), {static_cast<std::uint64_t>(rows.number(1)), rows.number(2)}});
    }
    return out;
  });
}

std::int64_t CampaignStore::new_campaign_id() const {
  const std::lock_guard lock(reading_);
  return guarded(path_, [&] {
    return 1 + reader_->number(
                   "SELECT max(id) FROM (SELECT id FROM campaigns UNION ALL "
                   "SELECT campaign FROM deleted)");
  });
}

void CampaignStore::limit_pages(std::int64_t pages) {
  writer_->connection().number(fmt::format("PRAGMA max_page_count = {}", pages).c_str());
}

std::vector<std::string> CampaignStore::defects() const {
  std::vector<std::string> out;
  try {
    // A connection of its own, as it takes long and nobody is to wait for it.
    Connection connection(path_, Connection::Mode::kReadOnly);
    Statement rows = connection.prepare("PRAGMA integrity_check");
    while (rows.step()) {
      if (rows.text(0) != "ok") out.emplace_back(rows.text(0));
    }
  } catch (const StoreError& error) {
    out.emplace_back(error.what());
  }
  return out;
}

void CampaignStore::back_up(const std::filesystem::path& target) const {
  if (std::filesystem::exists(target)) {
    throw StoreError(fmt::format("{} exists", target.string()), StoreError::Kind::kOther);
  }
  const std::filesystem::path partial = beside(target, "-new");
  std::filesystem::remove(partial);
  guarded(path_, [&] {
    Connection source(path_, Connection::Mode::kReadOnly);
    Connection copy(partial, Connection::Mode::kReadWrite);
    source.copy_to(copy);
    copy.execute("PRAGMA journal_mode = DELETE");
    copy.execute("PRAGMA synchronous = FULL");
    copy.execute("UPDATE heads SET chain = 0 WHERE campaign = 0");
  });
  std::filesystem::permissions(
      partial, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::rename(partial, target);
}

}  // namespace updraft