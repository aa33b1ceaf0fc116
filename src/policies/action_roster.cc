#include "updraft/action_roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {

std::string_view name_of(ActionStatus status) {
  switch (status) {
    case ActionStatus::kActive:
      return "active";
    case ActionStatus::kPaused:
      return "paused";
    case ActionStatus::kRetired:
      return "retired";
  }
  return "";
}

ActionRoster::ActionRoster(std::size_t actions) : status_(actions, ActionStatus::kActive) {}

void ActionRoster::check(ActionId action) const {
  if (action < actions()) return;
  throw InvalidInput("action", std::to_string(action),
                     fmt::format("must be below the number of actions, {}", actions()));
}

std::string_view ActionRoster::refusal(ActionId action, ActionStatus status) const {
  check(action);
  if (status_[action] == status) return "";
  if (status_[action] == ActionStatus::kRetired) return "is retired, and never returns";
  const bool last = status_[action] == ActionStatus::kActive && idle_.size() + 1 == status_.size();
  return last ? "is the last active action" : "";
}

bool ActionRoster::set(ActionId action, ActionStatus status) {
  if (const std::string_view why = refusal(action, status); !why.empty()) {
    throw InvalidInput("action", std::to_string(action), why);
  }
  if (status_[action] == status) return false;
  status_[action] = status;
  list_idle();
  return true;
}

std::vector<ActionId> ActionRoster::active_among(std::span<const ActionId> allowed) const {
  std::vector<ActionId> out;
  if (all_active()) {
    out.assign(allowed.begin(), allowed.end());
    return out;
  }
  const auto add = [&](ActionId action) {
    if (status_.at(action) == ActionStatus::kActive) out.push_back(action);
  };
  if (allowed.empty()) {
    for (ActionId action = 0; action < actions(); ++action) add(action);
  } else {
    for (const ActionId action : allowed) add(action);
  }
  if (out.empty()) throw InvalidInput("allowed", "every action in it is paused or retired");
  return out;
}

void ActionRoster::list_idle() {
  idle_.clear();
  for (ActionId action = 0; action < actions(); ++action) {
    if (status_[action] != ActionStatus::kActive) idle_.push_back(action);
  }
}

void ActionRoster::write(StateWriter& writer) const {
  for (const ActionStatus status : status_) writer.u64(static_cast<std::uint64_t>(status));
}

void ActionRoster::read(StateReader& reader) {
  for (ActionStatus& status : status_) {
    status = static_cast<ActionStatus>(reader.u64_at_most(2, "status of an action"));
  }
  list_idle();
  if (!status_.empty() && idle_.size() == status_.size()) {
    throw InvalidInput("status of an action", "at least one action must be active");
  }
}

}  // namespace updraft
