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
  seen.state_version = version;
  try {
    find_warnings(name, seen, found);
  } catch (const std::runtime_error&) {  // deleted, archived or quarantined a moment ago
    seen.state_version = 0;
  }
}

void NoticeFinder::find_warnings(const std::string& name, Seen& seen, std::vector<Notice>& found) {
  const json report = json::parse(service_.view(name)->report);
  std::set<std::string> now;
  for (const json& warning : report.value("warnings", json::array())) {
    const std::string key =
        warning.at("kind").get<std::string>() + warning.value("action", json()).dump();
    now.insert(key);
    if (first_ || seen.warnings.count(key) > 0) continue;
    found.push_back({"warning", name, warning.at("message"), service_.now_ms()});
  }
  seen.warnings = std::move(now);
}

}  // namespace updraft
