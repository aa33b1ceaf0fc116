#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "service/belief_history.h"
#include "service/campaign_definition.h"
#include "service/event_bodies.h"
#include "service/payoff_statistics.h"
#include "updraft/state_io.h"

namespace updraft {

/// What is kept of a live campaign beside its policy, for people to look at: it never changes a
/// decision. The same events give the same, bit for bit. For targeted campaigns an action is a
/// treatment, 0 being none, and what is counted are individuals.
///
/// Of campaigns with contexts the last context is kept, so that people can see what the policy
/// believes of it; not if that would take more than kMostEffort.
class CampaignWatch {
 public:
  /// Of a context: actions times variables times the square of features.
  static constexpr std::size_t kMostEffort = std::size_t{1} << 24;

  struct LastContext {
    std::string decision;
    Decided decided;
  };

  /// `effort`: about how many numbers a look at the policy's beliefs takes.
  CampaignWatch(const CampaignDefinition& definition, std::size_t effort);

  void decided(const std::string& id, const Decided& decided);
  void observed(const Decided& decided, const Payoffs& payoffs);

  /// Beliefs of a targeted campaign, and of one with contexts: the mean payoff per treatment, or of
  /// the variables per action, with 95 % of the normal law. Who is treated, and in which contexts
  /// an action is taken, is chosen, so that these are no uplifts.
  std::vector<Belief> mean_payoffs() const;

  std::size_t actions() const { return chosen_.size(); }
  std::span<const std::uint64_t> chosen() const { return chosen_; }
  /// Null but for policies of actions.
  const PayoffStatistics* statistics() const { return statistics_ ? &*statistics_ : nullptr; }
  /// Single payoffs per treatment, or per action of a campaign with contexts; else empty.
  std::span<const Tally> tallies() const { return tallies_; }
  /// Null as long as there is none, and where it would take too long to look at.
  const LastContext* last_context() const { return last_ ? &*last_ : nullptr; }
  BeliefHistory& history() { return history_; }
  const BeliefHistory& history() const { return history_; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  void write_last(StateWriter& writer) const;
  void read_last(StateReader& reader);

  std::optional<ContextualShape> contexts_;
  std::vector<std::uint64_t> chosen_;  // how often each action
  std::optional<PayoffStatistics> statistics_;
  std::vector<Tally> tallies_;
  std::optional<LastContext> last_;
  BeliefHistory history_;
};

}  // namespace updraft
