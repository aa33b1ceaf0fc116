#include "store/store_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checksum.h"
#include "store/store_schema.h"

namespace updraft {
namespace {

constexpr int kSnapshotsKept = 2;
constexpr std::int64_t kPurgedAtOnce = 1000;
constexpr std::int64_t kBytesPurgedAtOnce = std::int64_t{4} << 20;  // and one event
constexpr std::int64_t kPartsPurgedAtOnce = 4;

}  // namespace

std::int64_t checksum_of(std::int64_t campaign, const Event& event) {
  const std::uint32_t head =
      checksum(fmt::format("{} {} {} {} {} ", campaign, event.number, static_cast<int>(event.kind),
                           event.decision, event.time_ms));
  const std::uint32_t sum = checksum_after(head, event.body);
  return event.by.empty() ? sum : checksum_after(sum, " " + event.by);
}

std::int64_t checksum_of(const StoredCampaign& campaign) {
  std::string text = fmt::format("{} {} {}", campaign.id, campaign.name, campaign.definition);
  if (campaign.created_ms != 0) text += fmt::format(" {} {}", campaign.created_ms, campaign.by);
  return checksum(text);
}

std::int64_t checksum_of(std::int64_t campaign, const StoredSnapshot& snapshot,
                         std::int64_t chain) {
  return checksum_after(checksum(fmt::format("{} {} {} ", campaign, snapshot.number, chain)),
                        snapshot.body);
}

std::int64_t checksum_of(std::int64_t campaign, const StoredCut& cut) {
  return checksum(fmt::format("{} {} {} {} {} {} {} {}", campaign, cut.number, cut.chain,
                              cut.time_ms, cut.made ? 1 : 0, cut.purged, cut.dropped,
                              cut.dropped_sum));
}

std::int64_t checksum_of(std::int64_t campaign, const StoredArchive& archive,
                         std::string_view summary) {
  return checksum(
      fmt::format("{} {} {} {} {}", campaign, archive.time_ms, archive.by, archive.brief, summary));
}

void StoreWriter::prepare() {
  add_campaign_.emplace(connection_.prepare("INSERT INTO campaigns VALUES (?, ?, ?, ?, ?, ?)"));
  add_event_.emplace(connection_.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  add_snapshot_.emplace(
      connection_.prepare("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?, ?)"));
  find_head_.emplace(connection_.prepare("SELECT number, chain FROM heads WHERE campaign = ?"));
  find_chain_.emplace(
      connection_.prepare("SELECT chain FROM snapshots WHERE campaign = ? AND number = ?"));
  set_head_.emplace(connection_.prepare("INSERT OR REPLACE INTO heads VALUES (?, ?, ?)"));
  same_campaign_.emplace(
      connection_.prepare("SELECT count(*) FROM campaigns WHERE id = ? OR name = ?"));
  drop_snapshots_.emplace(connection_.prepare(
      "DELETE FROM snapshots WHERE campaign = ?1 AND (number < (SELECT max(number) FROM cuts WHERE "
      "campaign = ?1 AND made = 1) OR number NOT IN (SELECT number FROM snapshots WHERE "
      "campaign = ?1 ORDER BY number DESC LIMIT ?2) AND number NOT IN (SELECT number FROM cuts "
      "WHERE campaign = ?1))"));
}

void StoreWriter::begin() {
  connection_.execute("BEGIN IMMEDIATE");
  heads_.clear();
}

void StoreWriter::commit() {
  for (const auto& [campaign, head] : heads_) put_head(campaign, head);
  put_head(kStoreRow, {commits_ + 1, 1});
  connection_.execute("COMMIT");
  head_file_.set_commits(++commits_);
}

void StoreWriter::put_head(std::int64_t campaign, const StoreHead& head) {
  set_head_->bind(1, campaign)
      .bind(2, static_cast<std::int64_t>(head.number))
      .bind(3, head.chain)
      .run();
}

bool StoreWriter::write(const std::vector<StoreWrite>& batch) {
  return std::all_of(batch.begin(), batch.end(), [this](const StoreWrite& write) {
    if (!expected(write)) return false;
    std::visit([this](const auto& what) { add(what); }, write);
    return true;
  });
}

bool StoreWriter::expected(const StoreWrite& write) {
  if (const auto* added = std::get_if<StoredCampaign>(&write)) {
    same_campaign_->bind(1, added->id).bind(2, std::string_view(added->name));
    return same_campaign_->run_for_number() == 0;
  }
  if (const auto* archived = std::get_if<ArchiveWrite>(&write)) return is_there(archived->campaign);
  if (const auto* deleted = std::get_if<DeleteWrite>(&write)) return is_there(deleted->campaign);
  const auto* event = std::get_if<EventWrite>(&write);
  return event == nullptr || event->event.number == head(event->campaign).number + 1;
}

StoreHead& StoreWriter::head(std::int64_t campaign) {
  const auto known = heads_.find(campaign);
  if (known != heads_.end()) return known->second;
  StoreHead found;
  find_head_->bind(1, campaign);
  if (find_head_->step()) {
    found = {static_cast<std::uint64_t>(find_head_->number(0)), find_head_->number(1)};
  }
  find_head_->reset();
  return heads_[campaign] = found;
}

void StoreWriter::add(const StoredCampaign& campaign) {
  add_campaign_->bind(1, campaign.id)
      .bind(2, std::string_view(campaign.name))
      .bind(3, std::string_view(campaign.definition))
      .bind(4, checksum_of(campaign))
      .bind(5, campaign.created_ms)
      .bind(6, std::string_view(campaign.by))
      .run();
  heads_[campaign.id] = {};
}

void StoreWriter::add(const EventWrite& write) {
  const Event& event = write.event;
  const std::int64_t sum = checksum_of(write.campaign, event);
  add_event_->bind(1, key_of(write.campaign, event.number))
      .bind(2, static_cast<std::int64_t>(event.kind))
      .bind(3, write.campaign)
      .bind(4, std::string_view(event.decision))
      .bind(5, event.time_ms)
      .bind_blob(6, event.body)
      .bind(7, sum)
      .bind(8, std::string_view(event.by))
      .run();
  StoreHead& last = head(write.campaign);
  last = {event.number, chained(last.chain, sum)};
}

std::optional<std::int64_t> StoreWriter::chain_at(std::int64_t campaign, std::uint64_t number) {
  const StoreHead& last = head(campaign);
  if (last.number == number) return last.chain;
  find_chain_->bind(1, campaign).bind(2, static_cast<std::int64_t>(number));
  std::optional<std::int64_t> chain;
  if (find_chain_->step()) chain = find_chain_->number(0);
  find_chain_->reset();
  return chain;
}

void StoreWriter::add(const SnapshotWrite& write) {
  const auto chain = chain_at(write.campaign, write.snapshot.number);
  if (!chain) return;
  add_snapshot_->bind(1, write.campaign)
      .bind(2, static_cast<std::int64_t>(write.snapshot.number))
      .bind_blob(3, write.snapshot.body)
      .bind(4, checksum_of(write.campaign, write.snapshot, *chain))
      .bind(5, *chain)
      .bind(6, std::int64_t{0})
      .run();
  drop_old_snapshots(write.campaign);
}

void StoreWriter::drop_old_snapshots(std::int64_t campaign) {
  drop_snapshots_->bind(1, campaign).bind(2, std::int64_t{kSnapshotsKept}).run();
}

void StoreWriter::add(const SnapshotPartWrite& write) {
  if (!is_there(write.campaign)) return;  // deleted meanwhile
  connection_.prepare("INSERT OR REPLACE INTO snapshot_parts VALUES (?, ?, ?, ?)")
      .bind(1, write.campaign)
      .bind(2, static_cast<std::int64_t>(write.number))
      .bind(3, write.part)
      .bind_blob(4, write.body)
      .run();
}

void StoreWriter::add(const SnapshotEndWrite& write) {
  if (!is_there(write.campaign)) return;
  const std::int64_t parts =
      connection_.prepare("SELECT count(*) FROM snapshot_parts WHERE campaign = ? AND number = ?")
          .bind(1, write.campaign)
          .bind(2, static_cast<std::int64_t>(write.number))
          .run_for_number();
  if (parts != write.parts) return;
  add_snapshot_->bind(1, write.campaign)
      .bind(2, static_cast<std::int64_t>(write.number))
      .bind_blob(3, {})
      .bind(4, write.checksum)
      .bind(5, write.chain)
      .bind(6, write.parts)
      .run();
  drop_old_snapshots(write.campaign);
}

void StoreWriter::put_cut(std::int64_t campaign, const StoredCut& cut) {
  connection_.prepare("INSERT OR REPLACE INTO cuts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(1, campaign)
      .bind(2, static_cast<std::int64_t>(cut.number))
      .bind(3, cut.chain)
      .bind(4, cut.time_ms)
      .bind(5, std::int64_t{cut.made ? 1 : 0})
      .bind(6, static_cast<std::int64_t>(cut.purged))
      .bind(7, static_cast<std::int64_t>(cut.dropped))
      .bind(8, cut.dropped_sum)
      .bind(9, checksum_of(campaign, cut))
      .run();
}

void StoreWriter::add(const CutWrite& write) {
  if (write.cut.number == 0) {
    connection_.prepare("DELETE FROM cuts WHERE campaign = ? AND made = 0")
        .bind(1, write.campaign)
        .run();
    return;
  }
  if (!is_there(write.campaign)) return;
  StoredCut cut = write.cut;
  if (!cut.made) {
    find_chain_->bind(1, write.campaign).bind(2, static_cast<std::int64_t>(cut.number));
    const ResetAtEnd reset(*find_chain_);
    if (!find_chain_->step()) return;
    cut.chain = find_chain_->number(0);
  }
  put_cut(write.campaign, cut);
  if (cut.made) drop_old_snapshots(write.campaign);
}

void StoreWriter::add(const CompactWrite& write) {
  if (!is_there(write.campaign)) return;
  Statement remove = connection_.prepare("DELETE FROM events WHERE key = ?");
  for (const std::uint64_t number : write.events) {
    remove.bind(1, key_of(write.campaign, number)).run();
  }
  Statement keep = connection_.prepare("INSERT OR IGNORE INTO settled VALUES (?, ?)");
  for (const std::string& decision : write.decisions) {
    keep.bind(1, write.campaign).bind(2, std::string_view(decision)).run();
  }
  put_cut(write.campaign, write.cut);
}

bool StoreWriter::is_there(std::int64_t campaign) {
  return same_campaign_->bind(1, campaign).bind(2, std::string_view()).run_for_number() > 0;
}

// Rare, so their statements are not kept.

void StoreWriter::add(const ArchiveWrite& write) {
  connection_.prepare("INSERT INTO archives VALUES (?, ?, ?, ?, ?, 1, ?)")
      .bind(1, write.campaign)
      .bind(2, write.archive.time_ms)
      .bind(3, std::string_view(write.archive.by))
      .bind(4, std::string_view(write.archive.brief))
      .bind(5, std::string_view(write.summary))
      .bind(6, checksum_of(write.campaign, write.archive, write.summary))
      .run();
}

void StoreWriter::add(const DropEventsWrite& write) {
  connection_.prepare("UPDATE archives SET has_events = 0 WHERE campaign = ?")
      .bind(1, write.campaign)
      .run();
  drop_events(write.campaign);
}

void StoreWriter::drop_events(std::int64_t campaign) {
  connection_.prepare("INSERT OR IGNORE INTO dropped VALUES (?)").bind(1, campaign).run();
  connection_.prepare("DELETE FROM snapshots WHERE campaign = ?").bind(1, campaign).run();
}

void StoreWriter::add(const DeleteWrite& write) {
  put_head(write.campaign, head(write.campaign));
  heads_.erase(write.campaign);
  connection_
      .prepare(
          "INSERT INTO deleted SELECT id, name, ?2, ?3, number, chain FROM campaigns "
          "JOIN heads ON campaign = id WHERE id = ?1")
      .bind(1, write.campaign)
      .bind(2, write.time_ms)
      .bind(3, std::string_view(write.by))
      .run();
  for (const char* sql :
       {"DELETE FROM campaigns WHERE id = ?", "DELETE FROM heads WHERE campaign = ?",
        "DELETE FROM archives WHERE campaign = ?", "DELETE FROM cuts WHERE campaign = ?"}) {
    connection_.prepare(sql).bind(1, write.campaign).run();
  }
  drop_events(write.campaign);
}

void StoreWriter::add(const PurgeWrite&) {
  connection_
      .prepare(
          (std::string("DELETE FROM snapshot_parts WHERE rowid IN (") + kUnusedParts + " LIMIT ?)")
              .c_str())
      .bind(1, kPartsPurgedAtOnce)
      .run();
  const std::int64_t campaign = connection_.prepare(kPurgeable).run_for_number();
  if (campaign == 0) return;
  const std::int64_t begin = key_of(campaign, 0);
  const std::int64_t end = key_of(campaign + 1, 0);
  connection_
      .prepare(
          "DELETE FROM events WHERE key IN (SELECT key FROM (SELECT key, sum(bytes) OVER (ORDER BY "
          "key) - bytes AS before FROM (SELECT key, length(body) AS bytes FROM events WHERE key >= "
          "?1 AND key < ?2 ORDER BY key LIMIT ?3)) WHERE before < ?4)")
      .bind(1, begin)
      .bind(2, end)
      .bind(3, kPurgedAtOnce)
      .bind(4, kBytesPurgedAtOnce)
      .run();
  if (connection_.prepare("SELECT EXISTS (SELECT 1 FROM events WHERE key >= ? AND key < ?)")
          .bind(1, begin)
          .bind(2, end)
          .run_for_number() > 0) {
    return;
  }
  connection_
      .prepare(
          "DELETE FROM settled WHERE (decision, campaign) IN (SELECT decision, campaign FROM "
          "settled WHERE campaign = ?1 LIMIT ?2)")
      .bind(1, campaign)
      .bind(2, kPurgedAtOnce)
      .run();
  if (connection_.number("SELECT changes()") == kPurgedAtOnce) return;
  if (connection_.prepare("SELECT count(*) FROM snapshot_parts WHERE campaign = ?")
          .bind(1, campaign)
          .run_for_number() > 0) {
    return;
  }
  connection_.prepare("DELETE FROM dropped WHERE campaign = ?").bind(1, campaign).run();
}

}  // namespace updraft
