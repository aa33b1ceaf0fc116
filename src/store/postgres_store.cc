#include "store/postgres_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checksum.h"
#include "store/postgres_queries.h"
#include "store/postgres_schema.h"
#include "store/store_schema.h"
#include "store/store_writer.h"

namespace updraft {
namespace {

constexpr std::size_t kReaders = 8;  // connections
constexpr const char* kEventsGiveIt = "the events give the same state";
constexpr const char* kRestoreIt = "restore a backup";

[[noreturn]] void damaged_store(const std::string& what, const char* remedy) {
  throw StoreError(fmt::format("the store in PostgreSQL is damaged: {}; {}", what, remedy),
                   StoreError::Kind::kDamaged);
}

}  // namespace

bool is_postgres(std::string_view store) {
  return store.starts_with("postgresql://") || store.starts_with("postgres://");
}

std::string shown_store(std::string_view store) {
  if (!is_postgres(store)) return std::string(store);
  const std::size_t begin = store.find("://") + 3;
  const std::string_view rest = store.substr(begin, store.find('?') - begin);
  const std::size_t at = rest.rfind('@');
  return std::string(store.substr(0, begin)) +
         std::string(at == rest.npos ? rest : rest.substr(at + 1));
}

PostgresStore::PostgresStore(std::string url) : readers_(url, kReaders) {
  PqConnection connection(url);
  check_tables(connection);
  leases_ = std::make_unique<PostgresLeases>(url, StoreNode(), nullptr);
}

PostgresStore::PostgresStore(std::string url, StoreNode node,
                             std::function<void(const std::string&)> log)
    : readers_(url, kReaders) {
  {
    PqConnection connection(url);
    prepare_tables(connection);
  }
  leases_ = std::make_unique<PostgresLeases>(url, std::move(node), std::move(log));
  writer_ = std::make_unique<PostgresWriter>(url, *leases_);
}

PostgresStore::~PostgresStore() { writer_.reset(); }

std::vector<StoredCampaign> PostgresStore::campaigns_where(const char* condition,
                                                           const PqParams& params) const {
  return readers_.read([&](PqConnection& connection) {
    const PqRows rows = connection.run(
        fmt::format("SELECT id, name, definition, campaigns.checksum, created_ms, created_by, "
                    "coalesce(time_ms, 0), coalesce(done_by, ''), coalesce(brief, ''), "
                    "coalesce(has_events, 1) FROM updraft.campaigns LEFT JOIN updraft.archives ON "
                    "campaign = id {} ORDER BY id",
                    condition)
            .c_str(),
        params);
    std::vector<StoredCampaign> out;
    for (int row = 0; row < rows.size(); ++row) {
      StoredCampaign& one = out.emplace_back(StoredCampaign{
          rows.number(row, 0), std::string(rows.bytes(row, 1)), std::string(rows.bytes(row, 2)),
          rows.number(row, 4), std::string(rows.bytes(row, 5))});
      if (rows.number(row, 3) != checksum_of(one)) {
        damaged_store(fmt::format("the definition of campaign {}", one.id), kRestoreIt);
      }
      if (rows.bytes(row, 8).empty()) continue;
      one.archive = {rows.number(row, 6), std::string(rows.bytes(row, 7)),
                     std::string(rows.bytes(row, 8)), rows.number(row, 9) != 0};
    }
    return out;
  });
}

std::vector<StoredCampaign> PostgresStore::campaigns() const { return campaigns_where("", {}); }

std::optional<StoredCampaign> PostgresStore::find_campaign(std::string_view name) const {
  std::vector<StoredCampaign> found = campaigns_where("WHERE name = $1", PqParams().add(name));
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::vector<PostgresStore::SnapshotRow> PostgresStore::snapshot_rows(
    const StoredCampaign& campaign) const {
  return readers_.read([&](PqConnection& connection) {
    const PqRows rows = connection.run(
        "SELECT number, body, checksum, chain, parts FROM updraft.snapshots WHERE campaign = "
        "$1::int8 ORDER BY number DESC",
        PqParams().add(campaign.id));
    std::vector<SnapshotRow> out;
    for (int row = 0; row < rows.size(); ++row) {
      out.push_back({{static_cast<std::uint64_t>(rows.number(row, 0)),
                      std::string(rows.bytes(row, 1)), rows.number(row, 3)},
                     rows.number(row, 2),
                     rows.number(row, 4)});
    }
    return out;
  });
}

StoredSnapshot PostgresStore::whole(const StoredCampaign& campaign, SnapshotRow row) const {
  StoredSnapshot snapshot = std::move(row.snapshot);
  const auto of_campaign = [&] {
    return PqParams().add(campaign.id).add(as_int8(snapshot.number));
  };
  for (std::int64_t part = 1; part <= row.parts; ++part) {
    readers_.read([&](PqConnection& connection) {
      const PqRows rows = connection.run(
          "SELECT body FROM updraft.snapshot_parts WHERE campaign = $1::int8 AND number = $2::int8 "
          "AND part = $3::int8",
          of_campaign().add(part));
      if (rows.size() > 0) snapshot.body.append(rows.bytes(0, 0));
    });
  }
  if (row.checksum == checksum_of(campaign.id, snapshot, snapshot.chain)) return snapshot;
  const bool is_there = readers_.read([&](PqConnection& connection) {
    return connection
               .run(
                   "SELECT 1::int8 FROM updraft.snapshots WHERE campaign = $1::int8 AND "
                   "number = $2::int8",
                   of_campaign())
               .size() > 0;
  });
  if (!is_there) {
    throw StoreError(
        fmt::format("a snapshot of campaign {} was removed meanwhile: try again", campaign.name),
        StoreError::Kind::kOther);
  }
  damaged_store(
      fmt::format("the snapshot of campaign {} after event {}", campaign.name, snapshot.number),
      kEventsGiveIt);
}

std::vector<StoredSnapshot> PostgresStore::snapshots(const StoredCampaign& campaign) const {
  std::vector<StoredSnapshot> out;
  for (SnapshotRow& row : snapshot_rows(campaign)) out.push_back(whole(campaign, std::move(row)));
  return out;
}

std::optional<StoredSnapshot> PostgresStore::last_snapshot(const StoredCampaign& campaign) const {
  std::vector<SnapshotRow> rows = snapshot_rows(campaign);
  if (rows.empty()) return std::nullopt;
  return whole(campaign, std::move(rows.front()));
}

std::optional<StoredSnapshot> PostgresStore::snapshot_at(const StoredCampaign& campaign,
                                                         std::uint64_t number) const {
  for (SnapshotRow& row : snapshot_rows(campaign)) {
    if (row.snapshot.number == number) return whole(campaign, std::move(row));
  }
  return std::nullopt;
}

std::uint64_t PostgresStore::last_snapshot_number(const StoredCampaign& campaign) const {
  return readers_.read([&](PqConnection& connection) {
    return static_cast<std::uint64_t>(
        connection
            .run("SELECT coalesce(max(number), 0) FROM updraft.snapshots WHERE campaign = $1::int8",
                 PqParams().add(campaign.id))
            .number(0, 0));
  });
}

std::vector<StoredCut> PostgresStore::cuts_where(const StoredCampaign& campaign,
                                                 const char* condition) const {
  return readers_.read([&](PqConnection& connection) {
    const PqRows rows = connection.run(
        fmt::format("SELECT number, chain, time_ms, made, purged, dropped, dropped_sum, checksum "
                    "FROM updraft.cuts WHERE campaign = $1::int8 AND {} ORDER BY number",
                    condition)
            .c_str(),
        PqParams().add(campaign.id));
    std::vector<StoredCut> out;
    for (int row = 0; row < rows.size(); ++row) {
      out.push_back({static_cast<std::uint64_t>(rows.number(row, 0)), rows.number(row, 1),
                     rows.number(row, 2), rows.number(row, 3) != 0,
                     static_cast<std::uint64_t>(rows.number(row, 4)),
                     static_cast<std::uint64_t>(rows.number(row, 5)), rows.number(row, 6)});
      if (rows.number(row, 7) != checksum_of(campaign.id, out.back())) {
        damaged_store(fmt::format("where the events of campaign {} begin", campaign.name),
                      kRestoreIt);
      }
    }
    return out;
  });
}

std::vector<StoredCut> PostgresStore::cuts(const StoredCampaign& campaign) const {
  return cuts_where(campaign, "made = 1");
}

std::optional<StoredCut> PostgresStore::cut_of(const StoredCampaign& campaign) const {
  const std::vector<StoredCut> made = cuts(campaign);
  return made.empty() ? std::nullopt : std::optional(made.back());
}

std::optional<StoredCut> PostgresStore::planned_cut(const StoredCampaign& campaign) const {
  const std::vector<StoredCut> planned = cuts_where(campaign, "made = 0");
  return planned.empty() ? std::nullopt : std::optional(planned.back());
}

bool PostgresStore::was_compacted(const StoredCampaign& campaign, std::string_view decision) const {
  return readers_.read([&](PqConnection& connection) {
    return connection
               .run(
                   "SELECT 1::int8 FROM updraft.settled WHERE campaign = $1::int8 AND decision = "
                   "$2::bytea",
                   PqParams().add(campaign.id).add(decision))
               .size() > 0;
  });
}

void PostgresStore::check_compacted(const StoredCampaign& campaign) const {
  constexpr std::int64_t kAtOnce = 10'000;
  readers_.read([&](PqConnection& connection) {
    // As of one moment.
    connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    StoredCut found;
    StoredCut known;
    const PqRows cut = connection.run(
        "SELECT dropped, dropped_sum FROM updraft.cuts WHERE campaign = $1::int8 AND made = 1 "
        "ORDER "
        "BY number DESC LIMIT 1",
        PqParams().add(campaign.id));
    if (cut.size() > 0) {
      known.dropped = static_cast<std::uint64_t>(cut.number(0, 0));
      known.dropped_sum = cut.number(0, 1);
    }
    std::string last;
    for (bool more = true; more;) {
      const PqRows rows = connection.run(
          "SELECT decision FROM updraft.settled WHERE campaign = $1::int8 AND decision > $2::bytea "
          "ORDER BY decision LIMIT $3::int8",
          PqParams().add(campaign.id).add(last).add(kAtOnce));
      for (int row = 0; row < rows.size(); ++row, ++found.dropped) {
        found.dropped_sum += checksum(rows.bytes(row, 0));
      }
      more = rows.size() == kAtOnce;
      if (more) last = rows.bytes(rows.size() - 1, 0);
    }
    connection.run("COMMIT");
    if (found.dropped != known.dropped || found.dropped_sum != known.dropped_sum) {
      damaged_store(fmt::format("the ids of decisions of campaign {} whose events were dropped",
                                campaign.name),
                    kRestoreIt);
    }
  });
}

std::string PostgresStore::archive_summary(const StoredCampaign& campaign) const {
  return readers_.read([&](PqConnection& connection) {
    const PqRows rows =
        connection.run("SELECT summary, checksum FROM updraft.archives WHERE campaign = $1::int8",
                       PqParams().add(campaign.id));
    if (!campaign.archive || rows.size() == 0) {
      damaged_store(fmt::format("the archive of campaign {} is missing", campaign.name),
                    kRestoreIt);
    }
    std::string summary(rows.bytes(0, 0));
    if (rows.number(0, 1) != checksum_of(campaign.id, *campaign.archive, summary)) {
      damaged_store(fmt::format("the archive of campaign {}", campaign.name), kRestoreIt);
    }
    return summary;
  });
}

bool PostgresStore::has_dropped() const {
  return readers_.read([&](PqConnection& connection) {
    return connection.run(kPurgeableInPostgres).size() > 0 ||
           connection.run(kUnusedPartsInPostgres, PqParams().add(std::int64_t{1})).size() > 0;
  });
}

std::vector<NamedHead> PostgresStore::heads_of(std::string_view name) const {
  return readers_.read([&](PqConnection& connection) {
    const PqRows rows = connection.run(
        "SELECT id, number, chain FROM updraft.campaigns JOIN updraft.leases ON campaign = id "
        "WHERE "
        "name = $1 UNION ALL SELECT campaign, number, chain FROM updraft.deleted WHERE name = $1",
        PqParams().add(name));
    std::vector<NamedHead> out;
    for (int row = 0; row < rows.size(); ++row) {
      out.push_back({rows.number(row, 0),
                     {static_cast<std::uint64_t>(rows.number(row, 1)), rows.number(row, 2)}});
    }
    return out;
  });
}

std::int64_t PostgresStore::new_campaign_id() const {
  return readers_.read([&](PqConnection& connection) {
    return connection
        .run(
            "SELECT greatest(nextval('updraft.campaign_ids'), (SELECT 1 + max(id) FROM (SELECT id "
            "FROM updraft.campaigns UNION ALL SELECT campaign FROM updraft.deleted) AS known))")
        .number(0, 0);
  });
}

AppendResult PostgresStore::write(const std::vector<StoreWrite>& batch) {
  bool given = false;
  return write_all([&] { return std::exchange(given, true) ? std::vector<StoreWrite>() : batch; });
}

AppendResult PostgresStore::write_all(const std::function<std::vector<StoreWrite>()>& next) {
  const std::lock_guard lock(writing_);
  return writer_->write_all(next);
}

std::optional<Taken> PostgresStore::write_apart(const std::vector<StoreWrite>& batch) {
  const std::lock_guard lock(writing_);
  return writer_->write_apart(batch);
}

}  // namespace updraft
