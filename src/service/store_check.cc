#include "service/store_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// Probabilities that differ by a smaller share are equal: machines may round differently.
constexpr double kSameProbability = 1e-9;

bool same_probability(double recorded, double now) {
  return std::abs(recorded - now) <= kSameProbability * std::max(recorded, now);
}

bool same_decision(const Decided& recorded, const Decided& now) {
  return recorded.action == now.action && recorded.treatments == now.treatments &&
         (!recorded.probability || !now.probability ||
          same_probability(*recorded.probability, *now.probability));
}

void decide_again(const LiveCampaign& live, const Event& event, CheckedCampaign& checked) {
  if (event.kind != EventKind::kDecided) return;
  Decided recorded = decode_decided(event.body);
  Decided now = live.decide_again(recorded);
  if (same_decision(recorded, now)) return;
  ++checked.decided_otherwise;
  if (checked.first_otherwise.size() == kOtherDecisionsListed) return;
  checked.first_otherwise.push_back(
      {event.number, event.decision, std::move(recorded), std::move(now)});
}

CheckedCampaign check_campaign(const CampaignStore& store, const StoredCampaign& campaign,
                               std::vector<std::string>& defects) {
  CheckedCampaign checked;
  checked.name = campaign.name;
  const auto snapshots = whole_snapshots(store, campaign, defects);
  try {
    if (campaign.archive) store.archive_summary(campaign);
    checked.dropped = !campaign.has_events();
    if (checked.dropped) return checked;
    LiveCampaign live(std::make_shared<CampaignDefinition>(
        parse_definition(campaign.definition, DefinitionLimits::of_stored())));
    const auto before = [&](const Event& event) { decide_again(live, event, checked); };
    const auto after = [&](const Event&) {
      checked.events = live.version();
      const auto snapshot = snapshots.find(live.version());
      if (snapshot == snapshots.end()) return;
      checked.snapshots += snapshot->second == live.snapshot();
      checked.other_snapshots += !live.made(snapshot->second);
    };
    replay_events(store, campaign, live, {.before = before, .after = after});
    if (checked.snapshots + checked.other_snapshots != snapshots.size()) {
      defects.push_back(fmt::format(
          "campaign {}: a snapshot differs from the state that the events give", campaign.name));
    }
  } catch (const std::exception& error) {
    defects.push_back(fmt::format("campaign {}: {}", campaign.name, error.what()));
  }
  return checked;
}

}  // namespace

bool StoreCheck::nothing_found() const {
  return defects.empty() &&
         std::all_of(campaigns.begin(), campaigns.end(),
                     [](const CheckedCampaign& c) { return c.decided_otherwise == 0; });
}

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

std::vector<std::string> damage_in(const CampaignStore& store) {
  std::vector<std::string> out = store.defects();
  try {
    for (const StoredCampaign& campaign : store.campaigns()) {
      if (campaign.archive) store.archive_summary(campaign);
      if (!campaign.has_events()) continue;
      store.for_each_event(campaign, 0, [](const Event&) {});
      store.snapshots(campaign);
    }
  } catch (const StoreError& error) {
    out.emplace_back(error.what());
  }
  return out;
}

}  // namespace updraft
