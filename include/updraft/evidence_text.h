#pragma once

#include <span>
#include <string>

#include "updraft/evidence.h"

namespace updraft {

/// One sentence, without a full stop, in the words of all reports. Actions are named by
/// `action_names`, or by "action 3" if it is empty.

/// "settled: A is best, error at most 5 %, at whatever time you look; since round 812", or why it
/// is not: "not settled: A leads; about 40 more rounds".
std::string settled_text(const Settlement& settlement, std::span<const std::string> action_names);

/// "gain over control A: 1.2 per round (0.3 to 2.1, at whatever time you look); by the policy's
/// model 1.1". `unit`: "round", or "person chosen".
std::string gain_text(const Gain& gain, const std::string& control,
                      const std::string& unit = "round");

/// "guardrail sales: A broke it in round 30: changed by -2.1 (-3 to -1.2, ...)".
std::string guardrail_text(const GuardrailAlarm& alarm, const EvidenceOptions& options,
                           std::span<const std::string> action_names);

/// The same with all numbers, as JSON: docs/stopping.md has the fields.
std::string settled_json_text(const Settlement& settlement,
                              std::span<const std::string> action_names);
std::string gain_json_text(const Gain& gain, const std::string& control,
                           const std::string& unit = "round");
std::string guardrails_json_text(std::span<const GuardrailAlarm> alarms,
                                 const EvidenceOptions& options,
                                 std::span<const std::string> action_names);

/// A's name, or "action 3".
std::string name_of_action(ActionId action, std::span<const std::string> action_names);

}  // namespace updraft
