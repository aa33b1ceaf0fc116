#include "service/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "policies/noise_learning_policy.h"
#include "report/numbers.h"

namespace updraft {
namespace {

bool draws_from_prior(const Policy& policy) { return policy.spec().name() == "ts"; }

bool on_total(const Policy& policy) { return policy.resolution().kind == Resolution::Kind::kTotal; }

/// Whether the variables that the index counts are chosen for their large means: no uplift.
bool counts_largest(const Policy& policy) { return policy.spec().name() == "up_ucb_pad_bl"; }

bool learns_noise(const Policy& policy) {
  return dynamic_cast<const NoiseLearningPolicy*>(&policy) != nullptr;
}

bool baseline_declared(const Policy& policy) {
  return policy.knowledge().baseline() != nullptr || policy.knowledge().observations() != nullptr;
}

/// The radius of a mean of `count` payoffs, from that of an action's means.
double radius_of(const ActionExplanation& about, double count) {
  return about.radius * std::sqrt(static_cast<double>(about.pulls) / count);
}

/// Per atom, rounds of actions that are declared not to affect it; empty without declared sets.
/// Cost: O(sum over atoms of the actions that affect it).
std::vector<double> baseline_rounds(const Policy& policy) {
  const AffectedSets* sets = policy.knowledge().affected().get();
  if (sets == nullptr) return {};
  std::vector<double> out(sets->atoms()->groups(), static_cast<double>(policy.observations()));
  for (GroupId atom = 0; atom < out.size(); ++atom) {
    for (const ActionId affecting : sets->affecting(atom)) {
      out[atom] -= static_cast<double>(policy.pulls(affecting));
    }
  }
  return out;
}

/// Declared sets: the radii of the means and of their baselines, over V(a).
double declared_reach(const Policy& policy, ActionId action, const ActionExplanation& about,
                      const std::vector<double>& rounds) {
  const Knowledge& knowledge = policy.knowledge();
  const AffectedSets& sets = *knowledge.affected();
  double reach = about.radius * static_cast<double>(sets.of(action).size());
  if (knowledge.baseline() != nullptr) return reach;
  if (const BaselineObservations* table = knowledge.observations()) {
    sets.of(action).for_each([&](VariableId i) { reach += radius_of(about, table->counts[i]); });
    return reach;
  }
  for (const GroupId atom : sets.atoms_of(action)) {
    reach += static_cast<double>(sets.atoms()->sizes()[atom]) * radius_of(about, rounds[atom]);
  }
  return reach;
}

/// Unknown sets and a known baseline: the radii of the identified variables, at least up to the
/// index.
double identified_reach(const ActionExplanation& about) {
  return std::max(static_cast<double>(about.identified->size()) * about.radius,
                  about.index - *about.uplift);
}

Belief around(double estimate, double reach) {
  if (!std::isfinite(reach)) return {.estimate = estimate, .interval = std::nullopt};
  return {.estimate = estimate, .interval = Interval{estimate - reach, estimate + reach}};
}

Belief uplift_belief(const Policy& policy, ActionId action, const ActionExplanation& about,
                     const std::vector<double>& rounds) {
  if (!about.uplift) return {};
  if (learns_noise(policy)) return {about.uplift, about.interval};
  return around(*about.uplift, about.identified ? identified_reach(about)
                                                : declared_reach(policy, action, about, rounds));
}

Belief difference_belief(const ActionExplanation& about) {
  if (!about.difference) return {};
  return {about.difference->estimate, about.difference->interval};
}

Belief reward_belief(const Policy& policy, const ActionExplanation& about) {
  if (!about.reward || (about.pulls == 0 && !draws_from_prior(policy))) return {};
  if (!on_total(policy)) return {about.reward, std::nullopt};
  return around(*about.reward,
                draws_from_prior(policy) ? kNormal95 * about.radius : about.index - *about.reward);
}

std::string why_no_uplift(const Policy& policy) {
  if (const AffectedSets* sets = policy.knowledge().affected().get()) {
    const std::size_t count = affected_by_all(*sets);
    return fmt::format(
        "Every action affects {}, so no round shows what {} when nothing is done, and uplifts over "
        "that cannot be known.",
        count == 1 ? "1 variable" : grouped(static_cast<double>(count), 0) + " variables",
        count == 1 ? "it pays" : "they pay");
  }
  return "What variables pay when nothing is done was not declared, nor which actions leave them "
         "alone, so uplifts over that are not known.";
}

}  // namespace

std::size_t affected_by_all(const AffectedSets& sets) {
  std::size_t count = 0;
  for (GroupId atom = 0; atom < sets.atoms()->groups(); ++atom) {
    if (sets.affecting(atom).size() == sets.actions()) count += sets.atoms()->sizes()[atom];
  }
  return count;
}

Quantity quantity(const Policy& policy) {
  if (on_total(policy) || counts_largest(policy)) return Quantity::kReward;
  if (baseline_declared(policy)) return Quantity::kUplift;
  const AffectedSets* sets = policy.knowledge().affected().get();
  if (sets != nullptr && affected_by_all(*sets) == 0) return Quantity::kUplift;
  return policy.knowledge().actions() == 1 ? Quantity::kReward : Quantity::kDifference;
}

std::vector<Belief> beliefs(const Policy& policy, const Explanation& explanation) {
  const Quantity of = quantity(policy);
  const std::vector<double> rounds = baseline_rounds(policy);
  const bool knows = knows_noise(policy);
  std::vector<Belief> out(explanation.actions.size());
  for (ActionId action = 0; action < out.size(); ++action) {
    const ActionExplanation& about = explanation.actions[action];
    out[action] = of == Quantity::kUplift       ? uplift_belief(policy, action, about, rounds)
                  : of == Quantity::kDifference ? difference_belief(about)
                                                : reward_belief(policy, about);
    if (!knows) out[action].interval.reset();
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

std::string_view name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::kUplift:
      return "uplift";
    case Quantity::kDifference:
      return "difference";
    case Quantity::kReward:
      return "reward";
  }
  return "";
}

bool reference_moves(const Policy& policy) { return policy.spec().name() == "up_ucb_l"; }

std::string quantity_text(const Policy& policy, std::string_view reference) {
  switch (quantity(policy)) {
    case Quantity::kUplift:
      return "The uplift of an action is how much more all variables together pay when it is taken "
             "than when nothing is done.";
    case Quantity::kDifference:
      return fmt::format(
          "The difference of an action is how much more all variables together pay when it is "
          "taken than when {} is. {}",
          reference, why_no_uplift(policy));
    case Quantity::kReward:
      return "The reward of an action is what all variables together pay when it is taken.";
  }
  return "";
}

std::string interval_text(const Policy& policy) {
  if (draws_from_prior(policy)) return "95 % of the posterior";
  if (learns_noise(policy)) return "95 % confidence intervals";
  const bool unknown_sets = policy.resolution().kind == Resolution::Kind::kVariables &&
                            policy.knowledge().affected() == nullptr;
  return fmt::format(
      "the policy's confidence bounds{}",
      unknown_sets ? ", of the variables it has identified and of those it counts in" : "");
}

}  // namespace updraft
