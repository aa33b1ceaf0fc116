#include "service/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr double kNormal95 = 1.959963984540054;

bool draws_from_prior(const Policy& policy) { return policy.spec().name() == "ts"; }

bool on_total(const Policy& policy) { return policy.resolution().kind == Resolution::Kind::kTotal; }

bool learns_noise(const Policy& policy) {
  const PolicyInfo& info = policy_info(policy.spec().name());
  return std::any_of(info.parameters.begin(), info.parameters.end(),
                     [](const ParameterInfo& parameter) { return parameter.name == "refit"; });
}

/// The radius of a mean of `count` payoffs, from that of an action's means.
double radius_of(const ActionExplanation& about, double count) {
  if (count == 0.0) return 0.0;  // counted as known
  return about.radius * std::sqrt(static_cast<double>(about.pulls) / count);
}

/// Declared sets: the radii of the means and of their baselines, over V(a).
double declared_reach(const Policy& policy, ActionId action, const ActionExplanation& about) {
  const Knowledge& knowledge = policy.knowledge();
  const AffectedSets& sets = *knowledge.affected();
  double reach = about.radius * static_cast<double>(sets.of(action).size());
  if (knowledge.baseline() != nullptr) return reach;
  if (const BaselineObservations* table = knowledge.observations()) {
    sets.of(action).for_each([&](VariableId i) { reach += radius_of(about, table->counts[i]); });
    return reach;
  }
  for (const GroupId atom : sets.atoms_of(action)) {
    std::uint64_t others = policy.observations();
    for (const ActionId affecting : sets.affecting(atom)) others -= policy.pulls(affecting);
    reach += static_cast<double>(sets.atoms()->sizes()[atom]) *
             radius_of(about, static_cast<double>(others));
  }
  return reach;
}

/// Unknown sets: the same over the identified variables; the baseline is that of the action that
/// plays it, or of the most pulled one.
double identified_reach(const Policy& policy, const Explanation& explanation,
                        const ActionExplanation& about) {
  const auto count = static_cast<double>(about.identified->size());
  if (policy.knowledge().baseline() != nullptr) return about.radius * count;
  const auto most =
      std::max_element(explanation.actions.begin(), explanation.actions.end(),
                       [](const auto& one, const auto& other) { return one.pulls < other.pulls; });
  const ActionExplanation& baseline =
      explanation.baseline_action ? explanation.actions[*explanation.baseline_action] : *most;
  return count * (about.radius + radius_of(about, static_cast<double>(baseline.pulls)));
}

double reach_of(const Policy& policy, const Explanation& explanation, ActionId action) {
  const ActionExplanation& about = explanation.actions[action];
  if (draws_from_prior(policy)) return kNormal95 * about.radius;
  if (on_total(policy)) return about.index - *about.reward;
  if (about.identified) return identified_reach(policy, explanation, about);
  return declared_reach(policy, action, about);
}

}  // namespace

std::vector<Belief> beliefs(const Policy& policy, const Explanation& explanation) {
  std::vector<Belief> out(explanation.actions.size());
  for (ActionId action = 0; action < out.size(); ++action) {
    const ActionExplanation& about = explanation.actions[action];
    Belief& belief = out[action];
    belief.estimate = about.uplift ? about.uplift : about.reward;
    if (about.pulls == 0 && !draws_from_prior(policy)) belief.estimate.reset();
    if (!belief.estimate) continue;
    if (learns_noise(policy)) {
      if (knows_noise(policy)) belief.interval = about.interval;
      continue;
    }
    const double reach = reach_of(policy, explanation, action);
    if (std::isfinite(reach))
      belief.interval = {*belief.estimate - reach, *belief.estimate + reach};
  }
  return out;
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
  return fmt::format("the policy's confidence bounds{}",
                     unknown_sets ? ", over the variables it has identified" : "");
}

}  // namespace updraft
