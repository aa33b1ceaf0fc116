#pragma once

#include <memory>
#include <mutex>
#include <optional>
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
  explicit AccessGate(AccessTokens tokens) { set_tokens(std::move(tokens)); }

  /// Rates are counted from the beginning.
  void set_tokens(AccessTokens tokens);

  struct Admission {
    std::optional<HttpAnswer> refusal;      ///< for a client without access
    std::shared_ptr<const TokenHolder> by;  ///< null if nobody needs a token for this
  };
  Admission admit(const RequestHead& head, const RouteMatch& match, RateLimit::Time now);

 private:
  struct Guarded {
    AccessTokens tokens;
    std::vector<RateLimit> rates;  // of each token; with the mutex
  };

  std::mutex mutex_;
  std::shared_ptr<Guarded> guarded_;
};

}  // namespace updraft
