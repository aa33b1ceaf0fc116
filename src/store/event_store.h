#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "store/event.h"
#include "store/store_error.h"

namespace updraft {

/// What is left of a campaign that was archived.
struct StoredArchive {
  std::int64_t time_ms = 0;
  std::string by = {};  ///< as Event::by
  /// Its line in lists, as JSON. EventStore::archive_summary() has the rest.
  std::string brief = {};
  bool has_events = true;  ///< false once they were dropped; the head stays
};

struct StoredCampaign {
  std::int64_t id = 0;  ///< 1, 2, 3, ...
  std::string name;
  std::string definition;       ///< CampaignDefinition::canonical
  std::int64_t created_ms = 0;  ///< 0: before version 6 of the store
  std::string by = {};          ///< who created it, as Event::by
  std::optional<StoredArchive> archive = {};

  bool has_events() const { return !archive || archive->has_events; }
};

/// How far the events of a campaign reach.
struct StoreHead {
  std::uint64_t number = 0;  ///< of the last event
  std::int64_t chain = 0;    ///< chained() of all events
};

/// The state of a campaign after its event `number`.
struct StoredSnapshot {
  std::uint64_t number = 0;
  std::string body = {};
  std::int64_t chain = 0;  ///< of all events up to it; of one that was read
};

/// Where the events of a campaign begin: what came before is in its snapshot after that event.
struct StoredCut {
  std::uint64_t number = 0;  ///< of the event
  std::int64_t chain = 0;    ///< of all events up to it
  std::int64_t time_ms = 0;  ///< when it was planned
  bool made = false;         ///< else it is planned, and its snapshot is kept for it
  std::uint64_t purged = 0;  ///< the events up to this number were gone through
  /// Decisions whose events were dropped so far, and the sum of the checksums of their ids.
  std::uint64_t dropped = 0;
  std::int64_t dropped_sum = 0;
};

// What is written, for the campaign with this id. Event n expects that n - 1 are there.
struct EventWrite {
  std::int64_t campaign = 0;
  Event event;
};
struct SnapshotWrite {
  std::int64_t campaign = 0;
  StoredSnapshot snapshot;
};
/// A part of a snapshot that is too large for one commit. It counts for nothing before its end.
struct SnapshotPartWrite {
  std::int64_t campaign = 0;
  std::uint64_t number = 0;
  std::int64_t part = 0;  ///< 1, 2, 3, ...
  std::string body;
};
/// All parts were written.
struct SnapshotEndWrite {
  std::int64_t campaign = 0;
  std::uint64_t number = 0;
  std::int64_t parts = 0;
  std::int64_t chain = 0;     ///< of all events up to the snapshot
  std::int64_t checksum = 0;  ///< as if it were in one
};
/// Plans a cut, which gets its chain from the snapshot there, or makes one that was planned; with
/// number 0, forgets the plan.
struct CutWrite {
  std::int64_t campaign = 0;
  StoredCut cut;
};
/// Removes events before the cut, and keeps the ids of their decisions.
struct CompactWrite {
  std::int64_t campaign = 0;
  StoredCut cut;  ///< as it is then
  std::vector<std::uint64_t> events = {};
  std::vector<std::string> decisions = {};
};
struct ArchiveWrite {
  std::int64_t campaign = 0;
  StoredArchive archive;
  std::string summary;
};
/// The events and snapshots of an archived campaign are no longer needed.
struct DropEventsWrite {
  std::int64_t campaign = 0;
};
/// Nothing is left but the name and the head.
struct DeleteWrite {
  std::int64_t campaign = 0;
  std::int64_t time_ms = 0;
  std::string by = {};
};
/// Removes some of the events that were dropped, so that no commit takes long.
struct PurgeWrite {};
using StoreWrite =
    std::variant<StoredCampaign, EventWrite, SnapshotWrite, SnapshotPartWrite, SnapshotEndWrite,
                 CutWrite, CompactWrite, ArchiveWrite, DropEventsWrite, DeleteWrite, PurgeWrite>;

/// The campaign that a write concerns; 0 if none.
std::int64_t campaign_of(const StoreWrite& write);

enum class AppendResult {
  kOk,
  kConflict,  ///< the store has other events, or another campaign, than the writer thought
};

/// The head of a campaign that is or was there.
struct NamedHead {
  std::int64_t campaign = 0;  ///< its id
  StoreHead head;
};

/// Campaigns that another writer of the store has claimed; what was to be written of them was not.
struct Taken {
  std::set<std::int64_t> campaigns;
};

/// Where the events and snapshots of campaigns are kept. Reading is safe for many threads, writing
/// is for one at a time. All throw StoreError.
class EventStore {
 public:
  virtual ~EventStore() = default;
  EventStore(const EventStore&) = delete;
  EventStore& operator=(const EventStore&) = delete;

  virtual std::vector<StoredCampaign> campaigns() const = 0;
  virtual std::optional<StoredSnapshot> last_snapshot(const StoredCampaign& campaign) const = 0;
  /// All after number `after`, and behind the cut, in order; throws where one is missing or
  /// damaged.
  virtual void for_each_event(const StoredCampaign& campaign, std::uint64_t after,
                              const std::function<void(const Event&)>& visit) const = 0;
  /// At least one of the events after number `after`, in order, if there are any, and at most
  /// `most`; fewer where they are large. Throws as for_each_event(), but compares no chain.
  virtual std::vector<Event> events_after(const StoredCampaign& campaign, std::uint64_t after,
                                          std::size_t most) const = 0;
  /// Those about one decision, in order.
  virtual std::vector<Event> events_of(const StoredCampaign& campaign,
                                       std::string_view decision) const = 0;

  /// The last cut that was made; none if the store has all events.
  virtual std::optional<StoredCut> cut_of(const StoredCampaign&) const { return std::nullopt; }
  /// The one that is planned.
  virtual std::optional<StoredCut> planned_cut(const StoredCampaign&) const { return std::nullopt; }
  /// The snapshot after an event; none if there is none. Throws where it is damaged.
  virtual std::optional<StoredSnapshot> snapshot_at(const StoredCampaign&, std::uint64_t) const {
    return std::nullopt;
  }
  /// 0 if there is none.
  virtual std::uint64_t last_snapshot_number(const StoredCampaign&) const { return 0; }
  /// The next events after number `after` up to `until`, whichever are left, at most `most`.
  virtual std::vector<Event> events_between(const StoredCampaign&, std::uint64_t, std::uint64_t,
                                            std::size_t) const {
    return {};
  }
  /// Whether the events of the decision were removed.
  virtual bool was_compacted(const StoredCampaign&, std::string_view) const { return false; }
  /// Reads what is kept of all decisions whose events were removed; throws where that is damaged.
  virtual void check_compacted(const StoredCampaign&) const {}

  /// The newest first.
  virtual std::vector<StoredSnapshot> snapshots(const StoredCampaign&) const { return {}; }
  /// All cuts that were made, the oldest first.
  virtual std::vector<StoredCut> cuts(const StoredCampaign&) const { return {}; }
  /// The chain of all events up to one behind the cut.
  virtual std::int64_t chain_at(const StoredCampaign&, std::uint64_t) const { return 0; }
  /// The heads of the campaign of that name, and of those that were deleted.
  virtual std::vector<NamedHead> heads_of(std::string_view) const { return {}; }

  /// What was written with the archive of a campaign.
  virtual std::string archive_summary(const StoredCampaign& campaign) const = 0;
  /// Whether there are dropped events that PurgeWrite can remove.
  virtual bool has_dropped() const = 0;

  /// What is wrong with the store as a whole, one sentence each. Reads all of it.
  virtual std::vector<std::string> defects() const { return {}; }

  /// An id that no campaign has or had. Another writer may be given it, too: then one of them finds
  /// a conflict.
  virtual std::int64_t new_campaign_id() const = 0;

  /// All or nothing; on kOk it is on disk, on kConflict and where it throws nothing was written,
  /// unless the error is of the kind kUnknown.
  /// Older snapshots but one of a campaign are dropped.
  virtual AppendResult write(const std::vector<StoreWrite>& batch) = 0;
  /// The same of batches that `next` gives, until one is empty, all or nothing.
  virtual AppendResult write_all(const std::function<std::vector<StoreWrite>()>& next);

  /// As write(), but if the store has other writers, what concerns a campaign that one of them has
  /// taken is left out, and the rest is kept. Absent if there is a conflict.
  virtual std::optional<Taken> write_apart(const std::vector<StoreWrite>& batch);

  /// From now on no other writer can write this campaign. To be called before it is read to be
  /// written, and again after it was taken or a write was in doubt. Does nothing if the store has
  /// one writer.
  virtual void claim(const StoredCampaign&) {}
  /// Others may claim it at once.
  virtual void give_up(const StoredCampaign&) {}

  /// Whether it may have other writers. Only then are the next four of use.
  virtual bool is_shared() const { return false; }
  /// Whether no other writer can have claimed the campaign since, so that what was read is as it
  /// is.
  virtual bool holds(std::int64_t) const { return true; }
  /// The campaign of that name, which another writer may have made.
  virtual std::optional<StoredCampaign> find_campaign(std::string_view) const { return {}; }
  /// Campaigns whose writer is gone, at most `most`.
  virtual std::vector<std::int64_t> orphans(std::int64_t) { return {}; }
  /// Names and addresses of other writers that are there.
  virtual std::vector<std::pair<std::string, std::string>> other_nodes() { return {}; }

  /// Writes events of one campaign. Their numbers follow `expected_version`, the number of events
  /// that it has; with any other number of events there is a conflict.
  AppendResult append(std::int64_t campaign, std::uint64_t expected_version,
                      std::vector<Event> events);

 protected:
  EventStore() = default;
};

}  // namespace updraft
