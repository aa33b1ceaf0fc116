#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "service/service.h"

namespace updraft {

/// Something that those who run a campaign want to know soon.
struct Notice {
  std::string kind;  ///< "warning", "settled", "guardrail", "stopped" or "quarantined"
  std::string campaign;
  std::string message;
  std::int64_t time_ms = 0;
};

/// Finds what is new in a service since it looked last. For one thread.
class NoticeFinder {
 public:
  /// The service must outlive this.
  explicit NoticeFinder(const Service& service) : service_(service) {}

  /// Campaigns that were stopped or quarantined, or are settled, warnings that appeared and
  /// guardrails that were broken; each once, as long as it lasts. At the first call, of what is so
  /// already only what is quarantined.
  std::vector<Notice> look();

 private:
  struct Seen {
    std::uint64_t state_version = 0;
    bool stopped = false;
    bool quarantined = false;
    std::set<std::string> findings;  // kinds with their actions
  };

  void look_at(const nlohmann::json& campaign, std::vector<Notice>& found);
  void find_in_report(const std::string& name, Seen& seen, std::vector<Notice>& found);

  const Service& service_;
  bool first_ = true;
  std::map<std::string, Seen> seen_;
};

}  // namespace updraft
