#include "service/http_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "service/dashboard_files.h"
#include "service/node_relay.h"
#include "service/requests.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using nlohmann::json;

/// Texts from outside may not be valid UTF-8; answers always are.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

HttpAnswer json_answer(const json& value, int status = 200) {
  return {.status = status, .body = dumped(value)};
}

HttpAnswer input_answer(const InvalidInput& error) {
  json body = {{"field", error.field()}, {"message", error.what()}};
  if (!error.value().empty()) body["value"] = error.value();
  return json_answer({{"error", std::move(body)}}, 400);
}

HttpAnswer try_again(std::string_view message) {
  HttpAnswer answer = error_answer(503, message);
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

HttpAnswer unavailable_answer(const Unavailable& error) {
  return error.disk_full() ? error_answer(507, error.what()) : try_again(error.what());
}

/// The same as in the first answer, however often it is asked for.
json decision_json(const DecisionAnswer& answer, const CampaignDefinition& campaign) {
  json out = {{"decision", answer.id}, {"state_version", answer.state_version}};
  if (campaign.shape) {
    out["treatments"] = answer.treatments;
    if (answer.probability) out["probability"] = *answer.probability;
    return out;
  }
  out["probability"] = answer.probability ? json(*answer.probability) : json(nullptr);
  out["action"] = answer.action;
  if (!campaign.action_names.empty()) out["action_name"] = campaign.action_names[answer.action];
  if (campaign.evidence.shares.holdout > 0.0) out["held_out"] = answer.held_out;
  if (campaign.evidence.shares.probe > 0.0) out["probe"] = answer.probe;
  if (answer.by_caller) {
    out["proposal"] = *answer.proposal;
    if (!campaign.action_names.empty()) {
      out["proposal_name"] = campaign.action_names[*answer.proposal];
    }
  }
  out["index"] = answer.index ? json(*answer.index) : json(nullptr);
  return out;
}

/// Long bodies are read one at a time: definitions become a tree of JSON, and a list of small
/// numbers takes several times the memory of its text while it is worked on.
class Turn {
 public:
  Turn(std::string_view body, std::size_t most) : lock_(one_at_a_time, std::defer_lock) {
    if (body.size() > most) lock_.lock();
  }

 private:
  static inline std::mutex one_at_a_time;
  std::unique_lock<std::mutex> lock_;
};
constexpr std::size_t kLongDefinition = std::size_t{1} << 20;
constexpr std::size_t kLongBody = std::size_t{8} << 20;

CampaignDefinition definition_in(std::string_view body) {
  const Turn turn(body, kLongDefinition);
  return parse_definition(body);
}

/// For the events; empty if nobody needs a token.
std::string_view name_of(const TokenHolder* by) {
  return by == nullptr ? std::string_view() : by->name;
}

bool may_see(const TokenHolder* by, std::string_view campaign) {
  return by == nullptr || by->holds_for(campaign);
}

json list(const Service& service, const HttpRequest& request) {
  json out = service.list(parse_list_query(request.query));
  json::array_t& campaigns = out["campaigns"].get_ref<json::array_t&>();
  std::erase_if(campaigns, [&](const json& campaign) {
    return !may_see(request.by, campaign.at("name").get_ref<const std::string&>());
  });
  return out;
}

HttpAnswer create(Service& service, std::string_view body, const TokenHolder* by) {
  const CampaignDefinition definition = definition_in(body);
  if (!may_see(by, definition.name)) {
    return error_answer(
        403, fmt::format("token {} does not hold for a campaign of this name", by->name));
  }
  const bool made = service.create(definition, name_of(by));
  return json_answer(service.show(definition.name), made ? 201 : 200);
}

HttpAnswer stop(Service& service, const std::string& campaign, const TokenHolder* by) {
  service.stop(campaign, name_of(by));
  return json_answer(service.show(campaign));
}

HttpAnswer go_live(Service& service, const std::string& campaign, const TokenHolder* by) {
  service.go_live(campaign, name_of(by));
  return json_answer(service.show(campaign));
}

HttpAnswer set_status(Service& service, const RouteMatch& match, ActionStatus status,
                      const TokenHolder* by) {
  const auto definition = service.definition(match.campaign);
  const ActionId action = action_in_path(match.action, *definition);
  const std::uint64_t version = service.set_status(match.campaign, action, status, name_of(by));
  json out = {{"action", action}, {"status", name_of(status)}, {"state_version", version}};
  if (!definition->action_names.empty()) out["action_name"] = definition->action_names[action];
  return json_answer(out);
}

HttpAnswer learn_past(Service& service, const std::string& campaign, const HttpRequest& request) {
  const Turn turn(request.body, kLongBody);
  const HistoryRequest rounds = parse_history(request.body, *service.definition(campaign));
  const HistoryAnswer answer = service.learn_past(campaign, rounds, name_of(request.by));
  return json_answer({{"batch", answer.batch},
                      {"rounds", answer.rounds},
                      {"state_version", answer.state_version}});
}

HttpAnswer archive(Service& service, const std::string& campaign, const TokenHolder* by) {
  service.archive(campaign, name_of(by));
  return json_answer(service.show(campaign));
}

HttpAnswer remove(Service& service, const std::string& campaign, const TokenHolder* by) {
  service.remove(campaign, name_of(by));
  return json_answer({{"deleted", campaign}});
}

HttpAnswer decide(Service& service, const std::string& campaign, const HttpRequest& request) {
  const auto definition = service.definition(campaign);
  const Turn turn(request.body, kLongBody);
  const DecisionRequest asked = parse_decision(request.body, *definition);
  Commit commit;
  if (asked.batch.size > 0) {
    json list = json::array();
    for (const DecisionAnswer& one :
         service.decide_batch(campaign, asked, name_of(request.by), &commit)) {
      list.push_back(decision_json(one, *definition));
    }
    HttpAnswer answer = json_answer({{"decisions", std::move(list)}});
    answer.commit = commit;
    return answer;
  }
  HttpAnswer answer = json_answer(
      decision_json(service.decide(campaign, asked, name_of(request.by), &commit), *definition));
  answer.commit = commit;
  return answer;
}

HttpAnswer show_decision(Service& service, const RouteMatch& match) {
  const auto definition = service.definition(match.campaign);
  const DecisionAnswer answer = service.decision(match.campaign, match.decision);
  json out = decision_json(answer, *definition);
  out["status"] = status_name(answer.status);
  return json_answer(out);
}

HttpAnswer pay(Service& service, const RouteMatch& match, const HttpRequest& request) {
  const Turn turn(request.body, kLongBody);
  PayoffPart part = parse_payoffs(request.body, *service.definition(match.campaign));
  Commit commit;
  const PayoffsAnswer paid =
      service.pay(match.campaign, match.decision, std::move(part), name_of(request.by), &commit);
  HttpAnswer answer = json_answer({{"decision", paid.id},
                                   {"status", status_name(paid.status)},
                                   {"state_version", paid.state_version}});
  answer.commit = commit;
  return answer;
}

/// A client that has seen this version of the state gets only 304.
HttpAnswer report(const Service& service, const std::string& campaign, const HttpRequest& request) {
  if (!parse_sets_query(request.query)) return json_answer(service.report(campaign));
  const std::shared_ptr<const CampaignView> view = service.view(campaign);
  HttpAnswer answer;
  if (request.known_tags.find(view->tag) != std::string::npos || request.known_tags == "*") {
    answer.status = 304;
  } else {
    answer.body = fmt::format("{{\"now_ms\":{},{}\n", service.now_ms(),
                              std::string_view(view->report).substr(1));
  }
  answer.headers.emplace_back("ETag", view->tag);
  return answer;
}

HttpAnswer variables(const Service& service, const RouteMatch& match, const Query& query) {
  const VariableQuery asked =
      parse_variable_query(match.action, query, *service.definition(match.campaign));
  return json_answer(service.variables(match.campaign, asked));
}

/// How many campaigns are quarantined, without their names: anybody may ask.
HttpAnswer health(const Service* service) {
  if (service == nullptr) return json_answer({{"status", "starting"}});
  const std::size_t quarantined = service->quarantined().size();
  if (quarantined == 0) return json_answer({{"status", "ok"}});
  return json_answer({{"status", "degraded"}, {"quarantined", quarantined}});
}

/// Once the disk has failed, another process must take over.
HttpAnswer readiness(const Service& service) {
  if (!service.trusts_store()) return try_again("the disk failed; the process ends");
  return json_answer({{"status", "ready"}});
}

HttpAnswer wrong_method(const HttpRequest& request, const RouteMatch& match) {
  std::string allowed;
  for (const std::string_view method : match.methods) {
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", method);
    if (method == "GET") allowed += ", HEAD";
  }
  HttpAnswer answer =
      error_answer(405, fmt::format("{} is not allowed for {}; allowed: {}",
                                    request.method.substr(0, 20), match.pattern, allowed));
  answer.headers.emplace_back("Allow", allowed);
  return answer;
}

}  // namespace

HttpAnswer error_answer(int status, std::string_view message) {
  return json_answer({{"error", {{"message", message}}}}, status);
}

HttpAnswer HttpApi::list_everywhere(const Service& service, const HttpRequest& request) {
  json out = list(service, request);
  if (request.from_node || relay_ == nullptr) return json_answer(out);
  json::array_t& campaigns = out["campaigns"].get_ref<json::array_t&>();
  const auto name_of_one = [](const json& one) { return one.at("name").get<std::string>(); };
  std::set<std::string> known;
  for (const json& one : campaigns) known.insert(name_of_one(one));
  for (const auto& [node, address] : service.other_nodes()) {
    const HttpAnswer answer = relay_->pass_on(address, request);
    if (answer.status != 200) {
      out["nodes_that_did_not_answer"].push_back(node);
      continue;
    }
    const json theirs = json::parse(answer.body);
    for (const json& one : theirs.at("campaigns")) {
      const std::string name = name_of_one(one);
      if (may_see(request.by, name) && known.insert(name).second) campaigns.push_back(one);
    }
  }
  std::sort(campaigns.begin(), campaigns.end(), [&](const json& one, const json& other) {
    return name_of_one(one) < name_of_one(other);
  });
  return json_answer(out);
}

HttpAnswer HttpApi::elsewhere(const Elsewhere& error, const HttpRequest& request) {
  if (relay_ == nullptr || request.from_node || error.address().empty()) {
    return try_again(fmt::format("{}: nothing was changed; try again", error.what()));
  }
  return relay_->pass_on(error.address(), request);
}

HttpAnswer HttpApi::of_service(Service& service, const HttpRequest& request,
                               const RouteMatch& match) {
  switch (match.route->endpoint) {
    case Endpoint::kListCampaigns:
      return list_everywhere(service, request);
    case Endpoint::kCreateCampaign:
      return create(service, request.body, request.by);
    case Endpoint::kShowCampaign:
      return json_answer(service.show(match.campaign));
    case Endpoint::kStopCampaign:
      return stop(service, match.campaign, request.by);
    case Endpoint::kGoLive:
      return go_live(service, match.campaign, request.by);
    case Endpoint::kArchiveCampaign:
      return archive(service, match.campaign, request.by);
    case Endpoint::kDeleteCampaign:
      return remove(service, match.campaign, request.by);
    case Endpoint::kReport:
      return report(service, match.campaign, request);
    case Endpoint::kHistory:
      refuse_query(request.query);
      return json_answer(service.history(match.campaign));
    case Endpoint::kLearnPast:
      return learn_past(service, match.campaign, request);
    case Endpoint::kEvents:
      return json_answer(service.events(match.campaign, parse_event_query(request.query)));
    case Endpoint::kVariables:
      return variables(service, match, request.query);
    case Endpoint::kPauseAction:
      return set_status(service, match, ActionStatus::kPaused, request.by);
    case Endpoint::kResumeAction:
      return set_status(service, match, ActionStatus::kActive, request.by);
    case Endpoint::kRetireAction:
      return set_status(service, match, ActionStatus::kRetired, request.by);
    case Endpoint::kListDecisions:
      return json_answer(service.decisions(match.campaign, parse_event_query(request.query)));
    case Endpoint::kDecide:
      return decide(service, match.campaign, request);
    case Endpoint::kShowDecision:
      return show_decision(service, match);
    case Endpoint::kPay:
      return pay(service, match, request);
    default:
      return readiness(service);
  }
}

HttpAnswer HttpApi::metrics_answer(const Service* service, const TokenHolder* by) const {
  std::optional<ServiceGauges> gauges;
  if (service != nullptr) {
    gauges = service->gauges();
    std::erase_if(gauges->campaigns,
                  [&](const CampaignGauges& campaign) { return !may_see(by, campaign.name); });
  }
  return {.type = "text/plain; version=0.0.4; charset=utf-8",
          .body = metrics_.text(gauges ? &*gauges : nullptr)};
}

HttpAnswer HttpApi::dispatch(const HttpRequest& request, const RouteMatch& match) {
  if (match.pattern.empty()) {
    return error_answer(404, "not found; docs/service.md and /v1/openapi.json list all paths");
  }
  if (match.route == nullptr) return wrong_method(request, match);
  Service* service = service_;
  switch (match.route->endpoint) {
    case Endpoint::kPage:
    case Endpoint::kPageFile:
      return dashboard_file(request.path);
    case Endpoint::kHealth:
      return health(service);
    case Endpoint::kMetrics:
      return metrics_answer(service, request.by);
    case Endpoint::kSchema:
      return {.body = request_schemas()};
    case Endpoint::kOpenApi:
      return {.body = openapi_document()};
    default:
      break;
  }
  if (service == nullptr) return try_again("starting: campaigns are being rebuilt; try again");
  return of_service(*service, request, match);
}

void HttpApi::when_kept(Commit commit, Kept done) {
  Service* service = service_;
  if (commit.ticket == 0 || service == nullptr) return done(nullptr);
  service->when_kept(commit, [done = std::move(done)](const Unavailable* failure) {
    if (failure == nullptr) return done(nullptr);
    HttpAnswer answer = unavailable_answer(*failure);
    done(&answer);
  });
}

HttpAnswer HttpApi::answer(const HttpRequest& request, const RouteMatch& match) {
  try {
    try {
      return dispatch(request, match);
    } catch (const Elsewhere& error) {
      return elsewhere(error, request);
    }
  } catch (const InvalidInput& error) {
    return input_answer(error);
  } catch (const NotFound& error) {
    return error_answer(404, error.what());
  } catch (const Conflict& error) {
    return error_answer(409, error.what());
  } catch (const Quarantined& error) {
    return error_answer(503, error.what());
  } catch (const Unavailable& error) {
    return unavailable_answer(error);
  } catch (const std::bad_alloc&) {
    log_("out of memory");
    return try_again("out of memory; nothing was changed");
  } catch (const std::exception& error) {
    log_(error.what());
  } catch (...) {
    log_("an exception of an unknown type");
  }
  return error_answer(500, "internal error; see the log of the service");
}

}  // namespace updraft
