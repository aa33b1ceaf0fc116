#include "updraft/holdout.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "updraft/error.h"

namespace updraft {
namespace {

/// Rounds of a stream have 32 bits; the index has the rest. Twice, as there are two draws.
double draw_of(const Stream& stream, std::uint64_t number, std::uint64_t which) {
  return stream.with(kHoldoutPurpose)
      .uniform(static_cast<std::uint32_t>(number), 2 * (number >> 32) + which);
}

bool holds(std::span<const ActionId> actions, ActionId action) {
  return std::binary_search(actions.begin(), actions.end(), action);
}

/// Contextual policies do not draw.
std::vector<double> probabilities_of(Policy& policy, const Stream& stream, ActionId previewed) {
  if (policy.kind() == PolicyKind::kPlain) return policy.probabilities(stream);
  std::vector<double> sure(policy.knowledge().actions(), 0.0);
  sure[previewed] = 1.0;
  return sure;
}

ActionId largest_index(const Policy& policy, const Round& round, std::span<const ActionId> paused) {
  const bool plain = policy.kind() == PolicyKind::kPlain;
  const Explanation explanation = plain ? Explanation{} : policy.explain(round);
  std::optional<ActionId> best;
  double most = 0.0;
  for (ActionId a = 0; a < policy.knowledge().actions(); ++a) {
    if (holds(paused, a)) continue;
    const double index = plain ? policy.index(a) : explanation.actions[a].index;
    if (best && !(index > most)) continue;
    best = a;
    most = index;
  }
  return best.value();
}

/// The policy's distribution without what is paused.
std::vector<double> without_paused(std::vector<double> shares, const Policy& policy,
                                   const Round& round, std::span<const ActionId> paused) {
  for (const ActionId a : paused) shares[a] = 0.0;
  const double left = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (!(left > 0.0)) shares[largest_index(policy, round, paused)] = 1.0;
  if (left > 0.0) {
    for (double& share : shares) share /= left;
  }
  return shares;
}

ActionId drawn_from(std::span<const double> shares, double draw) {
  ActionId last = 0;
  for (ActionId a = 0; a < shares.size(); ++a) {
    if (!(shares[a] > 0.0)) continue;
    last = a;
    draw -= shares[a];
    if (draw < 0.0) break;
  }
  return last;
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
  const double draw = draw_of(stream, number, 0);
  if (draw < shares.holdout) return RoundOf::kHoldout;
  return draw < shares.holdout + shares.probe ? RoundOf::kProbe : RoundOf::kPolicy;
}

SharedDecision preview_with_shares(Policy& policy, const Round& round, const Stream& stream,
                                   const RoundShares& shares, const Steering& steering) {
  if (policy.kind() == PolicyKind::kTargeting) {
    throw InvalidInput("policy", policy.spec().text(),
                       "chooses people; a holdout of people is updraft/people_holdout.h");
  }
  SharedDecision shared;
  Decision& decision = shared.decision;
  if (!shares.any() && steering.paused.empty()) {
    decision = policy.preview(round, stream);
    shared.candidate = decision.action;
    return shared;
  }
  decision = policy.preview(round, stream);
  shared.candidate = decision.action;
  const ActionId previewed = decision.action;
  const std::uint64_t number = policy.decisions();
  std::vector<double> distribution;
  if (!steering.paused.empty()) {
    distribution =
        without_paused(probabilities_of(policy, stream, previewed), policy, round, steering.paused);
    if (holds(steering.paused, previewed)) {
      shared.candidate = drawn_from(distribution, draw_of(stream, number, 1));
    }
  }
  shared.whose = round_of(shares, stream, number);
  decision.action = shared.whose == RoundOf::kHoldout ? *shares.control
                    : shared.whose == RoundOf::kProbe ? steering.probe
                                                      : shared.candidate;
  if (distribution.empty() && decision.action != previewed) {
    distribution = probabilities_of(policy, stream, previewed);
  }
  if (!distribution.empty()) decision.probability = distribution[decision.action];
  decision.probability *= shares.policy();
  if (shares.control == decision.action) decision.probability += shares.holdout;
  if (steering.probe == decision.action) decision.probability += shares.probe;
  if (decision.action != previewed) decision.index.reset();
  return shared;
}

std::vector<double> probabilities_with_shares(Policy& policy, const Stream& stream,
                                              const RoundShares& shares, const Steering& steering) {
  std::vector<double> out = policy.probabilities(stream);
  if (!steering.paused.empty()) out = without_paused(std::move(out), policy, {}, steering.paused);
  for (double& share : out) share *= shares.policy();
  if (shares.control) out[*shares.control] += shares.holdout;
  out[steering.probe] += shares.probe;
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
