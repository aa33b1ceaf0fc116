#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/campaign_store.h"

namespace updraft {

/// One campaign of a store that was looked through.
struct CheckedCampaign {
  std::string name;
  std::uint64_t events = 0;
  std::uint64_t snapshots = 0;  ///< found equal to what the events make
};

struct StoreCheck {
  std::vector<CheckedCampaign> campaigns;
  std::vector<std::string> defects;  ///< what is wrong, one sentence each
};

/// Reads all of a store, replays every event of every campaign from the first, and compares the
/// state with each snapshot, bit for bit.
StoreCheck check_store(const CampaignStore& store);

}  // namespace updraft
