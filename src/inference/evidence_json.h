#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "updraft/evidence.h"
#include "updraft/log_evidence.h"

namespace updraft {

/// Evidence in the words of reports, each with its sentence (updraft/evidence_text.h). What is not
/// known is absent. Actions are named as in sentences.

/// {settled, text, best, since, error, disputed, leader, more_rounds, rivals: [{action, beaten,
/// difference, low, high}]}
nlohmann::json settled_json(const Settlement& settlement,
                            std::span<const std::string> action_names);

/// {control, text, per, counted, held_out, gain, low, high, by_sets: {gain, low, high}, by_model,
/// disagree}
nlohmann::json gain_json(const Gain& gain, const std::string& control,
                         const std::string& unit = "round");

/// One for each alarm: {guardrail, action, text, since, change, low, high, allowed, pauses}
nlohmann::json guardrails_json(std::span<const GuardrailAlarm> alarms,
                               const EvidenceOptions& options,
                               std::span<const std::string> action_names);

/// Into an object: settled, guardrails, and with a control action gain, which may be {control,
/// refusal}.
void put_evidence(const LogEvidence& evidence, const LogEvidenceOptions& options,
                  nlohmann::json& out);

}  // namespace updraft
