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
std::map<std::uint64_t, std::string> whole_snapshots(const EventStore& store,
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
  if (recorded.by_caller) {
    recorded.action = *recorded.proposal;
    recorded.probability.reset();
  }
  if (same_decision(recorded, now)) return;
  ++checked.decided_otherwise;
  if (checked.first_otherwise.size() == kOtherDecisionsListed) return;
  checked.first_otherwise.push_back(
      {event.number, event.decision, std::move(recorded), std::move(now)});
}

/// The state at the cut, from its snapshot.
void begin_behind(const StoredCut& cut, const std::map<std::uint64_t, std::string>& snapshots,
                  LiveCampaign& live) {
  const auto base = snapshots.find(cut.number);
  if (base == snapshots.end()) {
    throw std::runtime_error(fmt::format(
        "its events up to {} were dropped, and the snapshot after them is missing", cut.number));
  }
  live.restore(base->second);
}

/// Reads the events before the cut that were left.
void check_left(const EventStore& store, const StoredCampaign& campaign, const StoredCut& cut) {
  constexpr std::size_t kAtOnce = 256;
  for (std::uint64_t after = 0;;) {
    const std::vector<Event> left = store.events_between(campaign, after, cut.number, kAtOnce);
    if (left.empty()) return;
    after = left.back().number;
  }
}

CheckedCampaign check_campaign(const EventStore& store, const StoredCampaign& campaign,
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
    if (const auto cut = store.cut_of(campaign)) {
      begin_behind(*cut, snapshots, live);
      checked.cut = cut->number;
      ++checked.snapshots;
      check_left(store, campaign, *cut);
    }
    store.check_compacted(campaign);
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

/// check_campaign() while the service may make cuts: again if it made one meanwhile.
CheckedCampaign check_between_cuts(const EventStore& store, const StoredCampaign& campaign,
                                   std::vector<std::string>& defects) {
  constexpr int kMostTries = 3;
  const auto last_cut = [&]() -> std::uint64_t {
    try {
      const auto cut = store.cut_of(campaign);
      return cut ? cut->number : 0;
    } catch (const StoreError&) {  // which check_campaign() finds, too
      return 0;
    }
  };
  for (int tries = 1;; ++tries) {
    const std::uint64_t before = last_cut();
    std::vector<std::string> found;
    CheckedCampaign checked = check_campaign(store, campaign, found);
    if (before != last_cut() && tries < kMostTries) continue;
    defects.insert(defects.end(), found.begin(), found.end());
    return checked;
  }
}

}  // namespace

bool StoreCheck::nothing_found() const {
  return defects.empty() &&
         std::all_of(campaigns.begin(), campaigns.end(),
                     [](const CheckedCampaign& c) { return c.decided_otherwise == 0; });
}

StoreCheck check_store(const EventStore& store) {
  StoreCheck out;
  out.defects = store.defects();
  std::vector<StoredCampaign> campaigns;
  try {
    campaigns = store.campaigns();
  } catch (const StoreError& error) {
    out.defects.emplace_back(error.what());
  }
  for (const StoredCampaign& campaign : campaigns) {
    out.campaigns.push_back(check_between_cuts(store, campaign, out.defects));
  }
  return out;
}

std::vector<std::string> damage_in(const EventStore& store) {
  std::vector<std::string> out = store.defects();
  try {
    for (const StoredCampaign& campaign : store.campaigns()) {
      if (campaign.archive) store.archive_summary(campaign);
      if (!campaign.has_events()) continue;
      store.for_each_event(campaign, 0, [](const Event&) {});
      store.snapshots(campaign);
      store.check_compacted(campaign);
    }
  } catch (const StoreError& error) {
    out.emplace_back(error.what());
  }
  return out;
}

}  // namespace updraft
