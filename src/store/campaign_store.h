#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/event.h"
#include "store/sqlite.h"

namespace updraft {

struct StoredCampaign {
  std::int64_t id = 0;  ///< 1, 2, 3, ...
  std::string name;
  std::string definition;  ///< CampaignDefinition::canonical
};

/// The state of a campaign after its event `number`.
struct StoredSnapshot {
  std::uint64_t number = 0;
  std::string body;
};

// What is written, for the campaign with this id.
struct EventWrite {
  std::int64_t campaign = 0;
  Event event;
};
struct SnapshotWrite {
  std::int64_t campaign = 0;
  StoredSnapshot snapshot;
};
using StoreWrite = std::variant<StoredCampaign, EventWrite, SnapshotWrite>;

/// Events and snapshots of campaigns in an SQLite file, with a checksum each. Format:
/// docs/formats/store.md. Reading is safe for many threads, writing is for one at a time.
/// All throw StoreError; where that says the store is damaged, its text says what is and what can
/// be done.
class CampaignStore {
 public:
  enum class Mode { kRead, kWrite };

  /// kWrite: makes it where there is none, brings an older one to the current version, and keeps
  /// others from writing until this is gone.
  CampaignStore(const std::filesystem::path& path, Mode mode);
  ~CampaignStore();
  CampaignStore(const CampaignStore&) = delete;
  CampaignStore& operator=(const CampaignStore&) = delete;

  std::vector<StoredCampaign> campaigns() const;
  /// The newest first.
  std::vector<StoredSnapshot> snapshots(const StoredCampaign& campaign) const;
  std::optional<StoredSnapshot> last_snapshot(const StoredCampaign& campaign) const;
  /// All after number `after`, in order; throws where one is missing or damaged.
  void for_each_event(const StoredCampaign& campaign, std::uint64_t after,
                      const std::function<void(const Event&)>& visit) const;
  /// Those about one decision, in order.
  std::vector<Event> events_of(const StoredCampaign& campaign, std::string_view decision) const;

  /// All or nothing; on return it is on disk. Older snapshots but one of a campaign are dropped.
  void write(const std::vector<StoreWrite>& batch);
  /// The same of batches that `next` gives, until one is empty.
  void write_all(const std::function<std::vector<StoreWrite>()>& next);

  /// The most that the file may grow to, in pages of SQLite; then the disk counts as full.
  void limit_pages(std::int64_t pages);

  /// What SQLite finds wrong with the file, one sentence each. Reads all of it.
  std::vector<std::string> defects() const;

 private:
  struct Writer;

  void prepare_for_writing();
  void in_transaction(const std::function<void()>& work);
  Event checked_event(const StoredCampaign& campaign, const Statement& row) const;
  StoredSnapshot snapshot_in(const StoredCampaign& campaign, const Statement& row) const;

  std::filesystem::path path_;
  int lock_ = -1;
  mutable std::mutex reading_;
  mutable std::optional<Connection> reader_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace updraft
