#include "service/replay_events.h"

namespace updraft {

void replay_events(const EventStore& store, const StoredCampaign& campaign, LiveCampaign& live,
                   const ReplayVisits& visits) {
  const auto find_lost = [&](const Event& event) {
    return decision_from(store.events_of(campaign, event.decision), event.number);
  };
  store.for_each_event(campaign, live.version(), [&](const Event& event) {
    if (visits.before) visits.before(event);
    live.replay(event, find_lost);
    if (visits.after) visits.after(event);
  });
}

}  // namespace updraft
