#include "service/http_routes.h"

namespace updraft {
namespace {

/// Longer than any path with a campaign and a decision that may exist.
constexpr std::size_t kLongestPath = 500;

constexpr Route kRoutes[] = {
    {Endpoint::kPage, "GET", "/"},
    {Endpoint::kPageFile, "GET", "/assets/{file}"},
    {Endpoint::kHealth, "GET", "/healthz"},
    {Endpoint::kReady, "GET", "/readyz"},
    {Endpoint::kMetrics, "GET", "/metrics", kReads},
    {Endpoint::kSchema, "GET", "/v1/schema"},
    {Endpoint::kOpenApi, "GET", "/v1/openapi.json"},
    {Endpoint::kListCampaigns, "GET", "/v1/campaigns", kReads},
    {Endpoint::kCreateCampaign, "POST", "/v1/campaigns", kManages},
    {Endpoint::kShowCampaign, "GET", "/v1/campaigns/{campaign}", kReads | kManages},
    {Endpoint::kStopCampaign, "POST", "/v1/campaigns/{campaign}/stop", kManages},
    {Endpoint::kGoLive, "POST", "/v1/campaigns/{campaign}/live", kManages},
    {Endpoint::kArchiveCampaign, "POST", "/v1/campaigns/{campaign}/archive", kManages},
    {Endpoint::kDeleteCampaign, "DELETE", "/v1/campaigns/{campaign}", kManages},
    {Endpoint::kReport, "GET", "/v1/campaigns/{campaign}/report", kReads},
    {Endpoint::kHistory, "GET", "/v1/campaigns/{campaign}/history", kReads},
    {Endpoint::kLearnPast, "POST", "/v1/campaigns/{campaign}/history", kManages},
    {Endpoint::kEvents, "GET", "/v1/campaigns/{campaign}/events", kReads},
    {Endpoint::kVariables, "GET", "/v1/campaigns/{campaign}/actions/{action}/variables", kReads},
    {Endpoint::kPauseAction, "POST", "/v1/campaigns/{campaign}/actions/{action}/pause", kManages},
    {Endpoint::kResumeAction, "POST", "/v1/campaigns/{campaign}/actions/{action}/resume", kManages},
    {Endpoint::kRetireAction, "POST", "/v1/campaigns/{campaign}/actions/{action}/retire", kManages},
    {Endpoint::kListDecisions, "GET", "/v1/campaigns/{campaign}/decisions", kReads},
    {Endpoint::kDecide, "POST", "/v1/campaigns/{campaign}/decisions", kDecides},
    {Endpoint::kShowDecision, "GET", "/v1/campaigns/{campaign}/decisions/{decision}",
     kReads | kDecides},
    {Endpoint::kPay, "PUT", "/v1/campaigns/{campaign}/decisions/{decision}/payoffs", kDecides},
};

/// Takes the first segment, without its slash, off a path.
std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

/// Whether the path has the pattern; leaves in `match` what the names stand for.
bool fits(std::string_view pattern, std::string_view path, RouteMatch& match) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = take_segment(pattern);
    const std::string_view given = take_segment(path);
    if (wanted == "{campaign}") {
      match.campaign = given;
    } else if (wanted == "{decision}") {
      match.decision = given;
    } else if (wanted == "{action}") {
      match.action = given;
    } else if (wanted == "{file}") {  // whose path is enough
    } else if (wanted != given) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

}  // namespace

bool is_page(Endpoint endpoint) {
  return endpoint == Endpoint::kPage || endpoint == Endpoint::kPageFile;
}

std::span<const Route> routes() { return kRoutes; }

RouteMatch match_route(std::string_view method, std::string_view path) {
  if (path.empty() || path.front() != '/' || path.size() > kLongestPath) return {};
  if (method == "HEAD") method = "GET";
  RouteMatch match;
  for (const Route& route : kRoutes) {
    RouteMatch names;
    if (!fits(route.pattern, path, names)) continue;
    match.pattern = route.pattern;
    match.campaign = std::move(names.campaign);
    match.decision = std::move(names.decision);
    match.action = std::move(names.action);
    match.methods.push_back(route.method);
    if (route.method == method) match.route = &route;
  }
  return match;
}

}  // namespace updraft
