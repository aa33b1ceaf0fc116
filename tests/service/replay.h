#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaign_case.h"
#include "traffic.h"

namespace updraft::service_test {

/// One event of a campaign, in the words of its log.
struct Event {
  std::uint64_t number = 0;  ///< from 1
  std::string kind;          ///< "decided" or "payoffs"
  std::string decision;

  bool operator==(const Event&) const = default;
};

/// What a replay came to.
struct Replay {
  Twin twin;
  std::vector<Event> events;
  std::string differences;  ///< in words; empty where every decision was the library's
};

/// Plays everything that was answered through the library's policy, in the order that the answers'
/// `state_version` tells. An event that is missing or there twice is a difference.
Replay replay(const CampaignCase& campaign, const std::vector<const Round*>& rounds);

/// The events of what `updraft store export` prints. Throws std::runtime_error where its first line
/// is not the definition of `campaign`, or a line is not an event.
std::vector<Event> exported_events(const CampaignCase& campaign, const std::string& text);

}  // namespace updraft::service_test
