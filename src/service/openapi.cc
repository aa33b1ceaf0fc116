#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "service/http_api.h"
#include "service/openapi_text.h"
#include "updraft/registry.h"
#include "updraft/version.h"

namespace updraft {
namespace {

using nlohmann::json;

/// Of the policies that a campaign can have.
std::string names_of(PolicyKind kind) {
  std::vector<std::string_view> names;
  for (const PolicyInfo& info : policies(kind)) {
    if (info.make != nullptr) names.push_back(info.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

json make_document() {
  json document = json::parse(openapi_text());
  document["info"]["version"] = UPDRAFT_VERSION;
  json& policy =
      document.at(json::json_pointer("/components/schemas/CampaignRequest/properties/policy"));
  policy["description"] =
      fmt::format("{} Plain policies: {}. Targeting policies: {}. Contextual policies: {}.",
                  policy.at("description").get<std::string>(), names_of(PolicyKind::kPlain),
                  names_of(PolicyKind::kTargeting), names_of(PolicyKind::kContextual));
  return document;
}

}  // namespace

const std::string& openapi_document() {
  static const std::string text = make_document().dump(2) + '\n';
  return text;
}

const std::string& request_schemas() {
  static const std::string text = [] {
    const json schemas = make_document().at("components").at("schemas");
    const json bodies = {{"campaign", schemas.at("CampaignRequest")},
                         {"decision", schemas.at("DecisionRequest")},
                         {"payoffs", schemas.at("PayoffsRequest")},
                         {"history", schemas.at("HistoryRequest")}};
    return bodies.dump(2) + '\n';
  }();
  return text;
}

}  // namespace updraft
