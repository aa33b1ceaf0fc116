#include "service/definition_evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/json_document.h"
#include "core/json_fields.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using nlohmann::json;

constexpr double kLargestHoldout = 0.9;  // and of probes, and of both together
constexpr std::size_t kMostGuardrails = 100;
constexpr std::size_t kLongestGuardrail = 200;
constexpr double kLargestTolerance = 1e90;

double share_field(const json& value, const char* path) {
  const double share = number_field(value, path);
  if (share > 0.0 && share <= kLargestHoldout) return share;
  throw InvalidInput(path, share, "must be > 0 and at most 0.9");
}

double held_out_share(const json& holdout) {
  return share_field(required(holdout, "holdout", "share"), "holdout.share");
}

void read_probe(const json& value, CampaignDefinition& campaign, json& shortest) {
  if (campaign.shape || campaign.contexts) {
    throw InvalidInput("probe", "is for plain policies, whose best action can be settled");
  }
  if (campaign.shadow) {
    throw InvalidInput("probe", "cannot be combined with shadow mode, in which others decide");
  }
  RoundShares& shares = campaign.evidence.shares;
  shares.probe = share_field(value, "probe");
  if (!(shares.holdout + shares.probe <= kLargestHoldout)) {
    throw InvalidInput("probe", shares.probe, "must be at most 0.9 together with holdout.share");
  }
  shortest["probe"] = shares.probe;
}

void read_holdout(const json& holdout, CampaignDefinition& campaign, json& shortest) {
  if (campaign.shape) {
    check_keys(holdout, "holdout", {"share"});
    campaign.people_held_out = held_out_share(holdout);
    shortest["holdout"] = {{"share", campaign.people_held_out}};
    return;
  }
  check_keys(holdout, "holdout", {"control", "share"});
  RoundShares& shares = campaign.evidence.shares;
  shares.control =
      action_field(required(holdout, "holdout", "control"), campaign, "holdout.control");
  shares.holdout = held_out_share(holdout);
  shortest["holdout"] = {{"control", *shares.control}, {"share", shares.holdout}};
}

VariableSet guarded_variables(const json& list, const CampaignDefinition& campaign,
                              const std::string& path) {
  if (!list.is_array() || list.empty()) {
    throw InvalidInput(path, "must be a list of variables, at least one");
  }
  std::vector<VariableId> ids;
  for (const json& item : list) {
    ids.push_back(variable_field(item, campaign, campaign.knowledge->variables(),
                                 [&] { return fmt::format("{}[{}]", path, ids.size()); }));
  }
  return VariableSet::from_ids(ids, path);
}

Guardrail guardrail_from(const json& object, const CampaignDefinition& campaign,
                         const std::string& path) {
  check_keys(object, path, {"name", "variables", "tolerance", "pause"});
  Guardrail guardrail;
  guardrail.name = text_field(required(object, path, "name"), member_path(path, "name"));
  if (guardrail.name.empty() || guardrail.name.size() > kLongestGuardrail) {
    throw InvalidInput(member_path(path, "name"),
                       fmt::format("has {} bytes; must have from 1 to {}", guardrail.name.size(),
                                   kLongestGuardrail));
  }
  guardrail.variables = guarded_variables(required(object, path, "variables"), campaign,
                                          member_path(path, "variables"));
  const std::string tolerance = member_path(path, "tolerance");
  guardrail.tolerance = number_field(required(object, path, "tolerance"), tolerance);
  if (!(guardrail.tolerance >= 0.0 && guardrail.tolerance <= kLargestTolerance)) {
    throw InvalidInput(tolerance, guardrail.tolerance, "must be from 0 to 1e90");
  }
  if (object.contains("pause")) {
    const json& pause = object["pause"];
    if (!pause.is_boolean())
      throw InvalidInput(member_path(path, "pause"), "must be true or false");
    guardrail.pause = pause.get<bool>();
  }
  return guardrail;
}

void read_guardrails(const json& list, CampaignDefinition& campaign, json& shortest) {
  if (campaign.shape || campaign.contexts) {
    throw InvalidInput("guardrails",
                       "need variables that are the same in every round, which only "
                       "campaigns with plain policies have");
  }
  if (!list.is_array() || list.empty() || list.size() > kMostGuardrails) {
    throw InvalidInput("guardrails", fmt::format("must be a list of 1 to {}", kMostGuardrails));
  }
  if (!campaign.evidence.shares.control && campaign.knowledge->baseline() == nullptr) {
    throw InvalidInput("guardrails",
                       "need something to compare with: a holdout, or knowledge.baseline");
  }
  std::vector<Guardrail>& guardrails = campaign.evidence.guardrails;
  json& kept = shortest["guardrails"] = json::array();
  for (const json& object : list) {
    const std::string path = fmt::format("guardrails[{}]", guardrails.size());
    Guardrail guardrail = guardrail_from(object, campaign, path);
    if (std::any_of(guardrails.begin(), guardrails.end(),
                    [&](const Guardrail& other) { return other.name == guardrail.name; })) {
      throw InvalidInput(member_path(path, "name"), clipped(guardrail.name),
                         "is repeated; names must be distinct");
    }
    kept.push_back({{"name", guardrail.name},
                    {"variables", guardrail.variables.ids()},
                    {"tolerance", guardrail.tolerance},
                    {"pause", guardrail.pause}});
    guardrails.push_back(std::move(guardrail));
  }
}

}  // namespace

void read_evidence(const json& document, CampaignDefinition& campaign, json& shortest) {
  if (document.contains("holdout")) read_holdout(document["holdout"], campaign, shortest);
  if (document.contains("probe")) read_probe(document["probe"], campaign, shortest);
  if (document.contains("guardrails")) read_guardrails(document["guardrails"], campaign, shortest);
}

}  // namespace updraft
