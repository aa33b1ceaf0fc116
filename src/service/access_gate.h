#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "service/access_tokens.h"
#include "service/http_api.h"
#include "service/http_routes.h"
#include "service/rate_limit.h"
#include "service/request_head.h"

namespace updraft {

/// Who may ask for what, and how often. Tokens may be exchanged while requests are served. Safe for
/// many threads.
class AccessGate {
 public:
  /// `node_secret`: what other nodes know that pass requests on; empty if there are none.
  explicit AccessGate(AccessTokens tokens, std::string node_secret = {})
      : node_secret_(std::move(node_secret)) {
    set_tokens(std::move(tokens));
  }

  /// Rates are counted from the beginning.
  void set_tokens(AccessTokens tokens);

  struct Admission {
    std::optional<HttpAnswer> refusal;      ///< for a client without access
    std::shared_ptr<const TokenHolder> by;  ///< null if nobody needs a token for this
    bool from_node = false;                 ///< another node has admitted it
  };
  Admission admit(const RequestHead& head, const RouteMatch& match, RateLimit::Time now);

 private:
  struct Guarded {
    AccessTokens tokens;
    std::vector<RateLimit> rates;  // of each token; with the mutex
  };

  Admission admit_node(const RequestHead& head) const;

  const std::string node_secret_;
  std::mutex mutex_;
  std::shared_ptr<Guarded> guarded_;
};

}  // namespace updraft
