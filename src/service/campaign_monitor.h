#pragma once

#include <optional>
#include <string>

#include "service/campaign_definition.h"
#include "service/event_bodies.h"
#include "updraft/monitor.h"
#include "updraft/state_io.h"

namespace updraft {

/// The monitor of a live campaign. For targeted campaigns an action is a treatment, 0 being none,
/// and what is counted are individuals.
///
/// Of campaigns with contexts the last context is kept, so that people can see what the policy
/// estimates in it; not if that would take more than kMostEffort.
class CampaignMonitor {
 public:
  /// Of a context: actions times variables times the square of features.
  static constexpr std::size_t kMostEffort = std::size_t{1} << 24;

  struct LastContext {
    std::string decision;
    Decided decided;
  };

  /// `policy`: null unless the policy is plain.
  CampaignMonitor(const CampaignDefinition& definition, const Policy* policy);

  void decided(const std::string& id, const Decided& decided);
  void observed(const Decided& decided, const Payoffs& payoffs);

  Monitor& monitor() { return monitor_; }
  const Monitor& monitor() const { return monitor_; }
  /// Null as long as there is none, and if it would take too long to look at.
  const LastContext* last_context() const { return last_ ? &*last_ : nullptr; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  void write_last(StateWriter& writer) const;
  void read_last(StateReader& reader);

  std::optional<ContextualShape> contexts_;
  Monitor monitor_;
  std::optional<LastContext> last_;
};

}  // namespace updraft
