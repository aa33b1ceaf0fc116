#pragma once

#include <cstdint>
#include <string>

namespace updraft {

/// Values are those of the store: never change them.
enum class EventKind : std::uint8_t {
  kDecided = 1,
  kPayoffs = 2,
  kLost = 3,
  kStopped = 4,
  kHistory = 5,  ///< past rounds were learned from
  kLive = 6,     ///< the shadow mode ended
  kPaused = 7,   ///< an action, and the next two likewise
  kResumed = 8,
  kRetired = 9,
};

/// Something that happened in a live campaign. Its state is what its events make of its definition,
/// one after the other.
struct Event {
  std::uint64_t number = 0;  ///< 1, 2, 3, ... in the campaign
  EventKind kind = EventKind::kDecided;
  std::string decision;  ///< empty where it is about none; history/BATCH for past rounds
  std::int64_t time_ms = 0;
  std::string body;  ///< src/service/event_bodies.h
  std::string by =
      {};  ///< the name of the token that brought it; empty: none, or the service itself

  bool operator==(const Event&) const = default;
};

}  // namespace updraft
