#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "store/campaign_store.h"

namespace updraft {

/// Writes a campaign as JSON lines: definition, events, end. Format: docs/formats/campaign-log.md.
/// Throws StoreError, and InvalidInput where there is no such campaign.
void export_campaign(const CampaignStore& store, std::string_view name, std::ostream& out);

/// Takes over what export_campaign() wrote, all of it or nothing; its name. Throws InvalidInput
/// that names the line: not such lines, events that do not follow from those before them, an end
/// that is missing or does not fit, a campaign that is there already.
std::string import_campaign(CampaignStore& store, std::istream& in);

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
