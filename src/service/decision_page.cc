#include "service/decision_page.h"

#include <algorithm>
#include <limits>

#include "service/live_campaign.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kEventsAtOnce = 256;
constexpr std::size_t kMostNumbers = std::size_t{1} << 20;
/// With names, a number takes a hundred bytes or more of JSON.
constexpr std::size_t kMostNamedNumbers = std::size_t{1} << 17;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

std::string variable_name(const CampaignDefinition& definition, std::size_t id) {
  return definition.variable_names.empty() ? std::to_string(id) : definition.variable_names[id];
}

/// By variable, or a list if all paid and have no names; null unless they are complete.
Json payoffs_json(const LiveDecision& decision, const CampaignDefinition& definition) {
  if (decision.status != DecisionStatus::kComplete) return nullptr;
  LiveDecision others = decision;
  const PayoffPart last = std::move(others.parts.back().part);
  others.parts.pop_back();
  const PayoffPart all = joined(others, last);
  if (all.dense && definition.variable_names.empty()) return all.values;
  Json out = Json::object();
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    out[variable_name(definition, all.dense ? i : all.ids[i])] = all.values[i];
  }
  return out;
}

/// How many individuals got each treatment, none first.
Json treated_json(const Decided& decided, const TargetingShape& shape) {
  std::vector<std::uint64_t> counts(shape.treatments + 1, 0);
  for (const Treatment treatment : decided.treatments) ++counts[treatment];
  return counts;
}

Json row_of(const Event& event, const LiveDecision& decision,
            const CampaignDefinition& definition) {
  const Decided& decided = decision.decided;
  Json out = {{"event", event.number},
              {"decision", event.decision},
              {"time_ms", event.time_ms},
              {"status", status_name(decision.status)},
              {"probability", decided.probability ? Json(*decided.probability) : Json(nullptr)}};
  if (definition.shape) {
    out["treated"] = treated_json(decided, *definition.shape);
    return out;
  }
  out["action"] = decided.action;
  if (decided.proposal) out["proposal"] = *decided.proposal;
  if (!definition.action_names.empty()) {
    out["action_name"] = definition.action_names[decided.action];
    if (decided.proposal) out["proposal_name"] = definition.action_names[*decided.proposal];
  }
  if (definition.evidence.shares.holdout > 0.0) out["held_out"] = decided.held_out;
  if (definition.evidence.shares.probe > 0.0) out["probe"] = decided.probe;
  if (!decided.allowed.empty()) out["allowed"] = decided.allowed;
  out["payoffs"] = payoffs_json(decision, definition);
  return out;
}

}  // namespace

Json decision_page(const EventStore& store, const StoredCampaign& campaign,
                   const CampaignDefinition& definition, const EventQuery& query) {
  Json list = Json::array();
  const auto cut = store.cut_of(campaign);
  const std::uint64_t first = std::max(query.after, cut ? cut->number : 0);
  std::uint64_t last = first;
  std::size_t scanned = 0;
  std::size_t bytes = 0;
  std::size_t numbers = 0;
  const std::size_t most = definition.variable_names.empty() ? kMostNumbers : kMostNamedNumbers;
  const auto full = [&] {
    return list.size() == query.count || scanned == kMostScanned || numbers >= most ||
           bytes >= kMostBytes;
  };
  while (!full()) {
    const std::vector<Event> events =
        store.events_after(campaign, last, std::min(kEventsAtOnce, kMostScanned - scanned));
    if (events.empty()) break;
    for (const Event& event : events) {
      last = event.number;
      ++scanned;
      bytes += event.body.size();
      if (event.kind != EventKind::kDecided) continue;
      const auto decision = decision_from(store.events_of(campaign, event.decision),
                                          std::numeric_limits<std::uint64_t>::max());
      if (!decision) continue;  // compacted meanwhile
      numbers += decision->numbers();
      list.push_back(row_of(event, *decision, definition));
      if (full()) break;
    }
  }
  Json page = {{"decisions", std::move(list)},
               {"next", last == first ? Json(nullptr) : Json(last)}};
  if (cut) page["cut"] = cut->number;
  return page;
}

}  // namespace updraft
