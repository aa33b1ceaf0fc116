#pragma once

#include <optional>
#include <vector>

#include "service/campaign_definition.h"
#include "service/event_bodies.h"
#include "updraft/evidence.h"
#include "updraft/people_holdout.h"
#include "updraft/policy.h"
#include "updraft/state_io.h"

namespace updraft {

/// What holds at every time about a live campaign, from the decisions that its policy made: neither
/// past rounds nor those of a shadow mode count, because others chose in them for reasons that
/// nobody knows. It holds out what the definition says, and pauses what breaks a guardrail.
class CampaignEvidence {
 public:
  explicit CampaignEvidence(const CampaignDefinition& definition);

  /// The policy's next decision, less what is held out and paused. If the round itself allows only
  /// some actions, nothing is held out, and the round is no evidence. Changes nothing but
  /// `decided`.
  void choose(Policy& policy, const Round& round, const Stream& stream, Decided& decided) const;
  /// The actions that may not be taken from now on, ids increasing.
  void set_idle(std::span<const ActionId> idle);
  /// The same, and those that guardrails pause: only the holdout takes them.
  std::span<const ActionId> paused() const;
  /// Whether it has what decisions of such a campaign have.
  bool fits(const Decided& decided) const;

  /// Payoffs that the policy has learned from, dense if the rounds have rows.
  void observed(const Decided& decided, const Payoffs& payoffs);

  /// Per action the probability of the next decision. Of a plain policy.
  std::vector<double> next_probabilities(Policy& policy, const Stream& stream) const;

  /// Null unless the policy is plain, or contextual with a holdout.
  const Evidence* of_actions() const { return actions_ ? &*actions_ : nullptr; }
  /// Null unless some of the people chosen are held out.
  const PeopleHoldout* of_people() const { return people_ ? &*people_ : nullptr; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  std::vector<ActionId> idle_;
  std::optional<Evidence> actions_;
  std::optional<PeopleHoldout> people_;
};

}  // namespace updraft
