#include "service/event_page.h"

#include "service/event_bodies.h"
#include "service/event_kinds.h"
#include "service/live_campaign.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

Json brief_event(const Event& event) {
  Json out = {{"event", event.number}, {"kind", kind_name(event.kind)}, {"time_ms", event.time_ms}};
  out["by"] = event.by.empty() ? Json(nullptr) : Json(event.by);
  if (event.kind == EventKind::kHistory) {
    out["batch"] = event.decision.substr(kBatch.size());
    out["rounds"] = history_rounds(event.body);
    return out;
  }
  if (is_of_action(event.kind)) out["action"] = decode_action(event.body);
  if (!event.decision.empty()) out["decision"] = event.decision;
  if (event.kind == EventKind::kDecided) {
    const Decided decided = decode_decided(event.body);
    if (decided.treatments.empty()) out["action"] = decided.action;
  } else if (event.kind == EventKind::kPayoffs) {
    const PayoffPart part = decode_payoffs(event.body);
    out["part"] = part.part;
    out["complete"] = part.complete;
  }
  return out;
}

}  // namespace

Json event_page(const std::vector<Event>& events) {
  Json list = Json::array();
  for (const Event& event : events) list.push_back(brief_event(event));
  Json out = {{"events", std::move(list)}, {"next", nullptr}};
  if (!events.empty()) out["next"] = events.back().number;
  return out;
}

}  // namespace updraft
