#include "service/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "policies/noise_learning_policy.h"

namespace updraft {
namespace {

bool draws_from_prior(const Policy& policy) { return policy.spec().name() == "ts"; }

bool on_total(const Policy& policy) { return policy.resolution().kind == Resolution::Kind::kTotal; }

bool learns_noise(const Policy& policy) {
  return dynamic_cast<const NoiseLearningPolicy*>(&policy) != nullptr;
}

/// The radius of a mean of `count` payoffs, from that of an action's means.
double radius_of(const ActionExplanation& about, double count) {
  if (count == 0.0) return 0.0;  // counted as known
  return about.radius * std::sqrt(static_cast<double>(about.pulls) / count);
}

/// Per atom, rounds of actions that are declared not to affect it; empty where the baseline does
/// not come from these. Cost: O(sum over atoms of the actions that affect it).
std::vector<std::uint64_t> baseline_rounds(const Policy& policy) {
  const Knowledge& knowledge = policy.knowledge();
  if (knowledge.affected() == nullptr || knowledge.baseline() != nullptr ||
      knowledge.observations() != nullptr) {
    return {};
  }
  const AffectedSets& sets = *knowledge.affected();
  std::vector<std::uint64_t> out(sets.atoms()->groups(), policy.observations());
  for (GroupId atom = 0; atom < out.size(); ++atom) {
    for (const ActionId affecting : sets.affecting(atom)) out[atom] -= policy.pulls(affecting);
  }
  return out;
}

/// Whether a variable of a declared set waits for its baseline. Those that all actions affect never
/// get one, and are counted whole.
bool waits_for_baseline(const Policy& policy, ActionId action,
                        const std::vector<std::uint64_t>& rounds) {
  if (rounds.empty()) return false;
  const AffectedSets& sets = *policy.knowledge().affected();
  const auto atoms = sets.atoms_of(action);
  return std::any_of(atoms.begin(), atoms.end(), [&](GroupId atom) {
    return sets.affecting(atom).size() < sets.actions() && rounds[atom] == 0;
  });
}

/// Declared sets: the radii of the means and of their baselines, over V(a).
double declared_reach(const Policy& policy, ActionId action, const ActionExplanation& about,
                      const std::vector<std::uint64_t>& rounds) {
  const Knowledge& knowledge = policy.knowledge();
  const AffectedSets& sets = *knowledge.affected();
  double reach = about.radius * static_cast<double>(sets.of(action).size());
  if (knowledge.baseline() != nullptr) return reach;
  if (const BaselineObservations* table = knowledge.observations()) {
    sets.of(action).for_each([&](VariableId i) { reach += radius_of(about, table->counts[i]); });
    return reach;
  }
  for (const GroupId atom : sets.atoms_of(action)) {
    reach += static_cast<double>(sets.atoms()->sizes()[atom]) *
             radius_of(about, static_cast<double>(rounds[atom]));
  }
  return reach;
}

/// Unknown sets: the same over the identified variables, whose baseline is that of the most pulled
/// other action unless it is known; at least up to the index.
double identified_reach(const Policy& policy, const Explanation& explanation, ActionId action) {
  const ActionExplanation& about = explanation.actions[action];
  double radius = about.radius;
  if (policy.knowledge().baseline() == nullptr) {
    std::uint64_t most = 0;
    for (ActionId other = 0; other < explanation.actions.size(); ++other) {
      if (other != action) most = std::max(most, explanation.actions[other].pulls);
    }
    radius += radius_of(about, static_cast<double>(most));
  }
  return std::max(static_cast<double>(about.identified->size()) * radius,
                  about.index - *about.uplift);
}

double reach_of(const Policy& policy, const Explanation& explanation, ActionId action,
                const std::vector<std::uint64_t>& rounds) {
  const ActionExplanation& about = explanation.actions[action];
  if (draws_from_prior(policy)) return kNormal95 * about.radius;
  if (on_total(policy)) return about.index - *about.reward;
  if (about.identified) return identified_reach(policy, explanation, action);
  return declared_reach(policy, action, about, rounds);
}

}  // namespace

std::vector<Belief> beliefs(const Policy& policy, const Explanation& explanation) {
  const std::vector<std::uint64_t> rounds = baseline_rounds(policy);
  const bool learns = learns_noise(policy);
  const bool knows = knows_noise(policy);
  std::vector<Belief> out(explanation.actions.size());
  for (ActionId action = 0; action < out.size(); ++action) {
    const ActionExplanation& about = explanation.actions[action];
    Belief& belief = out[action];
    if (about.pulls == 0 && !draws_from_prior(policy)) continue;
    if (waits_for_baseline(policy, action, rounds)) continue;
    belief.estimate = on_total(policy) ? about.reward : about.uplift;
    if (!belief.estimate) continue;
    if (learns) {
      if (knows) belief.interval = about.interval;
      continue;
    }
    const double reach = reach_of(policy, explanation, action, rounds);
    if (std::isfinite(reach)) {
      belief.interval = {*belief.estimate - reach, *belief.estimate + reach};
    }
  }
  return out;
}

Explanation quick_explanation(const Policy& policy) {
  const auto* learning = dynamic_cast<const NoiseLearningPolicy*>(&policy);
  return learning == nullptr ? policy.explain() : learning->explain_without_probabilities();
}

std::size_t explanation_effort(const Policy& policy) {
  const std::size_t actions = policy.knowledge().actions();
  switch (policy.resolution().kind) {
    case Resolution::Kind::kTotal:
      return actions;
    case Resolution::Kind::kVariables:
      return actions * policy.knowledge().variables();
    case Resolution::Kind::kGroups:
      break;
  }
  const std::size_t atoms = policy.resolution().partition->groups();
  return learns_noise(policy) ? (actions + atoms) * atoms * atoms : actions * atoms;
}

bool knows_noise(const Policy& policy) {
  if (!learns_noise(policy)) return true;
  for (ActionId action = 0; action < policy.knowledge().actions(); ++action) {
    if (policy.pulls(action) > 1) return true;
  }
  return false;
}

std::string_view quantity(const Policy& policy) { return on_total(policy) ? "reward" : "uplift"; }

std::string interval_text(const Policy& policy) {
  if (draws_from_prior(policy) || learns_noise(policy)) return "95 % of the posterior";
  const bool unknown_sets = policy.resolution().kind == Resolution::Kind::kVariables &&
                            policy.knowledge().affected() == nullptr;
  return fmt::format(
      "the policy's confidence bounds{}",
      unknown_sets ? ", of the variables it has identified and of those it counts in" : "");
}

}  // namespace updraft
