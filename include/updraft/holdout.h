#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "updraft/decision.h"
#include "updraft/ids.h"
#include "updraft/policy.h"
#include "updraft/stream.h"

namespace updraft {

/// Which shares of the rounds are not the policy's. What is left, at least a tenth, is.
struct RoundShares {
  std::optional<ActionId> control;  ///< what the policy is compared with
  double holdout = 0.0;             ///< of rounds that take the control action; needs one
  double probe = 0.0;               ///< of rounds that take what the stop rule asks for

  double policy() const { return 1.0 - holdout - probe; }
  bool any() const { return holdout > 0.0 || probe > 0.0; }
};

/// Throws InvalidInput that names a field of `field` if a share or the control action is not
/// possible.
void check_shares(const RoundShares& shares, std::size_t actions, std::string_view field);

/// Whose round it was.
enum class RoundOf { kPolicy, kHoldout, kProbe };

/// "policy", "holdout", "probe".
std::string_view name_of(RoundOf whose);

/// A decision of a plain policy of which a share of the rounds was taken away.
struct SharedDecision {
  /// What was taken, with its exact probability: that of the mixture
  ///   policy() * (the policy's) + holdout * [control] + probe * [what is probed]
  Decision decision;
  ActionId candidate = 0;  ///< what the policy would have taken
  RoundOf whose = RoundOf::kPolicy;
};

/// Draws of the holdout: one by decision number. Its number follows those of updraft/stream.h.
inline constexpr Purpose kHoldoutPurpose{14};

/// Decides with shares: the policy makes its choice first, then one uniform draw of
/// stream.with(kHoldoutPurpose) says whose round it is. The policy counts the action that is
/// taken. `probed` is what a probe takes. Costs what decide() does; Policy::probabilities() besides
/// if the action that is taken is not the policy's choice.
SharedDecision decide_with_shares(Policy& policy, const Stream& stream, const RoundShares& shares,
                                  ActionId probed = 0);

}  // namespace updraft
