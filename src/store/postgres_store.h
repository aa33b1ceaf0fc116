#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/event_store.h"
#include "store/postgres_leases.h"
#include "store/postgres_writer.h"
#include "store/pq_pool.h"

namespace updraft {

/// Whether the name of a store is the address of a database.
bool is_postgres(std::string_view store);

/// What may be shown of the name of a store: of an address, neither user, password nor parameters.
std::string shown_store(std::string_view store);

/// An EventStore in PostgreSQL, which several programs may write at once: each campaign by the one
/// that has claimed it. Checksums and chains are those of CampaignStore. docs/formats/store.md
///
/// What write() keeps is committed, and on a synchronous standby if the server has one. Its owner
/// must claim a campaign before writing it; a campaign that it makes is its own.
class PostgresStore final : public EventStore {
 public:
  /// A reader.
  explicit PostgresStore(std::string url);
  /// A writer. Makes the tables if there are none.
  PostgresStore(std::string url, StoreNode node, std::function<void(const std::string&)> log = {});
  ~PostgresStore() override;

  std::vector<StoredCampaign> campaigns() const override;
  std::optional<StoredCampaign> find_campaign(std::string_view name) const override;
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
  std::vector<NamedHead> heads_of(std::string_view name) const override;

  std::string archive_summary(const StoredCampaign& campaign) const override;
  bool has_dropped() const override;
  std::int64_t new_campaign_id() const override;

  AppendResult write(const std::vector<StoreWrite>& batch) override;
  AppendResult write_all(const std::function<std::vector<StoreWrite>()>& next) override;
  std::optional<Taken> write_apart(const std::vector<StoreWrite>& batch) override;
  bool is_shared() const override { return true; }
  bool holds(std::int64_t campaign) const override { return leases_->holds(campaign); }
  void claim(const StoredCampaign& campaign) override { leases_->claim(campaign); }
  void give_up(const StoredCampaign& campaign) override { leases_->give_up(campaign); }
  std::vector<std::int64_t> orphans(std::int64_t most) override { return leases_->orphans(most); }
  std::vector<std::pair<std::string, std::string>> other_nodes() override {
    return leases_->others();
  }

 private:
  struct Link {
    Event event;
    std::int64_t checksum = 0;
  };
  /// What a row of snapshots says, and how many parts it is in.
  struct SnapshotRow {
    StoredSnapshot snapshot;
    std::int64_t checksum = 0;
    std::int64_t parts = 0;
  };
  /// How far the events of a campaign reach, and what they are chained to.
  struct Reach {
    StoreHead head;
    std::optional<std::int64_t> before = {};  ///< the chain of those that are not read, if known
  };

  std::vector<StoredCampaign> campaigns_where(const char* condition, const PqParams& params) const;
  std::vector<Link> links(const StoredCampaign& campaign, const char* sql,
                          const PqParams& params) const;
  std::vector<Link> links_from(const StoredCampaign& campaign, std::uint64_t first,
                               std::size_t most) const;
  Reach reach_of(const StoredCampaign& campaign, std::uint64_t after) const;
  [[noreturn]] void missing_events(const StoredCampaign& campaign, std::uint64_t first,
                                   std::uint64_t last) const;
  std::vector<SnapshotRow> snapshot_rows(const StoredCampaign& campaign) const;
  StoredSnapshot whole(const StoredCampaign& campaign, SnapshotRow row) const;
  std::vector<StoredCut> cuts_where(const StoredCampaign& campaign, const char* condition) const;

  mutable PqPool readers_;
  std::unique_ptr<PostgresLeases> leases_;
  std::mutex writing_;
  std::unique_ptr<PostgresWriter> writer_;
};

}  // namespace updraft
