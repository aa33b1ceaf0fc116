#include "service/campaign_report.h"

#include <cmath>
#include <optional>

namespace updraft {
namespace {

using Json = nlohmann::json;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json number_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

/// The variables by name where they have one.
Json variables_json(const VariableSet& set, const CampaignDefinition& definition) {
  Json out = Json::array();
  set.for_each([&](VariableId id) {
    definition.variable_names.empty() ? out.push_back(id)
                                      : out.push_back(definition.variable_names[id]);
  });
  return out;
}

Json action_json(const ActionExplanation& belief, const CampaignDefinition& definition) {
  Json out = {{"pulls", belief.pulls},
              {"index", finite_or_null(belief.index)},
              {"radius", finite_or_null(belief.radius)},
              {"reward", number_or_null(belief.reward)},
              {"uplift", number_or_null(belief.uplift)},
              {"standard_error", number_or_null(belief.standard_error)},
              {"probability_best", number_or_null(belief.probability_best)},
              {"interval", nullptr}};
  if (belief.interval) {
    out["interval"] = {finite_or_null(belief.interval->low), finite_or_null(belief.interval->high)};
  }
  if (belief.identified) out["identified"] = variables_json(*belief.identified, definition);
  if (belief.padding) out["padding"] = variables_json(*belief.padding, definition);
  return out;
}

Json beliefs_json(const Explanation& explanation, const CampaignDefinition& definition) {
  Json actions = Json::array();
  for (std::size_t a = 0; a < explanation.actions.size(); ++a) {
    Json row = action_json(explanation.actions[a], definition);
    row["action"] = a;
    if (!definition.action_names.empty()) row["name"] = definition.action_names[a];
    if (explanation.active) row["active"] = bool((*explanation.active)[a]);
    actions.push_back(std::move(row));
  }
  return actions;
}

}  // namespace

Json brief(const LiveCampaign& campaign) {
  const CampaignDefinition& definition = campaign.definition();
  const CampaignGauges counts = campaign.counts();
  return {{"name", definition.name},
          {"policy", definition.spec.text()},
          {"stopped", campaign.stopped()},
          {"state_version", campaign.version()},
          {"decisions",
           {{"decided", counts.decided},
            {"complete", counts.complete},
            {"outstanding", counts.outstanding},
            {"lost", counts.lost}}}};
}

Json described(const LiveCampaign& campaign) {
  Json out = brief(campaign);
  out["definition"] = Json::parse(campaign.definition().canonical);
  return out;
}

Json campaign_report(const LiveCampaign& campaign) {
  Json out = described(campaign);
  if (campaign.policy() != nullptr) {
    const Explanation explanation = campaign.policy()->explain();
    out["actions"] = beliefs_json(explanation, campaign.definition());
    if (explanation.baseline_action) out["baseline_action"] = *explanation.baseline_action;
  } else {
    const CampaignShape& shape = campaign.definition().shape.value();
    out["treatments"] = shape.treatments;
    out["budget"] = shape.budget;
    out["features"] = shape.features;
    out["observations"] = campaign.targeting()->observations();
  }
  return out;
}

}  // namespace updraft
