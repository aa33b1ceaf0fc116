// What is written besides events, within a transaction that holds the row of the campaign.

#include "store/postgres_queries.h"
#include "store/postgres_writer.h"
#include "store/store_writer.h"

namespace updraft {
namespace {

constexpr std::int64_t kRowsPurgedAtOnce = 1000;
constexpr std::int64_t kPiecesPurgedAtOnce = 4;

}  // namespace

std::optional<std::int64_t> PostgresWriter::chain_of_snapshot(std::int64_t campaign,
                                                              std::uint64_t number) {
  const PqRows rows = connection_->run(
      "SELECT chain FROM updraft.snapshots WHERE campaign = $1::int8 AND number = $2::int8",
      PqParams().add(campaign).add(as_int8(number)));
  return rows.size() > 0 ? std::optional(rows.number(0, 0)) : std::nullopt;
}

void PostgresWriter::put_snapshot(std::int64_t campaign, const StoredSnapshot& snapshot,
                                  std::int64_t checksum, std::int64_t chain, std::int64_t parts) {
  connection_->run(
      "INSERT INTO updraft.snapshots VALUES ($1::int8, $2::int8, $3::bytea, $4::int8, $5::int8, "
      "$6::int8) ON CONFLICT (campaign, number) DO UPDATE SET body = excluded.body, checksum = "
      "excluded.checksum, chain = excluded.chain, parts = excluded.parts",
      PqParams()
          .add(campaign)
          .add(as_int8(snapshot.number))
          .add(snapshot.body)
          .add(checksum)
          .add(chain)
          .add(parts));
  drop_old_snapshots(campaign);
}

void PostgresWriter::drop_old_snapshots(std::int64_t campaign) {
  connection_->run(
      "DELETE FROM updraft.snapshots WHERE campaign = $1::int8 AND (number < (SELECT max(number) "
      "FROM updraft.cuts WHERE campaign = $1::int8 AND made = 1) OR number NOT IN (SELECT number "
      "FROM updraft.snapshots WHERE campaign = $1::int8 ORDER BY number DESC LIMIT 2) AND number "
      "NOT IN (SELECT number FROM updraft.cuts WHERE campaign = $1::int8))",
      PqParams().add(campaign));
}

void PostgresWriter::add(const SnapshotWrite& write) {
  const StoreHead& head = changes_.at(write.campaign).now;
  const auto chain = head.number == write.snapshot.number
                         ? std::optional(head.chain)
                         : chain_of_snapshot(write.campaign, write.snapshot.number);
  if (!chain) return;  // it could not go on from there
  put_snapshot(write.campaign, write.snapshot, checksum_of(write.campaign, write.snapshot, *chain),
               *chain, 0);
}

void PostgresWriter::add(const SnapshotPartWrite& write) {
  connection_->run(
      "INSERT INTO updraft.snapshot_parts VALUES ($1::int8, $2::int8, $3::int8, $4::bytea) ON "
      "CONFLICT (campaign, number, part) DO UPDATE SET body = excluded.body",
      PqParams().add(write.campaign).add(as_int8(write.number)).add(write.part).add(write.body));
}

void PostgresWriter::add(const SnapshotEndWrite& write) {
  const PqRows parts = connection_->run(
      "SELECT count(*) FROM updraft.snapshot_parts WHERE campaign = $1::int8 AND number = $2::int8",
      PqParams().add(write.campaign).add(as_int8(write.number)));
  if (parts.number(0, 0) != write.parts) return;  // removed once there is a later snapshot
  put_snapshot(write.campaign, {.number = write.number}, write.checksum, write.chain, write.parts);
}

void PostgresWriter::put_cut(std::int64_t campaign, const StoredCut& cut) {
  connection_->run(
      "INSERT INTO updraft.cuts VALUES ($1::int8, $2::int8, $3::int8, $4::int8, $5::int8, "
      "$6::int8, "
      "$7::int8, $8::int8, $9::int8) ON CONFLICT (campaign, number) DO UPDATE SET chain = "
      "excluded.chain, time_ms = excluded.time_ms, made = excluded.made, purged = excluded.purged, "
      "dropped = excluded.dropped, dropped_sum = excluded.dropped_sum, checksum = "
      "excluded.checksum",
      PqParams()
          .add(campaign)
          .add(as_int8(cut.number))
          .add(cut.chain)
          .add(cut.time_ms)
          .add(std::int64_t{cut.made ? 1 : 0})
          .add(as_int8(cut.purged))
          .add(as_int8(cut.dropped))
          .add(cut.dropped_sum)
          .add(checksum_of(campaign, cut)));
}

void PostgresWriter::add(const CutWrite& write) {
  if (write.cut.number == 0) {
    connection_->run("DELETE FROM updraft.cuts WHERE campaign = $1::int8 AND made = 0",
                     PqParams().add(write.campaign));
    return;
  }
  StoredCut cut = write.cut;
  if (!cut.made) {
    const auto chain = chain_of_snapshot(write.campaign, cut.number);
    if (!chain) return;
    cut.chain = *chain;
  }
  put_cut(write.campaign, cut);
  if (cut.made) drop_old_snapshots(write.campaign);
}

void PostgresWriter::add(const CompactWrite& write) {
  std::vector<std::int64_t> numbers;
  for (const std::uint64_t number : write.events) numbers.push_back(as_int8(number));
  connection_->run(
      "DELETE FROM updraft.events WHERE campaign = $1::int8 AND number = ANY ($2::int8[])",
      PqParams().add(write.campaign).add(numbers));
  const std::vector<std::string_view> decisions(write.decisions.begin(), write.decisions.end());
  connection_->run(
      "INSERT INTO updraft.settled SELECT $1::int8, unnest($2::bytea[]) ON CONFLICT DO NOTHING",
      PqParams().add(write.campaign).add_blobs(decisions));
  put_cut(write.campaign, write.cut);
}

void PostgresWriter::add(const ArchiveWrite& write) {
  connection_->run(
      "INSERT INTO updraft.archives VALUES ($1::int8, $2::int8, $3::bytea, $4::bytea, $5::bytea, "
      "1, "
      "$6::int8)",
      PqParams()
          .add(write.campaign)
          .add(write.archive.time_ms)
          .add(write.archive.by)
          .add(write.archive.brief)
          .add(write.summary)
          .add(checksum_of(write.campaign, write.archive, write.summary)));
}

void PostgresWriter::add(const DropEventsWrite& write) {
  connection_->run("UPDATE updraft.archives SET has_events = 0 WHERE campaign = $1::int8",
                   PqParams().add(write.campaign));
  drop_events(write.campaign);
}

void PostgresWriter::drop_events(std::int64_t campaign) {
  connection_->run("INSERT INTO updraft.dropped VALUES ($1::int8) ON CONFLICT DO NOTHING",
                   PqParams().add(campaign));
  connection_->run("DELETE FROM updraft.snapshots WHERE campaign = $1::int8",
                   PqParams().add(campaign));
}

void PostgresWriter::add(const DeleteWrite& write) {
  connection_->run(
      "INSERT INTO updraft.deleted SELECT id, name, $2::int8, $3::bytea, number, chain FROM "
      "updraft.campaigns JOIN updraft.leases ON campaign = id WHERE id = $1::int8",
      PqParams().add(write.campaign).add(write.time_ms).add(write.by));
  drop_events(write.campaign);
  for (const char* sql : {"DELETE FROM updraft.campaigns WHERE id = $1::int8",
                          "DELETE FROM updraft.archives WHERE campaign = $1::int8",
                          "DELETE FROM updraft.cuts WHERE campaign = $1::int8",
                          "DELETE FROM updraft.leases WHERE campaign = $1::int8"}) {
    connection_->run(sql, PqParams().add(write.campaign));
  }
  deleted_.insert(write.campaign);
  changes_.erase(write.campaign);
}

void PostgresWriter::add(const PurgeWrite&) {
  connection_->run(("DELETE FROM updraft.snapshot_parts WHERE (campaign, number, part) IN (" +
                    std::string(kUnusedPartsInPostgres) + ")")
                       .c_str(),
                   PqParams().add(kPiecesPurgedAtOnce));
  const PqRows purgeable = connection_->run(kPurgeableInPostgres);
  if (purgeable.size() == 0) return;
  const std::int64_t campaign = purgeable.number(0, 0);
  const auto remove = [&](const char* sql) {
    const PqRows removed = connection_->run(sql, PqParams().add(campaign).add(kRowsPurgedAtOnce));
    return removed.size() == kRowsPurgedAtOnce;  // there may be more
  };
  if (remove("DELETE FROM updraft.events WHERE (campaign, number) IN (SELECT campaign, number FROM "
             "updraft.events WHERE campaign = $1::int8 LIMIT $2::int8) RETURNING number") ||
      remove("DELETE FROM updraft.settled WHERE (campaign, decision) IN (SELECT campaign, decision "
             "FROM updraft.settled WHERE campaign = $1::int8 LIMIT $2::int8) RETURNING campaign")) {
    return;
  }
  connection_->run(
      "DELETE FROM updraft.dropped WHERE campaign = $1::int8 AND NOT EXISTS (SELECT 1 FROM "
      "updraft.snapshot_parts WHERE campaign = $1::int8)",
      PqParams().add(campaign));
}

}  // namespace updraft
