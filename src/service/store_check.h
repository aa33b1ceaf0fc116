#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/event_bodies.h"
#include "store/event_store.h"

namespace updraft {

/// A decision that the policy would make otherwise now. It stands as it was made.
struct OtherDecision {
  std::uint64_t event = 0;  ///< number
  std::string decision;     ///< id
  Decided recorded;
  Decided now;
};

/// One campaign of a store that was looked through.
struct CheckedCampaign {
  std::string name;
  std::uint64_t events = 0;
  std::uint64_t cut = 0;              ///< events up to this one were dropped behind a snapshot
  bool dropped = false;               ///< its events were dropped; only its archive was read
  std::uint64_t snapshots = 0;        ///< found equal to what the events make
  std::uint64_t other_snapshots = 0;  ///< of another revision of the policy, which nobody uses
  std::uint64_t decided_otherwise = 0;
  std::vector<OtherDecision> first_otherwise;  ///< the first kOtherDecisionsListed of them
};

constexpr std::size_t kOtherDecisionsListed = 100;

struct StoreCheck {
  std::vector<CheckedCampaign> campaigns;
  std::vector<std::string> defects;  ///< what is wrong, one sentence each

  /// Neither defects nor decisions that the policy would now make otherwise.
  bool nothing_found() const;
};

/// Reads all of a store, replays every event of every campaign from the first, or from the snapshot
/// behind which older ones were dropped, compares the state
/// with each snapshot, bit for bit, and decides every decision again.
StoreCheck check_store(const EventStore& store);

/// What is damaged, one sentence each: reads all of the store and compares all checksums, but
/// decides nothing again.
std::vector<std::string> damage_in(const EventStore& store);

}  // namespace updraft
