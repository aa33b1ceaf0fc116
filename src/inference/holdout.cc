#include "updraft/holdout.h"

#include <string>

#include "updraft/error.h"

namespace updraft {

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
  if (!(shares.policy() >= 0.1)) {
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

SharedDecision decide_with_shares(Policy& policy, const Stream& stream, const RoundShares& shares,
                                  ActionId probed) {
  SharedDecision shared;
  if (!shares.any()) {
    shared.decision = policy.decide(stream);
    shared.candidate = shared.decision.action;
    return shared;
  }
  Decision& decision = shared.decision;
  decision = policy.preview(stream);
  shared.candidate = decision.action;
  const std::uint64_t number = policy.decisions();
  // Rounds of a stream have 32 bits; the index has the rest.
  const double draw =
      stream.with(kHoldoutPurpose).uniform(static_cast<std::uint32_t>(number), number >> 32);
  if (draw < shares.holdout) {
    shared.whose = RoundOf::kHoldout;
    decision.action = *shares.control;
  } else if (draw < shares.holdout + shares.probe) {
    shared.whose = RoundOf::kProbe;
    decision.action = probed;
  }
  if (decision.action != shared.candidate) {
    decision.probability = policy.probabilities(stream)[decision.action];
  }
  decision.probability *= shares.policy();
  if (shares.control == decision.action) decision.probability += shares.holdout;
  if (probed == decision.action) decision.probability += shares.probe;
  policy.take(decision.action);
  return shared;
}

}  // namespace updraft
