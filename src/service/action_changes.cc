#include "service/action_changes.h"

#include "updraft/state_io.h"

namespace updraft {

ActionStatus status_of(EventKind kind) {
  if (kind == EventKind::kPaused) return ActionStatus::kPaused;
  return kind == EventKind::kRetired ? ActionStatus::kRetired : ActionStatus::kActive;
}

EventKind kind_of(ActionStatus status) {
  if (status == ActionStatus::kPaused) return EventKind::kPaused;
  return status == ActionStatus::kRetired ? EventKind::kRetired : EventKind::kResumed;
}

void ActionChanges::add(const ActionChange& change) {
  roster_.set(change.action, change.status);
  changes_.push_back(change);
}

void ActionChanges::write(StateWriter& writer) const {
  writer.u64(changes_.size());
  for (const ActionChange& change : changes_) {
    writer.u64(change.event);
    writer.u64(static_cast<std::uint64_t>(change.time_ms));
    writer.u64(change.decided);
    writer.u64(change.action);
    writer.u64(static_cast<std::uint64_t>(change.status));
  }
}

void ActionChanges::read(StateReader& reader) {
  for (std::uint64_t left = reader.u64_at_most(kMost, "snapshot: changes of actions"); left > 0;
       --left) {
    ActionChange change;
    change.event = reader.u64();
    change.time_ms = static_cast<std::int64_t>(reader.u64());
    change.decided = reader.u64();
    change.action = static_cast<ActionId>(
        reader.u64_at_most(roster_.actions() - 1, "snapshot: action of a change"));
    change.status = static_cast<ActionStatus>(reader.u64_at_most(2, "snapshot: status"));
    add(change);
  }
}

}  // namespace updraft
