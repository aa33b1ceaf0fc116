#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <vector>

#include "store/event_store.h"
#include "store/head_file.h"
#include "store/sqlite.h"

namespace updraft {

inline constexpr std::int64_t kKeySpace = std::int64_t{1} << 40;  // events of a campaign

/// In the table of heads: the row about the store, with its commits and whether it is in use.
inline constexpr std::int64_t kStoreRow = 0;

inline std::int64_t key_of(std::int64_t campaign, std::uint64_t number) {
  return campaign * kKeySpace + static_cast<std::int64_t>(number);
}

std::int64_t checksum_of(std::int64_t campaign, const Event& event);
std::int64_t checksum_of(const StoredCampaign& campaign);
std::int64_t checksum_of(std::int64_t campaign, const StoredSnapshot& snapshot, std::int64_t chain);
std::int64_t checksum_of(std::int64_t campaign, const StoredCut& cut);
/// Whether there are events is left out, as it changes.
std::int64_t checksum_of(std::int64_t campaign, const StoredArchive& archive,
                         std::string_view summary);

/// Parts of snapshots that are no more; not those of one that is being written.
inline constexpr const char* kUnusedParts =
    "SELECT rowid FROM snapshot_parts AS part WHERE NOT EXISTS (SELECT 1 FROM snapshots AS one "
    "WHERE one.campaign = part.campaign AND one.number = part.number) AND (EXISTS (SELECT 1 FROM "
    "snapshots AS later WHERE later.campaign = part.campaign AND later.number > part.number) OR "
    "part.campaign IN (SELECT campaign FROM dropped))";

/// Dropped campaigns whose events are to be removed: of those that are deleted, or archived and no
/// longer need them.
inline constexpr const char* kPurgeable =
    "SELECT campaign FROM dropped WHERE campaign NOT IN (SELECT id FROM campaigns LEFT JOIN "
    "archives ON archives.campaign = id WHERE has_events IS NOT 0) LIMIT 1";

/// The path of a file that lies beside a store.
inline std::filesystem::path beside(std::filesystem::path path, const char* suffix) {
  path += suffix;
  return path;
}

/// Writes to a store of the current version, in transactions. Throws StoreError.
class StoreWriter {
 public:
  explicit StoreWriter(const std::filesystem::path& path)
      : connection_(path, Connection::Mode::kReadWrite), head_file_(beside(path, "-head")) {}

  Connection& connection() { return connection_; }
  const HeadFile& head_file() const { return head_file_; }

  /// Once the store has the current version. `commits` is how many it has had.
  void prepare();
  void set_commits(std::uint64_t commits) { commits_ = commits; }

  void begin();
  /// Into the transaction; false where there is a conflict.
  bool write(const std::vector<StoreWrite>& batch);
  /// Of all that was written, with how far the store now reaches.
  void commit();

  /// Of a campaign, with the events of this transaction.
  StoreHead& head(std::int64_t campaign);

 private:
  /// Whether what is there is what the write expects.
  bool expected(const StoreWrite& write);
  void add(const StoredCampaign& campaign);
  void add(const EventWrite& write);
  /// Left out if the chain up to its event is not known: it could not go on from there.
  void add(const SnapshotWrite& write);
  void add(const SnapshotPartWrite& write);
  /// Left out if parts are missing: they are removed once there is a later snapshot.
  void add(const SnapshotEndWrite& write);
  void add(const CutWrite& write);
  void add(const CompactWrite& write);
  void add(const ArchiveWrite& write);
  void add(const DropEventsWrite& write);
  void add(const DeleteWrite& write);
  void add(const PurgeWrite& write);
  void put_cut(std::int64_t campaign, const StoredCut& cut);
  void drop_events(std::int64_t campaign);
  void drop_old_snapshots(std::int64_t campaign);
  bool is_there(std::int64_t campaign);
  /// The chain up to an event: the last one, or one of which there is a snapshot.
  std::optional<std::int64_t> chain_at(std::int64_t campaign, std::uint64_t number);
  void put_head(std::int64_t campaign, const StoreHead& head);

  Connection connection_;
  std::optional<Statement> add_campaign_;
  std::optional<Statement> add_event_;
  std::optional<Statement> add_snapshot_;
  std::optional<Statement> drop_snapshots_;
  std::optional<Statement> find_head_;
  std::optional<Statement> find_chain_;
  std::optional<Statement> set_head_;
  std::optional<Statement> same_campaign_;
  std::unordered_map<std::int64_t, StoreHead> heads_;  // of campaigns in this transaction
  HeadFile head_file_;
  std::uint64_t commits_ = 0;
};

}  // namespace updraft
