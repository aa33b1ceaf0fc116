#include "service/notice.h"

#include <fmt/format.h>

namespace updraft {

using nlohmann::json;

std::vector<Notice> NoticeFinder::look() {
  std::vector<Notice> found;
  const json list = service_.list();
  std::map<std::string, Seen> there;
  for (const json& campaign : list.at("campaigns")) {
    const std::string& name = campaign.at("name").get_ref<const std::string&>();
    if (const auto known = seen_.find(name); known != seen_.end()) there.insert(*known);
  }
  seen_ = std::move(there);  // a campaign that is gone may come again
  for (const json& campaign : list.at("campaigns")) look_at(campaign, found);
  first_ = false;
  return found;
}

void NoticeFinder::look_at(const json& campaign, std::vector<Notice>& found) {
  const std::string& name = campaign.at("name").get_ref<const std::string&>();
  const bool is_new = seen_.find(name) == seen_.end();
  Seen& seen = seen_[name];
  const auto tell = [&](const char* kind, std::string message) {
    found.push_back({kind, name, std::move(message), service_.now_ms()});
  };
  if (campaign.contains("quarantined")) {
    if (!seen.quarantined) tell("quarantined", campaign["quarantined"].get<std::string>());
    seen.quarantined = true;
    return;
  }
  const bool stopped = campaign.at("stopped").get<bool>();
  if (stopped && !seen.stopped && !first_)
    tell("stopped", fmt::format("campaign {} was stopped", name));
  seen.stopped = stopped;
  const auto version = campaign.at("state_version").get<std::uint64_t>();
  if (!is_new && version == seen.state_version) return;
  try {
    find_in_report(name, seen, found);
  } catch (const std::runtime_error&) {  // deleted, archived or quarantined a moment ago
    seen.state_version = 0;
  }
}

void NoticeFinder::find_in_report(const std::string& name, Seen& seen, std::vector<Notice>& found) {
  const auto view = service_.view(name);
  const json report = json::parse(view->report);
  seen.state_version = view->state_version;  // a report that is a little old is looked at again
  std::set<std::string> now;
  const auto note = [&](const char* kind, const std::string& key, const json& message) {
    now.insert(key);
    if (first_ || seen.findings.count(key) > 0) return;
    found.push_back({kind, name, message, service_.now_ms()});
  };
  for (const json& warning : report.value("warnings", json::array())) {
    note("warning", warning.at("kind").get<std::string>() + warning.value("action", json()).dump(),
         warning.at("message"));
  }
  const json settled = report.value("settled", json::object());
  if (settled.value("settled", false)) {
    note("settled", "settled " + settled.at("best").dump(), settled.at("text"));
  }
  for (const json& alarm : report.value("guardrails", json::array())) {
    note("guardrail", "guardrail " + alarm.at("guardrail").dump() + alarm.at("action").dump(),
         alarm.at("text"));
  }
  seen.findings = std::move(now);
}

}  // namespace updraft
