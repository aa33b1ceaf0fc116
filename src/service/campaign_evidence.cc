#include "service/campaign_evidence.h"

#include <cmath>

namespace updraft {

CampaignEvidence::CampaignEvidence(const CampaignDefinition& definition) {
  if (definition.shape) {
    if (definition.people_held_out > 0.0) people_.emplace(definition.people_held_out);
  } else if (!definition.contexts) {
    actions_.emplace(*definition.knowledge, definition.evidence);
  } else if (definition.evidence.shares.any()) {
    actions_.emplace(definition.policy_knowledge(), definition.evidence);
  }
}

void CampaignEvidence::choose(Policy& policy, const Round& round, const Stream& stream,
                              Decided& decided) const {
  Decision decision;
  if (people_) {
    PeopleDecision people = people_->preview(policy, round, stream);
    decision = std::move(people.decision);
    decided.chosen = std::move(people.chosen);
  } else if (policy.kind() == PolicyKind::kTargeting) {
    decision = policy.preview(round, stream);
  } else {
    const RoundShares shares = actions_ ? actions_->options().shares : RoundShares();
    const Steering steering = actions_ ? actions_->steering() : Steering{.paused = idle_};
    const SharedDecision shared = preview_with_shares(policy, round, stream, shares, steering);
    decision = shared.decision;
    if (shares.any() && round.allowed.empty()) decided.proposal = shared.candidate;
    decided.held_out = shared.whose == RoundOf::kHoldout;
    decided.probe = shared.whose == RoundOf::kProbe;
  }
  decided.action = decision.action;
  decided.treatments = std::move(decision.treatments);
  if (decision.index && std::isfinite(*decision.index)) decided.index = decision.index;
  if (decision.probability > 0.0) decided.probability = decision.probability;
  decided.revision = decision.revision;
}

void CampaignEvidence::set_idle(std::span<const ActionId> idle) {
  idle_.assign(idle.begin(), idle.end());
  if (actions_) actions_->set_idle(idle);
}

std::span<const ActionId> CampaignEvidence::paused() const {
  return actions_ ? actions_->steering().paused : std::span<const ActionId>(idle_);
}

bool CampaignEvidence::fits(const Decided& decided) const {
  if (people_ ? decided.chosen.size() != decided.treatments.size() : !decided.chosen.empty()) {
    return false;
  }
  const bool shared = actions_ && decided.allowed.empty();
  const RoundShares shares = shared ? actions_->options().shares : RoundShares();
  if (decided.held_out && (shares.control != decided.action || decided.probe)) return false;
  if (decided.probe && !(shares.probe > 0.0)) return false;
  return decided.by_caller || decided.proposal.has_value() == shares.any();
}

void CampaignEvidence::observed(const Decided& decided, const Payoffs& payoffs) {
  if (decided.by_caller || !decided.allowed.empty()) return;
  if (people_) people_->observed(decided.chosen, decided.treatments, payoffs.values());
  if (!actions_) return;
  actions_->observed({.decision = {.action = decided.action},
                      .candidate = decided.proposal.value_or(decided.action),
                      .whose = decided.held_out ? RoundOf::kHoldout
                               : decided.probe  ? RoundOf::kProbe
                                                : RoundOf::kPolicy},
                     payoffs);
}

std::vector<double> CampaignEvidence::next_probabilities(Policy& policy,
                                                         const Stream& stream) const {
  return probabilities_with_shares(policy, stream, actions_->options().shares,
                                   actions_->steering());
}

void CampaignEvidence::write(StateWriter& writer) const {
  if (actions_) actions_->write(writer);
  if (people_) people_->write(writer);
}

void CampaignEvidence::read(StateReader& reader) {
  if (actions_) actions_->read(reader);
  if (people_) people_->read(reader);
}

}  // namespace updraft
