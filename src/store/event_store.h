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

// What is written, for the campaign with this id. Event n expects that n - 1 are there.
struct EventWrite {
  std::int64_t campaign = 0;
  Event event;
};
struct SnapshotWrite {
  std::int64_t campaign = 0;
  StoredSnapshot snapshot;
};
using StoreWrite = std::variant<StoredCampaign, EventWrite, SnapshotWrite>;

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
  /// Those about one decision, in order.
  virtual std::vector<Event> events_of(const StoredCampaign& campaign,
                                       std::string_view decision) const = 0;

  /// An id that no campaign has. Another writer may be given it, too: then one of them finds a
  /// conflict.
  virtual std::int64_t new_campaign_id() const = 0;

  /// All or nothing; on kOk it is on disk, on kConflict and where it throws nothing was written.
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
