#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace updraft {

/// What was asked contradicts what is there.
class Conflict : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class DecisionStatus { kOutstanding, kComplete, kLost };
std::string_view status_name(DecisionStatus status);

/// What a campaign has done so far. For /metrics and lists.
struct CampaignGauges {
  std::string name;
  std::uint64_t decided = 0;
  std::uint64_t complete = 0;
  std::uint64_t outstanding = 0;
  std::uint64_t lost = 0;
  std::uint64_t late = 0;      ///< complete, but lost before
  std::uint64_t held_out = 0;  ///< decisions that took the control action because of the holdout
  std::uint64_t settled = 0;   ///< 1 once payoffs have settled which action is best
  std::uint64_t guardrail_alarms = 0;
  std::uint64_t state_version = 0;
  std::optional<std::int64_t> last_event_ms = {};
  bool stopped = false;
  bool in_shadow = false;
};

}  // namespace updraft
