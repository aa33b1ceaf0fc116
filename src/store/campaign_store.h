#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/event_store.h"
#include "store/sqlite.h"

namespace updraft {

/// An EventStore in an SQLite file, with a checksum for each event and snapshot. Format:
/// docs/formats/store.md. Where a StoreError says that the store is damaged, its text says what is
/// and what can be done.
class CampaignStore final : public EventStore {
 public:
  enum class Mode { kRead, kWrite };

  /// kWrite: makes it where there is none, brings an older one to the current version, and keeps
  /// others from writing until this is gone.
  CampaignStore(const std::filesystem::path& path, Mode mode);
  ~CampaignStore() override;

  std::vector<StoredCampaign> campaigns() const override;
  /// The newest first.
  std::vector<StoredSnapshot> snapshots(const StoredCampaign& campaign) const;
  std::optional<StoredSnapshot> last_snapshot(const StoredCampaign& campaign) const override;
  void for_each_event(const StoredCampaign& campaign, std::uint64_t after,
                      const std::function<void(const Event&)>& visit) const override;
  std::vector<Event> events_of(const StoredCampaign& campaign,
                               std::string_view decision) const override;

  std::int64_t new_campaign_id() const override;

  AppendResult write(const std::vector<StoreWrite>& batch) override;
  /// The same of batches that `next` gives, until one is empty, in one transaction.
  AppendResult write_all(const std::function<std::vector<StoreWrite>()>& next);

  /// The most that the file may grow to, in pages of SQLite; then the disk counts as full.
  void limit_pages(std::int64_t pages);

  /// What SQLite finds wrong with the file, one sentence each. Reads all of it.
  std::vector<std::string> defects() const;

 private:
  struct Writer;

  void prepare_for_writing();
  /// Commits if `work` says so, else there is a conflict.
  AppendResult in_transaction(const std::function<bool()>& work);
  Event checked_event(const StoredCampaign& campaign, const Statement& row) const;
  StoredSnapshot snapshot_in(const StoredCampaign& campaign, const Statement& row) const;

  std::filesystem::path path_;
  int lock_ = -1;
  mutable std::mutex reading_;
  mutable std::optional<Connection> reader_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace updraft
