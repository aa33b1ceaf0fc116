#include "service/http_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "service/limited_server.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using Clock = std::chrono::steady_clock;

/// Of one connection.
constexpr std::size_t kMostRequests = 1'000'000;

/// Connections that wait to be accepted.
constexpr int kMostWaiting = 1024;

constexpr std::size_t kMostHeaders = 100;

// Checks of the options.

void check_options(const HttpServerOptions& options) {
  if (!options.listen.is_loopback() && options.tokens.empty()) {
    throw InvalidInput("--listen", options.listen.text(),
                       "can be reached from other machines and needs a --token-file; without one, "
                       "listen on 127.0.0.1, [::1] or localhost");
  }
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    throw InvalidInput(options.tls_key.empty() ? "--tls-key" : "--tls-cert",
                       "must be given: a certificate and its key are needed together");
  }
}

void check_readable(std::string_view field, const std::string& path) {
  if (!std::ifstream(path)) throw InvalidInput(field, path, "cannot be read");
}

std::unique_ptr<LimitedServer> make_server(const HttpServerOptions& options) {
  if (options.tls_certificate.empty()) return std::make_unique<LimitedServer>(options.limits);
  check_readable("--tls-cert", options.tls_certificate);
  check_readable("--tls-key", options.tls_key);
  return std::make_unique<LimitedServer>(options.limits, options.tls_certificate, options.tls_key);
}

/// A port that another program uses stays refused; one whose program has just ended can be used.
void set_socket_options(int socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

// Requests.

/// "https://host:port" -> "host:port"
std::string_view origin_host(std::string_view origin) {
  const std::size_t slashes = origin.find("://");
  return slashes == origin.npos ? origin : origin.substr(slashes + 3);
}

/// Without tokens, a web page that a browser on this machine shows must not get access:
/// neither under a name of its own for this machine nor by sending forms.
bool comes_from_elsewhere(const httplib::Request& request) {
  const std::string host = request.get_header_value("Host");
  if (!host.empty() && !is_loopback_host(host)) return true;
  return request.has_header("Origin") && origin_host(request.get_header_value("Origin")) != host;
}

/// A request without a length has no body, but httplib would wait for one.
bool has_body(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) return true;
  return request.has_header("Content-Length") && request.get_header_value("Content-Length") != "0";
}

/// Whether the two ways to give the length of a body contradict each other or themselves: servers
/// before this one may then have understood another length.
bool has_doubtful_length(const httplib::Request& request) {
  const std::size_t lengths = request.get_header_value_count("Content-Length");
  const std::size_t encodings = request.get_header_value_count("Transfer-Encoding");
  if (lengths + encodings > 1) return true;
  const std::string length = request.get_header_value("Content-Length");
  return lengths == 1 &&
         (length.empty() || length.size() > 18 ||
          !std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

struct Body {
  std::string text;
  bool whole = true;
  bool too_large = false;
};

/// All of a body, unpacked, up to the limit.
Body read_body(const httplib::ContentReader& reader, std::size_t limit) {
  Body body;
  body.whole = reader([&](const char* data, std::size_t length) {
    body.too_large = length > limit - body.text.size();
    if (!body.too_large) body.text.append(data, length);
    return !body.too_large;
  });
  return body;
}

/// What is left of a body must not be taken for another request.
HttpAnswer with_close(HttpAnswer answer) {
  LimitedServer::close_after_answer();
  answer.headers.emplace_back("Connection", "close");
  return answer;
}

void put(const HttpAnswer& answer, httplib::Response& response) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  response.set_content(answer.body, answer.type);
}

std::string_view text_of_status(int status) {
  switch (status) {
    case 413:
      return "the body is too large";
    case 414:
      return "the address is too long";
    case 404:
      return "not found";
    default:
      return "the request cannot be read";
  }
}

}  // namespace

struct HttpServer::Parts {
  HttpServerOptions options;
  HttpApi& api;
  ServiceLog& log;
  std::unique_ptr<LimitedServer> server;
  int port = -1;
  int listening_socket = -1;
  std::atomic<bool> running = false;
  std::atomic<bool> stopped = false;

  Parts(HttpServerOptions given, HttpApi& with_api, ServiceLog& with_log)
      : options(std::move(given)), api(with_api), log(with_log) {}

  void set_limits();
  void set_handlers();
  void bind();

  /// The refusal for a client without access; nothing if it has access.
  std::optional<HttpAnswer> refusal(const httplib::Request& request, const RouteMatch& match);

  /// Answers, counts and logs. `reader` is null if the method has no body.
  void handle(const httplib::Request& request, httplib::Response& response,
              const httplib::ContentReader* reader);
  struct Exchange {
    httplib::Response& response;
    std::size_t bytes_in = 0;
  };
  HttpAnswer answer(const httplib::Request& request, const RouteMatch& match,
                    const httplib::ContentReader* reader, Exchange& exchange);
  /// Answers what httplib itself refused.
  void refuse(const httplib::Request& request, httplib::Response& response);
};

std::optional<HttpAnswer> HttpServer::Parts::refusal(const httplib::Request& request,
                                                     const RouteMatch& match) {
  if (request.headers.size() > kMostHeaders) {
    return error_answer(431, fmt::format("there may be at most {} headers", kMostHeaders));
  }
  if (match.pattern == "/healthz") return std::nullopt;
  if (options.tokens.empty()) {
    if (!comes_from_elsewhere(request)) return std::nullopt;
    return error_answer(403,
                        "without --token-file the service answers only this machine: Host must be "
                        "localhost, 127.0.0.1 or [::1], and Origin the same");
  }
  if (match.route != nullptr && is_page(match.route->endpoint)) return std::nullopt;
  if (request.get_header_value_count("Authorization") == 1 &&
      options.tokens.allow(request.get_header_value("Authorization"))) {
    return std::nullopt;
  }
  HttpAnswer answer = error_answer(
      401, "needs a header Authorization: Bearer TOKEN with a token from the service's token file");
  answer.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"updraft\"");
  return answer;
}

HttpAnswer HttpServer::Parts::answer(const httplib::Request& request, const RouteMatch& match,
                                     const httplib::ContentReader* reader, Exchange& exchange) {
  const auto without_body = [&](HttpAnswer answer) {
    return has_body(request) ? with_close(std::move(answer)) : std::move(answer);
  };
  if (has_doubtful_length(request)) {
    return with_close(
        error_answer(400, "the length of the body must be given once, as a number or in chunks"));
  }
  if (auto refused = refusal(request, match)) return without_body(std::move(*refused));
  if (request.is_multipart_form_data()) {
    return without_body(error_answer(400, "the body must be JSON, not a multipart form"));
  }
  if (reader == nullptr || !has_body(request)) {
    return without_body(api.answer({.method = request.method,
                                    .path = request.path,
                                    .body = {},
                                    .query = {request.params.begin(), request.params.end()},
                                    .known_tags = request.get_header_value("If-None-Match")},
                                   match));
  }
  const Body body = read_body(*reader, options.body_limit);
  exchange.bytes_in = body.text.size();
  if (!body.whole) {
    const int status = body.too_large || exchange.response.status == 413 ? 413 : 400;
    return with_close(error_answer(status, text_of_status(status)));
  }
  return api.answer({.method = request.method, .path = request.path, .body = body.text}, match);
}

void HttpServer::Parts::handle(const httplib::Request& request, httplib::Response& response,
                               const httplib::ContentReader* reader) {
  const auto start = Clock::now();
  const RouteMatch match = match_route(request.method, request.path);
  Exchange exchange{response};
  put(answer(request, match, reader, exchange), response);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  api.metrics().count(match.pattern, request.method, response.status, seconds);
  log.request({.method = request.method,
               .route = match.pattern,
               .campaign = match.campaign,
               .status = response.status,
               .milliseconds = 1e3 * seconds,
               .bytes_in = exchange.bytes_in,
               .bytes_out = response.body.size()});
}

void HttpServer::Parts::refuse(const httplib::Request& request, httplib::Response& response) {
  if (!response.body.empty()) return;
  LimitedServer::close_after_answer();
  put(error_answer(response.status, text_of_status(response.status)), response);
  const std::string_view method = std::string_view(request.method).substr(0, 20);
  api.metrics().count("", method, response.status, 0.0);
  log.request({.method = method,
               .route = "",
               .campaign = "",
               .status = response.status,
               .bytes_out = response.body.size()});
}

void HttpServer::Parts::set_limits() {
  server->set_socket_options([this](int socket) {
    set_socket_options(socket);
    listening_socket = socket;
  });
  server->set_tcp_nodelay(true);
  server->set_keep_alive_max_count(kMostRequests);
  server->set_keep_alive_timeout(
      std::chrono::duration_cast<std::chrono::seconds>(options.limits.keep_alive).count());
  server->set_payload_max_length(options.body_limit);
  server->new_task_queue = [threads = options.threads] { return new httplib::ThreadPool(threads); };
  server->set_default_headers(
      {{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}});
}

void HttpServer::Parts::set_handlers() {
  // Paths are told apart by match_route, so one pattern takes them all.
  const std::string any = R"([\s\S]*)";
  const auto without_body = [this](const httplib::Request& request, httplib::Response& response) {
    handle(request, response, nullptr);
  };
  const auto with_body = [this](const httplib::Request& request, httplib::Response& response,
                                const httplib::ContentReader& reader) {
    handle(request, response, &reader);
  };
  server->Get(any, without_body);
  server->Options(any, without_body);
  server->Post(any, with_body);
  server->Put(any, with_body);
  server->Patch(any, with_body);
  server->Delete(any, with_body);
  server->set_error_handler([this](const httplib::Request& request, httplib::Response& response) {
    refuse(request, response);
  });
  server->set_exception_handler(
      [this](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
        log.error("an exception left a handler");
        put(error_answer(500, "internal error; see the log of the service"), response);
      });
}

void HttpServer::Parts::bind() {
  const ListenAddress& listen = options.listen;
  errno = 0;
  if (listen.port == 0) {
    port = server->bind_to_any_port(listen.host);
  } else if (server->bind_to_port(listen.host, listen.port)) {
    port = listen.port;
  }
  // httplib lets five connections wait to be accepted, and the sixth for a second.
  if (port > 0 && ::listen(listening_socket, kMostWaiting) == 0) return;
  const std::string reason = errno == 0 ? "no such address here" : std::strerror(errno);
  throw std::runtime_error(fmt::format("cannot listen on {}: {}", listen.text(), reason));
}

HttpServer::HttpServer(HttpServerOptions options, HttpApi& api, ServiceLog& log) {
  check_options(options);
  parts_ = std::make_unique<Parts>(std::move(options), api, log);
  parts_->server = make_server(parts_->options);
  parts_->set_limits();
  parts_->set_handlers();
  parts_->bind();
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return parts_->port; }

std::string HttpServer::url() const {
  ListenAddress address = parts_->options.listen;
  address.port = parts_->port;
  return fmt::format("{}://{}", parts_->options.tls_certificate.empty() ? "http" : "https",
                     address.text());
}

void HttpServer::run() {
  parts_->running = true;
  if (!parts_->stopped) parts_->server->listen_after_bind();
  parts_->running = false;
}

void HttpServer::stop() {
  parts_->stopped = true;
  while (parts_->running) {
    parts_->server->stop();
    parts_->server->stop_reading();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace updraft
