#include "service/paid_decisions.h"

#include <unordered_map>

namespace updraft {

void for_each_paid(const EventStore& store, const StoredCampaign& campaign,
                   const std::function<void(const PaidDecision&)>& visit) {
  std::unordered_map<std::string, LiveDecision> open;
  store.for_each_event(campaign, 0, [&](const Event& event) {
    if (event.kind == EventKind::kDecided) {
      open.emplace(event.decision, decision_from({event}, event.number + 1).value());
    } else if (event.kind == EventKind::kLost) {
      open.erase(event.decision);
    } else if (event.kind == EventKind::kPayoffs) {
      auto found = open.find(event.decision);
      if (found == open.end()) {  // it was lost
        auto lost = decision_from(store.events_of(campaign, event.decision), event.number);
        if (!lost) return;
        found = open.emplace(event.decision, std::move(*lost)).first;
      }
      PayoffPart part = decode_payoffs(event.body);
      LiveDecision& decision = found->second;
      if (!part.complete) {
        decision.parts.push_back({event.number, std::move(part)});
        return;
      }
      visit({event.decision, decision.time_ms, decision.decided, joined(decision, part)});
      open.erase(found);
    }
  });
}

}  // namespace updraft
