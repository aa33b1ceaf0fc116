#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "updraft/ids.h"

namespace updraft {

class StateReader;
class StateWriter;

enum class ActionStatus {
  kActive,
  kPaused,   ///< not taken until it is resumed
  kRetired,  ///< never taken again
};

/// "active", "paused", "retired".
std::string_view name_of(ActionStatus status);

/// Which actions of a running campaign may be taken at all. It belongs to who runs the campaign,
/// beside the policy: a policy learns what actions do, and each round tells it which it may take
/// (Round::allowed). At least one action stays active.
class ActionRoster {
 public:
  explicit ActionRoster(std::size_t actions);

  std::size_t actions() const { return status_.size(); }
  ActionStatus status(ActionId action) const { return status_.at(action); }
  bool all_active() const { return idle_.empty(); }
  /// Those that are paused or retired, ids increasing.
  std::span<const ActionId> idle() const { return idle_; }

  /// Why the action cannot get this status: it is retired, or it is the last active one. Empty if
  /// it can, or has it already. Throws InvalidInput if the action is unknown.
  std::string_view refusal(ActionId action, ActionStatus status) const;

  /// Returns whether that changed anything. Throws InvalidInput, and changes nothing, if the action
  /// is unknown or there is a refusal.
  bool set(ActionId action, ActionStatus status);

  /// What a round may take that allows `allowed`, or all actions if that is empty: Round::allowed,
  /// so empty if that is all. Throws InvalidInput if nothing is left.
  std::vector<ActionId> active_among(std::span<const ActionId> allowed) const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  void check(ActionId action) const;
  void list_idle();

  std::vector<ActionStatus> status_;
  std::vector<ActionId> idle_;  // follows from status_
};

}  // namespace updraft
