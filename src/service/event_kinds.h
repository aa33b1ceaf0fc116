#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "store/event.h"

namespace updraft {

struct NamedKind {
  EventKind kind;
  std::string_view name;
};
inline constexpr NamedKind kEventKinds[] = {
    {EventKind::kDecided, "decided"}, {EventKind::kPayoffs, "payoffs"},
    {EventKind::kLost, "lost"},       {EventKind::kStopped, "stopped"},
    {EventKind::kHistory, "history"}, {EventKind::kLive, "live"},
    {EventKind::kPaused, "paused"},   {EventKind::kResumed, "resumed"},
    {EventKind::kRetired, "retired"}};

/// Whether it changes the status of an action.
inline bool is_of_action(EventKind kind) {
  return kind == EventKind::kPaused || kind == EventKind::kResumed || kind == EventKind::kRetired;
}

inline std::string_view kind_name(EventKind kind) {
  return std::find_if(std::begin(kEventKinds), std::end(kEventKinds),
                      [kind](const NamedKind& named) { return named.kind == kind; })
      ->name;
}

inline std::optional<EventKind> kind_named(std::string_view name) {
  for (const NamedKind& named : kEventKinds) {
    if (named.name == name) return named.kind;
  }
  return std::nullopt;
}

}  // namespace updraft
