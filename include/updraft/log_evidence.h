#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "updraft/decision_log.h"
#include "updraft/evaluate.h"
#include "updraft/evidence.h"
#include "updraft/knowledge.h"

namespace updraft {

struct LogEvidenceOptions {
  LogFormat format = {};
  /// Of the log's actions and variables; affected sets and baseline count. If absent, nothing is
  /// known.
  std::optional<Knowledge> knowledge = {};
  /// shares.control is what the gain and guardrails compare with; the other shares must be 0.
  EvidenceOptions evidence = {};
};

/// What holds at every time, read from a log that may end anywhere.
struct LogEvidence {
  std::uint64_t rounds = 0;
  Settlement settlement = {};
  /// Of the decisions as they were made, over always taking the control action: in each round,
  ///   (r - m) - [a is the control action] (r - m) / p
  /// with the prediction m of the control action's reward from earlier rounds. None without a
  /// control action, or if it is refused.
  std::optional<Gain> gain = {};
  /// Why there is no gain: the log has no probabilities, or could not have taken the control action
  /// in some rounds.
  std::string gain_refusal = {};
  std::vector<GuardrailAlarm> alarms = {};
};

/// Reads the log once or twice, in constant memory. Throws InvalidInput as LogReader, and if
/// options do not fit the log.
LogEvidence evidence_of(const std::string& path, const LogEvidenceOptions& options);

/// The same of rounds that are not in a file. options.format must name all actions and variables.
LogEvidence evidence_of(const LoggedRounds& rounds, const LogEvidenceOptions& options);

/// As JSON: {rounds, settled, gain, guardrails} (updraft/evidence_text.h); gain is {control,
/// refusal} if it is refused.
std::string evidence_json_text(const LogEvidence& evidence, const LogEvidenceOptions& options);

}  // namespace updraft
