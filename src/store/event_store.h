#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
  std::string body;
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
using StoreWrite = std::variant<StoredCampaign, EventWrite, SnapshotWrite, ArchiveWrite,
                                DropEventsWrite, DeleteWrite, PurgeWrite>;

enum class AppendResult {
  kOk,
  kConflict,  ///< the store has other events, or another campaign, than the writer thought
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
  /// All after number `after`, in order; throws where one is missing or damaged.
  virtual void for_each_event(const StoredCampaign& campaign, std::uint64_t after,
                              const std::function<void(const Event&)>& visit) const = 0;
  /// At least one of the events after number `after`, in order, if there are any, and at most
  /// `most`; fewer where they are large. Throws as for_each_event(), but compares no chain.
  virtual std::vector<Event> events_after(const StoredCampaign& campaign, std::uint64_t after,
                                          std::size_t most) const = 0;
  /// Those about one decision, in order.
  virtual std::vector<Event> events_of(const StoredCampaign& campaign,
                                       std::string_view decision) const = 0;

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

  /// Writes events of one campaign. Their numbers follow `expected_version`, the number of events
  /// that it has; with any other number of events there is a conflict.
  AppendResult append(std::int64_t campaign, std::uint64_t expected_version,
                      std::vector<Event> events);

 protected:
  EventStore() = default;
};

}  // namespace updraft
