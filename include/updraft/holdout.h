#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "updraft/decision.h"
#include "updraft/ids.h"
#include "updraft/policy.h"
#include "updraft/stream.h"

namespace updraft {

/// Which shares of the rounds are not the policy's. What is left, at least a tenth, is.
struct RoundShares {
  std::optional<ActionId> control = {};  ///< what the policy is compared with
  double holdout = 0.0;                  ///< of rounds that take the control action; needs one
  double probe = 0.0;                    ///< of rounds that take what the stop rule asks for

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

/// What is held out, by decision number. The number follows those of updraft/stream.h.
inline constexpr Purpose kHoldoutPurpose{14};

/// Whose round the decision `number` is: one uniform draw of stream.with(kHoldoutPurpose).
RoundOf round_of(const RoundShares& shares, const Stream& stream, std::uint64_t number);

/// What the evidence asks of its next decision (Evidence::steering()).
struct Steering {
  ActionId probe = 0;  ///< what a probe takes; if that is paused, what the policy would
  /// Actions that only the holdout may take. They increase, and are not all. The policy chooses
  /// among the others, as in a round that does not allow these.
  std::span<const ActionId> paused = {};
};

/// A decision of a plain or contextual policy of which a share of the rounds was taken away.
struct SharedDecision {
  /// What was taken, with its exact probability: that of the mixture
  ///   policy() * (the policy's) + holdout * [control] + probe * [what is probed]
  Decision decision;
  /// What the policy would have taken, of the actions that it may take.
  ActionId candidate = 0;
  RoundOf whose = RoundOf::kPolicy;
};

/// What decide_with_shares() would give. Decides nothing. If the round itself allows only some
/// actions, who made it has reasons that nobody knows: the round is the policy's, and no evidence.
SharedDecision preview_with_shares(Policy& policy, const Round& round, const Stream& stream,
                                   const RoundShares& shares, const Steering& steering = {});

/// Per action, the probability with which the next decision of a plain policy takes it.
std::vector<double> probabilities_with_shares(Policy& policy, const Stream& stream,
                                              const RoundShares& shares,
                                              const Steering& steering = {});

/// Decides with shares: the policy makes its choice first, then round_of() says whose round it is.
/// The policy counts the action that is taken. Costs what decide() does; Policy::probabilities()
/// besides if something is paused or the action that is taken is not the policy's choice. Throws
/// InvalidInput as decide(), and for a targeting policy.
SharedDecision decide_with_shares(Policy& policy, const Round& round, const Stream& stream,
                                  const RoundShares& shares, const Steering& steering = {});
/// The same of a plain policy, whose rounds are all alike.
SharedDecision decide_with_shares(Policy& policy, const Stream& stream, const RoundShares& shares,
                                  const Steering& steering = {});

}  // namespace updraft
