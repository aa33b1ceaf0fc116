#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/access_tokens.h"
#include "service/http_metrics.h"
#include "service/http_routes.h"
#include "service/queries.h"
#include "service/service.h"

namespace updraft {

struct HttpRequest {
  std::string_view method;
  std::string_view path;  ///< decoded, without the query
  std::string_view body;
  Query query = {};
  std::string known_tags = "";      ///< If-None-Match
  const TokenHolder* by = nullptr;  ///< null if nobody needs a token
  bool from_node = false;           ///< another node passes it on, and it stays here
};

class NodeRelay;

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string_view packed = {};  ///< the body in gzip, if that was made before
  Commit commit = {};            ///< HttpApi::when_kept
};

/// The API of docs/service.md: requests onto calls of a Service, results and exceptions onto
/// answers. Safe for use by many threads; answer() never throws but for want of memory.
class HttpApi {
 public:
  /// Given what went wrong where an answer says no more than "internal error".
  using Log = std::function<void(const std::string&)>;

  explicit HttpApi(Log log) : log_(std::move(log)) {}

  /// Until then /readyz and all of /v1 that needs it answer 503. The service must outlive this, or
  /// be taken away again with null when nobody asks any more.
  void set_service(Service* service) { service_ = service; }

  /// What passes requests on whose campaigns other nodes serve; without it they are answered 503.
  void set_relay(NodeRelay* relay) { relay_ = relay; }

  /// An answer with a commit may only be given after when_kept().
  HttpAnswer answer(const HttpRequest& request, const RouteMatch& match);

  /// Calls `done` once with null if the commit is on disk, else with the answer to give instead.
  /// Now, or later in another thread, which must not be held up.
  using Kept = std::function<void(HttpAnswer*)>;
  void when_kept(Commit commit, Kept done);

  HttpMetrics& metrics() { return metrics_; }

 private:
  HttpAnswer dispatch(const HttpRequest& request, const RouteMatch& match);
  /// With the campaigns of all nodes.
  HttpAnswer list_everywhere(const Service& service, const HttpRequest& request);
  HttpAnswer elsewhere(const Elsewhere& error, const HttpRequest& request);
  HttpAnswer metrics_answer(const Service* service, const TokenHolder* by) const;
  HttpAnswer of_service(Service& service, const HttpRequest& request, const RouteMatch& match);

  Log log_;
  std::atomic<Service*> service_ = nullptr;
  NodeRelay* relay_ = nullptr;
  HttpMetrics metrics_;
};

/// {"error": {"message": ...}} as JSON.
HttpAnswer error_answer(int status, std::string_view message);

/// src/service/openapi.json with this version and these policies, and its schemas of the three
/// bodies: {"campaign": ..., "decision": ..., "payoffs": ...}.
const std::string& openapi_document();
const std::string& request_schemas();

}  // namespace updraft
