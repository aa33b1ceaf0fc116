#pragma once

#include <cstdint>
#include <vector>

#include "store/event.h"
#include "updraft/action_roster.h"

namespace updraft {

/// The status that an event of such a kind gives an action, and back.
ActionStatus status_of(EventKind kind);
EventKind kind_of(ActionStatus status);

/// An action was paused, resumed or retired.
struct ActionChange {
  std::uint64_t event = 0;  ///< its number
  std::int64_t time_ms = 0;
  std::uint64_t decided = 0;  ///< decisions before it
  ActionId action = 0;
  ActionStatus status = ActionStatus::kActive;  ///< from then on
};

/// Which actions of a campaign may be taken, and how that came.
class ActionChanges {
 public:
  explicit ActionChanges(std::size_t actions) : roster_(actions) {}

  const ActionRoster& roster() const { return roster_; }
  const std::vector<ActionChange>& changes() const { return changes_; }
  bool full() const { return changes_.size() >= kMost; }

  /// Throws InvalidInput as ActionRoster::set(), and then nothing has changed.
  void add(const ActionChange& change);

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

  static constexpr std::size_t kMost = 100'000;

 private:
  ActionRoster roster_;
  std::vector<ActionChange> changes_;
};

}  // namespace updraft
