#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
class CampaignWatch {
 public:
  /// `effort`: about how many numbers a look at the policy's beliefs takes.
  CampaignWatch(const CampaignDefinition& definition, std::size_t effort);

  void decided(const Decided& decided);
  void observed(const Decided& decided, const Payoffs& payoffs);

  /// Beliefs of a targeted campaign: the mean payoff per treatment with 95 % of the normal law.
  /// Who is treated is chosen, so that these are no uplifts.
  std::vector<Belief> treatment_beliefs() const;

  std::size_t actions() const { return chosen_.size(); }
  std::span<const std::uint64_t> chosen() const { return chosen_; }
  /// Null for targeted campaigns.
  const PayoffStatistics* statistics() const { return statistics_ ? &*statistics_ : nullptr; }
  /// Empty but for targeted campaigns.
  std::span<const Tally> treated() const { return treated_; }
  BeliefHistory& history() { return history_; }
  const BeliefHistory& history() const { return history_; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  std::vector<std::uint64_t> chosen_;  // how often each action
  std::optional<PayoffStatistics> statistics_;
  std::vector<Tally> treated_;  // payoffs per treatment
  BeliefHistory history_;
};

}  // namespace updraft
