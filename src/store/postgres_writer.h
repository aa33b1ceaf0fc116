#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/event_store.h"
#include "store/postgres_leases.h"
#include "store/pq.h"

namespace updraft {

/// Writes to a store in PostgreSQL. Events are appended by one statement, which compares epoch and
/// head of each campaign under the lock of its row; a batch of nothing else is that statement, and
/// any other batch is a transaction in which the statement comes first. Throws StoreError; of the
/// kind kInDoubt, nothing is claimed any more.
class PostgresWriter {
 public:
  PostgresWriter(std::string url, PostgresLeases& leases) : url_(std::move(url)), leases_(leases) {}

  /// Leaves out what concerns campaigns that are not claimed, or were taken, or are to be made and
  /// are there, or whose events have other numbers than the next.
  Taken write_apart(const std::vector<StoreWrite>& batch);
  /// All or nothing.
  AppendResult write_all(const std::function<std::vector<StoreWrite>()>& next);

 private:
  /// What this batch does to a campaign.
  struct Change {
    PostgresLeases::Lease before;  ///< as the database has it, with what was sent so far
    StoreHead now;                 ///< with what was not sent yet
    bool is_new = false;
    bool is_sent = false;  ///< some of it
  };
  struct Row {
    std::int64_t campaign = 0;
    const Event* event = nullptr;
    std::int64_t checksum = 0;
  };

  PqConnection& connection();
  void begin();
  /// Runs `work` and commits if it says so; otherwise nothing is written.
  bool in_transaction(const std::function<bool()>& work);
  void write(const StoreWrite& write);
  /// Of a campaign that can be written; null if not, and then it counts as taken.
  Change* change_of(std::int64_t campaign);
  void take(const EventWrite& write);
  /// Sends the events that were taken so far, and locks the rows of their campaigns.
  void send_events(bool is_commit);
  /// Locks the row of the campaign; whether its epoch is that of this node.
  bool lock(std::int64_t campaign);
  void kept();

  void add(const StoredCampaign& campaign);
  void add(const EventWrite& write) { take(write); }
  void add(const SnapshotWrite& write);
  void add(const SnapshotPartWrite& write);
  void add(const SnapshotEndWrite& write);
  void add(const CutWrite& write);
  void add(const CompactWrite& write);
  void add(const ArchiveWrite& write);
  void add(const DropEventsWrite& write);
  void add(const DeleteWrite& write);
  void add(const PurgeWrite& write);
  void put_snapshot(std::int64_t campaign, const StoredSnapshot& snapshot, std::int64_t checksum,
                    std::int64_t chain, std::int64_t parts);
  void put_cut(std::int64_t campaign, const StoredCut& cut);
  void drop_old_snapshots(std::int64_t campaign);
  void drop_events(std::int64_t campaign);
  std::optional<std::int64_t> chain_of_snapshot(std::int64_t campaign, std::uint64_t number);

  const std::string url_;
  PostgresLeases& leases_;
  std::unique_ptr<PqConnection> connection_;
  // Of the batch:
  PostgresLeases::Clock::time_point begun_;
  std::map<std::int64_t, Change> changes_;
  std::vector<Row> rows_;  // that were not sent yet
  Taken taken_;
  std::set<std::int64_t> deleted_;
  bool torn_ = false;  // a campaign would be written in part
};

}  // namespace updraft
