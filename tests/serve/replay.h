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

/// The same from what `updraft store export` prints (docs/formats/campaign-log.md). Throws
/// std::exception where that is not such a log, whole and of `campaign`.
Replay replay_log(const CampaignCase& campaign, const std::string& log);

}  // namespace updraft::service_test
