#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/roles.h"

namespace updraft {

/// What can be asked for over HTTP. docs/service.md
enum class Endpoint {
  kPage,
  kPageFile,
  kHealth,  ///< whether the process lives
  kReady,   ///< whether it can be asked
  kMetrics,
  kSchema,
  kOpenApi,
  kListCampaigns,
  kCreateCampaign,
  kShowCampaign,
  kStopCampaign,
  kGoLive,
  kArchiveCampaign,
  kDeleteCampaign,
  kReport,
  kHistory,
  kLearnPast,
  kEvents,
  kVariables,
  kPauseAction,
  kResumeAction,
  kRetireAction,
  kListDecisions,
  kDecide,
  kShowDecision,
  kPay,
};

/// A part of the dashboard, which knows nothing of campaigns and so is for everybody: browsers send
/// no token before there is a page that asks for it.
bool is_page(Endpoint endpoint);

struct Route {
  Endpoint endpoint;
  std::string_view method;
  std::string_view pattern;  ///< {campaign} and the like stand for any one segment
  Roles roles = 0;           ///< any of these will do; 0: none is needed
};

std::span<const Route> routes();

/// What a path means.
struct RouteMatch {
  const Route* route = nullptr;  ///< null if no route has both the path and the method
  std::string_view pattern;      ///< of the path; empty if no route has it
  std::string campaign;
  std::string decision;
  std::string action;
  std::vector<std::string_view> methods;  ///< that the path takes
};

/// HEAD is answered where GET is.
RouteMatch match_route(std::string_view method, std::string_view path);

}  // namespace updraft
