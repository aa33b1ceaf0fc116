#include "service/access_gate.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <cmath>

#include "service/listen_address.h"
#include "service/node_relay.h"

namespace updraft {
namespace {

/// "https://host:port" -> "host:port"
std::string_view origin_host(std::string_view origin) {
  const std::size_t slashes = origin.find("://");
  return slashes == origin.npos ? origin : origin.substr(slashes + 3);
}

/// Without tokens, a web page that a browser on this machine shows must not get access:
/// neither under a name of its own for this machine nor by sending forms.
bool comes_from_elsewhere(const RequestHead& head) {
  const std::string_view host = head.value("Host");
  if (!host.empty() && !is_loopback_host(host)) return true;
  return head.count("Origin") > 0 && origin_host(head.value("Origin")) != host;
}

/// Probes send no token, and learn nothing about campaigns.
bool is_for_everybody(const RouteMatch& match) {
  return match.pattern == "/healthz" || match.pattern == "/readyz";
}

HttpAnswer token_wanted() {
  HttpAnswer answer = error_answer(
      401, "needs a header Authorization: Bearer TOKEN with a token from the service's token file");
  answer.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"updraft\"");
  return answer;
}

HttpAnswer too_often(const TokenHolder& holder, double seconds) {
  HttpAnswer answer = error_answer(
      429, fmt::format("token {} may send {} requests per second: nothing was changed; try again",
                       holder.name, holder.rate));
  answer.headers.emplace_back("Retry-After", fmt::format("{:.0f}", std::ceil(seconds)));
  return answer;
}

std::string_view roles_text(Roles roles) {
  switch (roles) {
    case kReads:
      return "read";
    case kDecides:
      return "decide";
    case kManages:
      return "manage";
    case kReads | kDecides:
      return "read or decide";
    default:
      return "read or manage";
  }
}

/// What the holder of a token is not allowed.
std::optional<HttpAnswer> refusal_of(const TokenHolder& holder, const RouteMatch& match) {
  if (match.route == nullptr || match.route->roles == 0) return std::nullopt;
  if ((holder.roles & match.route->roles) == 0) {
    return error_answer(403, fmt::format("token {} needs the role {} for this", holder.name,
                                         roles_text(match.route->roles)));
  }
  if (!match.campaign.empty() && !holder.holds_for(match.campaign)) {
    return error_answer(403, fmt::format("token {} does not hold for this campaign", holder.name));
  }
  return std::nullopt;
}

}  // namespace

void AccessGate::set_tokens(AccessTokens tokens) {
  Guarded next;
  next.tokens = std::move(tokens);
  for (std::size_t i = 0; i < next.tokens.size(); ++i) {
    next.rates.emplace_back(next.tokens.holder(i)->rate);
  }
  const std::lock_guard lock(mutex_);
  guarded_ = std::make_shared<Guarded>(std::move(next));
}

/// The other node has looked at the token, the role and the rate.
AccessGate::Admission AccessGate::admit_node(const RequestHead& head) const {
  const std::string_view given = head.value(NodeHeaders::kSecret);
  const bool same = !node_secret_.empty() && head.count(NodeHeaders::kSecret) == 1 &&
                    given.size() == node_secret_.size() &&
                    CRYPTO_memcmp(given.data(), node_secret_.data(), given.size()) == 0;
  if (!same) {
    return {error_answer(403, "the secret of --node-secret-file is not that of this node"),
            nullptr};
  }
  Admission admission = {.refusal = std::nullopt, .by = nullptr, .from_node = true};
  if (const std::string_view by = head.value(NodeHeaders::kBy); !by.empty()) {
    TokenHolder holder;
    holder.name = by;
    admission.by = std::make_shared<const TokenHolder>(std::move(holder));
  }
  return admission;
}

AccessGate::Admission AccessGate::admit(const RequestHead& head, const RouteMatch& match,
                                        RateLimit::Time now) {
  if (is_for_everybody(match)) return {};
  if (head.count(NodeHeaders::kSecret) > 0) return admit_node(head);
  std::shared_ptr<Guarded> guarded;
  {
    const std::lock_guard lock(mutex_);
    guarded = guarded_;
  }
  const AccessTokens& tokens = guarded->tokens;
  if (tokens.empty()) {
    if (!comes_from_elsewhere(head)) return {};
    return {error_answer(403,
                         "without --token-file the service answers only this machine: Host must "
                         "be localhost, 127.0.0.1 or [::1], and Origin the same"),
            nullptr};
  }
  if (match.route != nullptr && is_page(match.route->endpoint)) return {};
  const std::size_t token =
      head.count("Authorization") == 1 ? tokens.find(head.value("Authorization")) : tokens.size();
  if (token == tokens.size()) return {token_wanted(), nullptr};
  Admission admission = {std::nullopt, tokens.holder(token)};
  {
    const std::lock_guard lock(mutex_);
    const double wait = guarded->rates[token].take(now);
    if (wait > 0.0) admission.refusal = too_often(*admission.by, wait);
  }
  if (!admission.refusal) admission.refusal = refusal_of(*admission.by, match);
  return admission;
}

}  // namespace updraft
