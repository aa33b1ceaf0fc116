#include "updraft/holdout.h"

#include <algorithm>
#include <string>

#include "updraft/error.h"

namespace updraft {
namespace {

/// Rounds of a stream have 32 bits; the index has the rest.
double draw_of(const Stream& stream, std::uint64_t number) {
  return stream.with(kHoldoutPurpose)
      .uniform(static_cast<std::uint32_t>(number), 2 * (number >> 32));
}

bool holds(std::span<const ActionId> actions, ActionId action) {
  return std::binary_search(actions.begin(), actions.end(), action);
}

/// What a round allows that is not paused; empty: all. Throws InvalidInput if nothing is left.
std::vector<ActionId> left_of(const Policy& policy, const Round& round,
                              std::span<const ActionId> paused) {
  std::vector<ActionId> left;
  if (paused.empty()) {
    left.assign(round.allowed.begin(), round.allowed.end());
    return left;
  }
  const AllowedActions allowed(round.allowed);
  allowed.for_each(policy.knowledge().actions(), [&](ActionId action) {
    if (!holds(paused, action)) left.push_back(action);
  });
  if (left.empty()) throw InvalidInput("allowed", "every action in it is paused or retired");
  return left;
}

/// Contextual policies do not draw.
std::vector<double> probabilities_of(Policy& policy, const Round& round, const Stream& stream,
                                     ActionId candidate) {
  if (policy.kind() == PolicyKind::kPlain) return policy.probabilities(round, stream);
  std::vector<double> sure(policy.knowledge().actions(), 0.0);
  sure[candidate] = 1.0;
  return sure;
}

}  // namespace

void check_shares(const RoundShares& shares, std::size_t actions, std::string_view field) {
  const std::string prefix = std::string(field) + ".";
  if (shares.control && *shares.control >= actions) {
    throw InvalidInput(prefix + "control", static_cast<double>(*shares.control),
                       "must be below the number of actions, " + std::to_string(actions));
  }
  if (!(shares.holdout >= 0.0 && shares.holdout < 1.0)) {
    throw InvalidInput(prefix + "holdout", shares.holdout, "must be in [0, 1)");
  }
  if (!(shares.probe >= 0.0 && shares.probe < 1.0)) {
    throw InvalidInput(prefix + "probe", shares.probe, "must be in [0, 1)");
  }
  if (shares.holdout > 0.0 && !shares.control) {
    throw InvalidInput(prefix + "holdout", shares.holdout, "needs a control action");
  }
  if (!(shares.policy() >= 0.1 - 1e-12)) {
    throw InvalidInput(prefix + "holdout", shares.holdout,
                       "must leave at least 0.1 of the rounds to the policy, beside the probes");
  }
}

std::string_view name_of(RoundOf whose) {
  switch (whose) {
    case RoundOf::kPolicy:
      return "policy";
    case RoundOf::kHoldout:
      return "holdout";
    case RoundOf::kProbe:
      return "probe";
  }
  return "";
}

RoundOf round_of(const RoundShares& shares, const Stream& stream, std::uint64_t number) {
  if (!shares.any()) return RoundOf::kPolicy;
  const double draw = draw_of(stream, number);
  if (draw < shares.holdout) return RoundOf::kHoldout;
  return draw < shares.holdout + shares.probe ? RoundOf::kProbe : RoundOf::kPolicy;
}

SharedDecision preview_with_shares(Policy& policy, const Round& round, const Stream& stream,
                                   const RoundShares& shares, const Steering& steering) {
  if (policy.kind() == PolicyKind::kTargeting) {
    throw InvalidInput("policy", policy.spec().text(),
                       "chooses people; a holdout of people is updraft/people_holdout.h");
  }
  const std::vector<ActionId> left = left_of(policy, round, steering.paused);
  Round own = round;
  own.allowed = left;
  SharedDecision shared;
  Decision& decision = shared.decision;
  decision = policy.preview(own, stream);
  const ActionId candidate = shared.candidate = decision.action;
  if (!shares.any() || !round.allowed.empty()) return shared;
  const bool probes = !holds(steering.paused, steering.probe);
  shared.whose = round_of(shares, stream, policy.decisions());
  decision.action = shared.whose == RoundOf::kHoldout           ? *shares.control
                    : shared.whose == RoundOf::kProbe && probes ? steering.probe
                                                                : candidate;
  if (decision.action != candidate) {
    decision.probability = probabilities_of(policy, own, stream, candidate)[decision.action];
    decision.index.reset();
  }
  decision.probability *= shares.policy() + (probes ? 0.0 : shares.probe);
  if (shares.control == decision.action) decision.probability += shares.holdout;
  if (probes && steering.probe == decision.action) decision.probability += shares.probe;
  return shared;
}

std::vector<double> probabilities_with_shares(Policy& policy, const Stream& stream,
                                              const RoundShares& shares, const Steering& steering) {
  const std::vector<ActionId> left = left_of(policy, {}, steering.paused);
  std::vector<double> out = policy.probabilities({.allowed = left}, stream);
  const bool probes = !holds(steering.paused, steering.probe);
  for (double& share : out) share *= shares.policy() + (probes ? 0.0 : shares.probe);
  if (shares.control) out[*shares.control] += shares.holdout;
  if (probes) out[steering.probe] += shares.probe;
  return out;
}

SharedDecision decide_with_shares(Policy& policy, const Round& round, const Stream& stream,
                                  const RoundShares& shares, const Steering& steering) {
  const SharedDecision shared = preview_with_shares(policy, round, stream, shares, steering);
  policy.take(round, shared.decision);
  return shared;
}

SharedDecision decide_with_shares(Policy& policy, const Stream& stream, const RoundShares& shares,
                                  const Steering& steering) {
  return decide_with_shares(policy, Round{}, stream, shares, steering);
}

}  // namespace updraft
