#include "service/store_check.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "service/live_campaign.h"
#include "service/replay_events.h"

namespace updraft {
namespace {

/// The snapshots of a campaign by the number of their event; damaged ones are defects.
std::map<std::uint64_t, std::string> whole_snapshots(const CampaignStore& store,
                                                     const StoredCampaign& campaign,
                                                     std::vector<std::string>& defects) {
  std::map<std::uint64_t, std::string> out;
  try {
    for (StoredSnapshot& snapshot : store.snapshots(campaign)) {
      out.emplace(snapshot.number, std::move(snapshot.body));
    }
  } catch (const StoreError& error) {
    defects.emplace_back(error.what());
  }
  return out;
}

CheckedCampaign check_campaign(const CampaignStore& store, const StoredCampaign& campaign,
                               std::vector<std::string>& defects) {
  CheckedCampaign checked = {.name = campaign.name, .events = 0, .snapshots = 0};
  const auto snapshots = whole_snapshots(store, campaign, defects);
  try {
    LiveCampaign live(std::make_shared<CampaignDefinition>(parse_definition(campaign.definition)));
    replay_events(store, campaign, live, [&](const Event&) {
      checked.events = live.version();
      const auto snapshot = snapshots.find(live.version());
      if (snapshot == snapshots.end()) return;
      checked.snapshots += snapshot->second == live.snapshot();
    });
    if (checked.snapshots != snapshots.size()) {
      defects.push_back(
          fmt::format("campaign {}: a snapshot is not what the events make", campaign.name));
    }
  } catch (const std::exception& error) {
    defects.push_back(fmt::format("campaign {}: {}", campaign.name, error.what()));
  }
  return checked;
}

}  // namespace

StoreCheck check_store(const CampaignStore& store) {
  StoreCheck out;
  out.defects = store.defects();
  std::vector<StoredCampaign> campaigns;
  try {
    campaigns = store.campaigns();
  } catch (const StoreError& error) {
    out.defects.emplace_back(error.what());
  }
  for (const StoredCampaign& campaign : campaigns) {
    out.campaigns.push_back(check_campaign(store, campaign, out.defects));
  }
  return out;
}

}  // namespace updraft
