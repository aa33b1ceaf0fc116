#include "inference/evidence_json.h"

#include "updraft/evidence_text.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

void put(Json& out, const char* name, const IntervalEstimate& estimate) {
  if (estimate.value) out[name] = *estimate.value;
  if (!estimate.interval) return;
  out["low"] = estimate.interval->low;
  out["high"] = estimate.interval->high;
}

}  // namespace

Json settled_json(const Settlement& about, std::span<const std::string> action_names) {
  Json out = {{"settled", about.settled},
              {"text", settled_text(about, action_names)},
              {"error", about.error},
              {"disputed", about.disputed},
              {"rivals", Json::array()}};
  if (about.settled || about.disputed) {
    out["best"] = name_of_action(about.best, action_names);
    out["since"] = about.at;
  }
  if (about.leader) out["leader"] = name_of_action(*about.leader, action_names);
  if (about.more_rounds) out["more_rounds"] = *about.more_rounds;
  for (const Rival& rival : about.rivals) {
    Json& row = out["rivals"].emplace_back(
        Json{{"action", name_of_action(rival.action, action_names)}, {"beaten", rival.beaten}});
    put(row, "difference", rival.difference);
  }
  return out;
}

Json gain_json(const Gain& gain, const std::string& control, const std::string& unit) {
  Json out = {{"control", control},
              {"text", gain_text(gain, control, unit)},
              {"per", unit},
              {"counted", gain.counted},
              {"held_out", gain.held_out},
              {"disagree", gain.disagree}};
  put(out, "gain", gain.estimate);
  if (gain.by_sets.value) put(out["by_sets"], "gain", gain.by_sets);
  if (gain.by_model) out["by_model"] = *gain.by_model;
  return out;
}

Json guardrails_json(std::span<const GuardrailAlarm> alarms, const EvidenceOptions& options,
                     std::span<const std::string> action_names) {
  Json out = Json::array();
  for (const GuardrailAlarm& alarm : alarms) {
    const Guardrail& guardrail = options.guardrails[alarm.guardrail];
    out.push_back({{"guardrail", guardrail.name},
                   {"action", name_of_action(alarm.action, action_names)},
                   {"text", guardrail_text(alarm, options, action_names)},
                   {"since", alarm.at},
                   {"change", alarm.change},
                   {"low", alarm.interval.low},
                   {"high", alarm.interval.high},
                   {"allowed", -guardrail.tolerance},
                   {"pauses", guardrail.pause}});
  }
  return out;
}

void put_evidence(const LogEvidence& evidence, const LogEvidenceOptions& options, Json& out) {
  const std::vector<std::string>& actions = options.format.actions;
  out["settled"] = settled_json(evidence.settlement, actions);
  out["guardrails"] = guardrails_json(evidence.alarms, options.evidence, actions);
  if (!options.evidence.shares.control) return;
  const std::string& control = actions[*options.evidence.shares.control];
  out["gain"] = evidence.gain ? gain_json(*evidence.gain, control)
                              : Json{{"control", control}, {"refusal", evidence.gain_refusal}};
}

std::string settled_json_text(const Settlement& about, std::span<const std::string> action_names) {
  return settled_json(about, action_names).dump();
}

std::string gain_json_text(const Gain& gain, const std::string& control, const std::string& unit) {
  return gain_json(gain, control, unit).dump();
}

std::string guardrails_json_text(std::span<const GuardrailAlarm> alarms,
                                 const EvidenceOptions& options,
                                 std::span<const std::string> action_names) {
  return guardrails_json(alarms, options, action_names).dump();
}

std::string evidence_json_text(const LogEvidence& evidence, const LogEvidenceOptions& options) {
  Json out = {{"rounds", evidence.rounds}};
  put_evidence(evidence, options, out);
  return out.dump();
}

}  // namespace updraft
