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

class StoreWriter;

/// An EventStore in an SQLite file, with a checksum for each event and snapshot, and one over all
/// events of a campaign, which for_each_event() compares. Format: docs/formats/store.md. Where a
/// StoreError says that the store is damaged, its text says what is and what can be done.
class CampaignStore final : public EventStore {
 public:
  enum class Mode { kRead, kWrite };

  /// kWrite: makes it where there is no file, brings an older one to the current version, and keeps
  /// others from writing until this is gone. A file that is empty, or that has lost the end of what
  /// was acknowledged, is refused.
  CampaignStore(const std::filesystem::path& path, Mode mode);
  ~CampaignStore() override;

  std::vector<StoredCampaign> campaigns() const override;
  std::vector<StoredSnapshot> snapshots(const StoredCampaign& campaign) const override;
  std::optional<StoredSnapshot> last_snapshot(const StoredCampaign& campaign) const override;
  void for_each_event(const StoredCampaign& campaign, std::uint64_t after,
                      const std::function<void(const Event&)>& visit) const override;
  std::vector<Event> events_after(const StoredCampaign& campaign, std::uint64_t after,
                                  std::size_t most) const override;
  std::vector<Event> events_of(const StoredCampaign& campaign,
                               std::string_view decision) const override;

  std::optional<StoredCut> cut_of(const StoredCampaign& campaign) const override;
  std::optional<StoredCut> planned_cut(const StoredCampaign& campaign) const override;
  std::optional<StoredSnapshot> snapshot_at(const StoredCampaign& campaign,
                                            std::uint64_t number) const override;
  std::uint64_t last_snapshot_number(const StoredCampaign& campaign) const override;
  std::vector<Event> events_between(const StoredCampaign& campaign, std::uint64_t after,
                                    std::uint64_t until, std::size_t most) const override;
  bool was_compacted(const StoredCampaign& campaign, std::string_view decision) const override;
  void check_compacted(const StoredCampaign& campaign) const override;
  std::vector<StoredCut> cuts(const StoredCampaign& campaign) const override;
  std::int64_t chain_at(const StoredCampaign& campaign, std::uint64_t number) const override;

  std::string archive_summary(const StoredCampaign& campaign) const override;
  bool has_dropped() const override;

  std::vector<NamedHead> heads_of(std::string_view name) const override;

  std::int64_t new_campaign_id() const override;

  AppendResult write(const std::vector<StoreWrite>& batch) override;
  AppendResult write_all(const std::function<std::vector<StoreWrite>()>& next) override;

  /// The most that the file may grow to, in pages of SQLite; then the disk counts as full.
  void limit_pages(std::int64_t pages);

  /// Copies all of it, as of one moment, into a new file. Others may write meanwhile.
  void back_up(const std::filesystem::path& target) const;

  /// What SQLite finds wrong with the file, one sentence each. Reads all of it.
  std::vector<std::string> defects() const override;

 private:
  /// How far the events of a campaign reach, and what they are chained to.
  struct Reach {
    std::uint64_t last = 0;
    std::int64_t chain = 0;                   ///< of all events up to the last
    std::optional<std::int64_t> before = {};  ///< of those that are not read; absent if not known
  };
  struct Link {
    Event event;
    std::int64_t checksum = 0;
  };

  void prepare_for_writing();
  void check_whole(bool has_log);
  Reach reach_of(const StoredCampaign& campaign, std::uint64_t after) const;
  /// The next events from `first` on, fewer than `most` where they are large, but at least one if
  /// there is any; throws where one is missing or damaged.
  std::optional<std::uint64_t> read_links(const StoredCampaign& campaign, std::uint64_t first,
                                          std::size_t most, std::vector<Link>& links) const;
  /// Throws StoreError: damaged, unless a cut was made while events were read.
  [[noreturn]] void missing_events(const StoredCampaign& campaign, std::uint64_t first,
                                   std::uint64_t last) const;
  bool has_snapshot(const StoredCampaign& campaign, std::uint64_t number) const;
  std::vector<Link> links_from(const StoredCampaign& campaign, std::uint64_t first,
                               std::size_t most) const;
  /// Commits if `work` says so, else there is a conflict.
  AppendResult in_transaction(const std::function<bool()>& work);
  Event checked_event(const StoredCampaign& campaign, const Statement& row) const;
  /// What a row of snapshots says, and how many parts it is in.
  struct SnapshotRow {
    StoredSnapshot snapshot;
    std::int64_t checksum = 0;
    std::int64_t chain = 0;
    std::int64_t parts = 0;
  };
  std::vector<SnapshotRow> snapshot_rows(const StoredCampaign& campaign) const;
  /// With its parts, one at a time, so that nobody waits for long.
  StoredSnapshot whole(const StoredCampaign& campaign, SnapshotRow row) const;
  std::vector<StoredCut> cuts_where(const StoredCampaign& campaign, const char* condition) const;
  std::vector<StoredCut> cuts_of(Connection& connection, const StoredCampaign& campaign,
                                 const char* condition) const;

  std::filesystem::path path_;
  int lock_ = -1;
  mutable std::mutex reading_;
  mutable std::optional<Connection> reader_;
  mutable std::optional<Statement> find_events_;  // of the reader; for each new decision
  std::unique_ptr<StoreWriter> writer_;
};

}  // namespace updraft
