#include "service/campaign_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "inference/evidence_json.h"
#include "monitor/payoff_statistics.h"
#include "service/event_kinds.h"
#include "service/knowledge_summary.h"
#include "updraft/estimate_text.h"
#include "updraft/evidence_text.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json number_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

/// The variables by name if they have one.
Json variables_json(const VariableSet& set, const CampaignDefinition& definition) {
  Json out = Json::array();
  set.for_each([&](VariableId id) {
    definition.variable_names.empty() ? out.push_back(id)
                                      : out.push_back(definition.variable_names[id]);
  });
  return out;
}

Json count_or_null(const VariableSet* set) {
  return set == nullptr ? Json(nullptr) : Json(set->size());
}

const VariableSet* pointer(const std::optional<VariableSet>& set) { return set ? &*set : nullptr; }

void put_estimate(const IntervalEstimate& estimate, Json& out) {
  out["estimate"] = number_or_null(estimate.value);
  out["low"] = estimate.interval ? finite_or_null(estimate.interval->low) : Json(nullptr);
  out["high"] = estimate.interval ? finite_or_null(estimate.interval->high) : Json(nullptr);
}

/// How often an action was chosen, of `all`.
void put_choices(std::uint64_t chosen, std::uint64_t all, Json& out) {
  out["decided"] = chosen;
  out["share"] =
      all == 0 ? Json(nullptr) : Json(static_cast<double>(chosen) / static_cast<double>(all));
}

std::uint64_t sum(std::span<const std::uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {finite_or_null(interval->low), finite_or_null(interval->high)};
}

Json difference_json(const std::optional<RewardDifference>& difference, bool noise_known) {
  if (!difference) return nullptr;
  return {{"estimate", difference->estimate},
          {"standard_error", number_or_null(difference->standard_error)},
          {"interval", noise_known ? interval_json(difference->interval) : Json(nullptr)}};
}

Json action_json(const ActionExplanation& about, const CampaignDefinition& definition,
                 bool only_counts) {
  Json out = {{"pulls", about.pulls},
              {"index", finite_or_null(about.index)},
              {"radius", finite_or_null(about.radius)},
              {"reward", number_or_null(about.reward)},
              {"uplift", number_or_null(about.uplift)},
              {"standard_error", number_or_null(about.standard_error)},
              {"probability_best", number_or_null(about.probability_best)},
              {"interval", interval_json(about.interval)}};
  out["identified_count"] = count_or_null(pointer(about.identified));
  out["padding_count"] = count_or_null(pointer(about.padding));
  if (only_counts) return out;
  if (about.identified) out["identified"] = variables_json(*about.identified, definition);
  if (about.padding) out["padding"] = variables_json(*about.padding, definition);
  return out;
}

/// What holds at every time. `explanation` is null unless the policy is plain.
void put_evidence(const LiveCampaign& campaign, const Explanation* explanation, Json& out) {
  const std::vector<std::string>& names = campaign.definition().action_names;
  if (const PeopleHoldout* people = campaign.evidence().of_people()) {
    out["gain"] = gain_json(people->gain(), "no treatment", "person chosen");
  }
  const Evidence* evidence = campaign.evidence().of_actions();
  if (evidence == nullptr) return;
  if (explanation != nullptr) {
    out["settled"] = settled_json(evidence->settlement(explanation), names);
  }
  const EvidenceOptions& options = evidence->options();
  if (const std::optional<Gain> gain = evidence->gain(explanation)) {
    out["gain"] = gain_json(*gain, name_of_action(*options.shares.control, names));
  }
  if (!options.guardrails.empty()) {
    out["guardrails"] = guardrails_json(evidence->alarms(), options, names);
  }
}

Json actions_json(const LiveCampaign& campaign, const Explanation& explanation, bool only_counts) {
  const CampaignDefinition& definition = campaign.definition();
  const AffectedSets* declared = definition.knowledge->affected().get();
  const std::uint64_t all = sum(campaign.monitor().chosen());
  const std::vector<double> next =
      campaign.stopped() ? std::vector<double>() : campaign.next_probabilities();
  const std::span<const ActionId> paused = campaign.evidence().paused();
  const ActionRoster& roster = campaign.action_changes().roster();
  Json actions = Json::array();
  for (ActionId a = 0; a < explanation.actions.size(); ++a) {
    Json row = action_json(explanation.actions[a], definition, only_counts);
    row["difference"] = difference_json(explanation.actions[a].difference, explanation.noise_known);
    row["action"] = a;
    row["probability"] = next.empty() ? Json(nullptr) : Json(next[a]);
    if (!definition.action_names.empty()) row["name"] = definition.action_names[a];
    if (explanation.active) row["active"] = bool((*explanation.active)[a]);
    row["declared_count"] = count_or_null(declared == nullptr ? nullptr : &declared->of(a));
    row["status"] = name_of(roster.status(a));
    if (!definition.evidence.guardrails.empty()) {
      row["paused"] = roster.status(a) == ActionStatus::kActive &&
                      std::binary_search(paused.begin(), paused.end(), a);
    }
    put_estimate(explanation.actions[a].estimate, row);
    put_choices(campaign.monitor().chosen()[a], all, row);
    actions.push_back(std::move(row));
  }
  return actions;
}

/// Mean payoffs by treatment, or by action of a campaign with contexts.
Json means_json(const Monitor& monitor, const char* id) {
  const std::vector<IntervalEstimate> means = monitor.mean_payoffs();
  const std::uint64_t all = sum(monitor.chosen());
  Json out = Json::array();
  for (std::size_t j = 0; j < means.size(); ++j) {
    Json row = {{id, j}, {"paid", monitor.tallies()[j].count}};
    put_estimate(means[j], row);
    put_choices(monitor.chosen()[j], all, row);
    out.push_back(std::move(row));
  }
  return out;
}

constexpr std::string_view kPayoffInterval = "95 % of the mean payoff, by the normal law";
constexpr std::string_view kPayoffText =
    "The payoff of an individual with this treatment, on average over those who got it. Treatments "
    "are given to those for whom the policy expects most of them, so these means are not their "
    "effects.";
constexpr std::string_view kContextPayoffText =
    "The payoff of a variable when this action is taken, on average over all variables of those "
    "rounds. The policy takes an action in the contexts in which it expects most of it, so these "
    "means are not its effects.";

void put_targeted(const LiveCampaign& campaign, Json& out) {
  const TargetingShape& shape = campaign.definition().shape.value();
  out["treatments"] = shape.treatments;
  out["budget"] = shape.budget;
  out["features"] = shape.features;
  out["observations"] = campaign.policy().observations();
  out["quantity_text"] = kPayoffText;
  out["interval_text"] = kPayoffInterval;
  out["treated"] = means_json(campaign.monitor(), "treatment");
  out["warnings"] = Json::array();
}

// Campaigns with contexts.

Json taken_json(const LiveCampaign& campaign) {
  const std::vector<std::string>& names = campaign.definition().action_names;
  Json out = means_json(campaign.monitor(), "action");
  for (ActionId action = 0; action < out.size(); ++action) {
    out[action]["pulls"] = campaign.policy().pulls(action);
    out[action]["status"] = name_of(campaign.action_changes().roster().status(action));
    if (!names.empty()) out[action]["name"] = names[action];
  }
  return out;
}

Json context_action_json(const ActionExplanation& about) {
  Json out = {{"index", finite_or_null(about.index)},
              {"chosen", about.chosen},
              {"reason", about.reason},
              {"identified_count", count_or_null(pointer(about.identified))},
              {"padding_count", count_or_null(pointer(about.padding))}};
  out["uplift"] = number_or_null(about.uplift);
  out["low"] = about.interval ? finite_or_null(about.interval->low) : Json(nullptr);
  out["high"] = about.interval ? finite_or_null(about.interval->high) : Json(nullptr);
  out["difference"] = difference_json(about.difference, true);
  return out;
}

/// What the policy estimates now in the context that it decided in last.
Json last_context_json(const LiveCampaign& campaign) {
  const CampaignMonitor::LastContext* last = campaign.last_context();
  if (last == nullptr) return nullptr;
  const std::vector<std::string>& names = campaign.definition().action_names;
  const Round context = campaign.round_of(last->decided);
  const Explanation explanation = campaign.policy().explain(context);
  Json out = {{"decision", last->decision},
              {"action", last->decided.action},
              {"variables", context.size()},
              {"actions", Json::array()}};
  if (explanation.reference_action) out["reference_action"] = *explanation.reference_action;
  for (ActionId action = 0; action < explanation.actions.size(); ++action) {
    Json row = context_action_json(explanation.actions[action]);
    row["action"] = action;
    if (!names.empty()) row["name"] = names[action];
    row["declared_count"] =
        count_or_null(context.affected.empty() ? nullptr : &context.affected[action]);
    out["actions"].push_back(std::move(row));
  }
  return out;
}

Json payoffs_json(const PayoffStatistics& statistics) {
  const bool any = statistics.rounds() > 0;
  return {{"rounds", statistics.rounds()},
          {"mean", any ? Json(statistics.mean()) : Json(nullptr)},
          {"sd", number_or_null(statistics.typical_sd())},
          {"least", any ? Json(statistics.least()) : Json(nullptr)},
          {"largest", any ? Json(statistics.largest()) : Json(nullptr)}};
}

Json warnings_json(const std::vector<AssumptionWarning>& warnings,
                   const CampaignDefinition& definition) {
  Json out = Json::array();
  for (const AssumptionWarning& warning : warnings) {
    Json row = {{"kind", kind_name(warning.kind)},
                {"message", warning.message},
                {"advice", warning.advice}};
    if (warning.action) {
      row["action"] = *warning.action;
      if (!definition.action_names.empty()) row["name"] = definition.action_names[*warning.action];
    }
    out.push_back(std::move(row));
  }
  return out;
}

WarningWords words_of(const CampaignDefinition& definition) {
  return {.actions = definition.action_names,
          .variables = definition.variable_names,
          .learner = "campaign"};
}

void put_contextual(const LiveCampaign& campaign, Json& out) {
  const CampaignDefinition& definition = campaign.definition();
  out["features"] = definition.contexts->features;
  if (!definition.feature_names.empty()) out["feature_names"] = definition.feature_names;
  if (definition.knowledge) out["variables"] = definition.knowledge->variables();
  out["observations"] = campaign.policy().observations();
  out["rows"] = campaign.policy().rows();
  out["quantity_text"] = kContextPayoffText;
  out["interval_text"] = kPayoffInterval;
  out["taken"] = taken_json(campaign);
  out["last_context"] = last_context_json(campaign);
  out["warnings"] =
      warnings_json(campaign.monitor().context_warnings(
                        definition.spec, campaign.policy().observations(), words_of(definition)),
                    definition);
}

Json time_or_null(const std::optional<std::int64_t>& time_ms) {
  return time_ms ? Json(*time_ms) : Json(nullptr);
}

/// To six digits, which is what a picture shows.
Json drawn(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", *value).c_str(), nullptr);
}

bool of_differences(const LiveCampaign& campaign) {
  return campaign.is_plain() && campaign.monitor().quantity() == Quantity::kDifference;
}

std::string_view quantity_of(const LiveCampaign& campaign) {
  return campaign.is_plain() ? name_of(campaign.monitor().quantity()) : "payoff";
}

std::uint64_t history_version(const EstimateHistory& history) {
  return history.points().empty() ? 0 : history.points().back().event;
}

Json action_history(const EstimateHistory& history, std::size_t action) {
  Json out = {{"action", action},
              {"decided", Json::array()},
              {"estimate", Json::array()},
              {"low", Json::array()},
              {"high", Json::array()}};
  for (const EstimateHistory::Point& point : history.points()) {
    const IntervalEstimate& estimate = point.estimates[action];
    std::optional<double> low;
    std::optional<double> high;
    if (estimate.interval) {
      low = estimate.interval->low;
      high = estimate.interval->high;
    }
    out["decided"].push_back(point.chosen[action]);
    out["estimate"].push_back(drawn(estimate.value));
    out["low"].push_back(drawn(low));
    out["high"].push_back(drawn(high));
  }
  return out;
}

/// Rounds that the policy has learned from and did not decide.
void put_others_rounds(const LiveCampaign& campaign, Json& out) {
  if (campaign.past_rounds() > 0) {
    out["past"] = {{"rounds", campaign.past_rounds()}, {"batches", campaign.past_batches().size()}};
  }
  if (!campaign.definition().shadow) return;
  const auto [decisions, agreed] = campaign.shadow();
  out["shadow"] = {{"decisions", decisions},
                   {"agreed", agreed},
                   {"share", decisions == 0 ? Json(nullptr)
                                            : Json(static_cast<double>(agreed) /
                                                   static_cast<double>(decisions))}};
}

Json counts_json(const CampaignGauges& counts) {
  return {{"decided", counts.decided},
          {"complete", counts.complete},
          {"outstanding", counts.outstanding},
          {"lost", counts.lost},
          {"late", counts.late}};
}

/// When actions were paused, resumed and retired.
Json changes_json(const LiveCampaign& campaign) {
  Json out = Json::array();
  for (const ActionChange& change : campaign.action_changes().changes()) {
    out.push_back({{"event", change.event},
                   {"time_ms", change.time_ms},
                   {"decided", change.decided},
                   {"action", change.action},
                   {"kind", kind_name(kind_of(change.status))}});
  }
  return out;
}

}  // namespace

Json brief(const CampaignGauges& counts, const CampaignDefinition& definition) {
  return {{"name", definition.name},
          {"policy", definition.spec.text()},
          {"stopped", counts.stopped},
          {"mode", counts.in_shadow ? "shadow" : "live"},
          {"state_version", counts.state_version},
          {"last_event_ms", time_or_null(counts.last_event_ms)},
          {"decisions", counts_json(counts)}};
}

Json brief_of_quarantined(const CampaignGauges& counts, const std::string& reason) {
  return {{"name", counts.name},      {"policy", ""},
          {"stopped", false},         {"state_version", 0},
          {"last_event_ms", nullptr}, {"decisions", counts_json(counts)},
          {"quarantined", reason}};
}

Json brief_of_archived(const StoredArchive& archive) { return Json::parse(archive.brief); }

void put_creation(const StoredCampaign& stored, Json& out) {
  if (stored.created_ms != 0) out["created_ms"] = stored.created_ms;
  if (!stored.by.empty()) out["created_by"] = stored.by;
}

Json described(const LiveCampaign& campaign) {
  Json out = brief(campaign.counts(), campaign.definition());
  out["definition"] = Json::parse(campaign.definition().canonical);
  return out;
}

Json campaign_report(const LiveCampaign& campaign, bool only_counts) {
  const CampaignDefinition& definition = campaign.definition();
  Json out = only_counts ? brief(campaign.counts(), definition) : described(campaign);
  out["oldest_outstanding_ms"] = time_or_null(campaign.oldest_outstanding_ms());
  out["wait"] = number_or_null(definition.wait_seconds);
  out["lost"] = definition.lost == LostPayoffs::kZeros ? "zeros" : "skip";
  put_others_rounds(campaign, out);
  out["knowledge_summary"] = knowledge_summary(definition);
  out["quantity"] = quantity_of(campaign);
  out["history_version"] = history_version(campaign.monitor().history());
  if (campaign.is_plain()) {
    const Explanation explanation = campaign.policy().explain();
    const std::string reference = reference_text(explanation, definition.action_names);
    out["quantity_text"] =
        quantity_text(explanation.quantity, campaign.policy().knowledge(), reference);
    out["interval_text"] = interval_text(explanation.interval_kind);
    if (of_differences(campaign)) out["reference_text"] = reference;
    if (explanation.reference_action) out["reference_action"] = *explanation.reference_action;
    out["actions"] = actions_json(campaign, explanation, only_counts);
    put_evidence(campaign, &explanation, out);
    out["payoffs"] = payoffs_json(*campaign.monitor().statistics());
    out["warnings"] = warnings_json(
        campaign.monitor().warnings(campaign.policy(), explanation, words_of(definition)),
        definition);
  } else {
    definition.contexts ? put_contextual(campaign, out) : put_targeted(campaign, out);
    put_evidence(campaign, nullptr, out);
    out["decision_needs"] = need_names(needs_of_decision(definition));
  }
  return out;
}

Json campaign_history(const LiveCampaign& campaign) {
  const EstimateHistory& history = campaign.monitor().history();
  const std::vector<std::string>& names = campaign.definition().action_names;
  Json out = {{"version", history_version(history)},
              {"quantity", quantity_of(campaign)},
              {"decided", Json::array()},
              {"complete", Json::array()},
              {"time_ms", Json::array()},
              {"actions", Json::array()}};
  if (!campaign.action_changes().changes().empty()) out["changes"] = changes_json(campaign);
  if (!history.kept()) {
    out["left_out"] = fmt::format("histories of more than {} actions are not kept",
                                  EstimateHistory::kMostActions);
    return out;
  }
  const bool differences = of_differences(campaign);
  if (differences) out["reference_action"] = Json::array();
  for (const EstimateHistory::Point& point : history.points()) {
    if (differences) {
      out["reference_action"].push_back(point.reference ? Json(*point.reference) : Json(nullptr));
    }
    out["decided"].push_back(point.decided);
    out["complete"].push_back(point.complete);
    out["time_ms"].push_back(point.time_ms);
  }
  for (std::size_t action = 0; action < campaign.monitor().actions(); ++action) {
    Json row = action_history(history, action);
    if (!names.empty()) row["name"] = names[action];
    out["actions"].push_back(std::move(row));
  }
  return out;
}

}  // namespace updraft
