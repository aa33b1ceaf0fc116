#include "service/replay_events.h"

namespace updraft {

void replay_events(const CampaignStore& store, const StoredCampaign& campaign, LiveCampaign& live,
                   const std::function<void(const Event&)>& visit) {
  const auto find_lost = [&](const Event& event) {
    return decision_from(store.events_of(campaign, event.decision), event.number);
  };
  store.for_each_event(campaign, live.version(), [&](const Event& event) {
    live.replay(event, find_lost);
    if (visit) visit(event);
  });
}

}  // namespace updraft
