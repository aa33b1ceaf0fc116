#include "service/http_server.h"

#include <fmt/format.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "service/content_encoding.h"
#include "service/http_connection-inl.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using Clock = HttpConnection::Clock;
using ErrorCode = boost::system::error_code;
using TlsContext = std::shared_ptr<asio::ssl::context>;

/// Connections that wait to be accepted.
constexpr int kMostWaiting = 4096;
constexpr std::chrono::milliseconds kPulse{50};
constexpr std::chrono::milliseconds kPauseAfterAcceptError{20};

/// Requests with larger bodies, in plain text, are worked on one at a time.
constexpr std::size_t kLargeBody = std::size_t{8} << 20;

/// Shorter answers are not packed.
constexpr std::size_t kLeastPacked = 1400;

// Options.

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

/// TLS 1.2 and up, with keys that are exchanged for each connection. Null without a certificate.
TlsContext make_tls(const HttpServerOptions& options) {
  if (options.tls_certificate.empty()) return nullptr;
  check_readable("--tls-cert", options.tls_certificate);
  check_readable("--tls-key", options.tls_key);
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX* handle = context->native_handle();
  ErrorCode error;
  context->use_certificate_chain_file(options.tls_certificate, error);
  if (!error) context->use_private_key_file(options.tls_key, asio::ssl::context::pem, error);
  const bool usable = !error && SSL_CTX_check_private_key(handle) == 1 &&
                      SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION) == 1 &&
                      SSL_CTX_set_cipher_list(handle, "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL") == 1;
  ERR_clear_error();
  if (!usable) {
    throw InvalidInput(
        "--tls-cert", options.tls_certificate,
        fmt::format("must be a certificate in PEM format, and --tls-key = {} its key",
                    options.tls_key));
  }
  SSL_CTX_set_options(handle, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(handle, SSL_MODE_RELEASE_BUFFERS);
  return context;
}

ConnectionTable::Client client_of(const asio::ip::address& address) {
  ConnectionTable::Client client = {};
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    std::copy(bytes.begin(), bytes.end(), client.begin());
  } else {
    const auto bytes = address.to_v6().to_bytes();
    std::copy_n(bytes.begin(), client.size(), client.begin());
  }
  return client;
}

// Work on requests, in many threads.

HttpAnswer answer_of(HttpApi& api, WholeRequest& request, std::size_t body_limit) {
  if (!request.content_encoding.empty()) {
    if (!lists_token(request.content_encoding, "gzip")) {
      return error_answer(415, "Content-Encoding must be gzip, or absent");
    }
    auto unpacked = from_gzip(request.body, body_limit);
    if (!unpacked) return error_answer(400, "the body is not in the format of gzip");
    if (unpacked->too_large) return error_answer(413, text_of_status(413));
    request.body = std::move(unpacked->text);
  }
  HttpAnswer answer = api.answer({.method = request.method,
                                  .path = request.target.path,
                                  .body = request.body,
                                  .query = request.target.query,
                                  .known_tags = request.known_tags,
                                  .by = request.by.get(),
                                  .from_node = request.from_node},
                                 request.match);
  if (request.takes_gzip && answer.body.size() >= kLeastPacked) {
    answer.body = answer.packed.empty() ? to_gzip(answer.body, 1) : std::string(answer.packed);
    answer.headers.emplace_back("Content-Encoding", "gzip");
  }
  answer.headers.emplace_back("Vary", "Accept-Encoding");
  return answer;
}

HttpAnswer answer_or_failure(HttpApi& api, WholeRequest& request, std::size_t body_limit) {
  try {
    return answer_of(api, request, body_limit);
  } catch (...) {  // for want of memory
    return {.status = 503, .type = "text/plain", .body = ""};
  }
}

/// Whether a packed body is large in plain text; if not, and it can be read, it is unpacked.
bool unpacks_to_large(WholeRequest& request, std::size_t body_limit) {
  if (request.is_large || !lists_token(request.content_encoding, "gzip")) return false;
  try {
    auto unpacked = from_gzip(request.body, std::min(kLargeBody, body_limit));
    if (!unpacked) return false;
    if (unpacked->too_large) return kLargeBody < body_limit;
    request.body = std::move(unpacked->text);
    request.content_encoding.clear();
  } catch (...) {  // for want of memory
  }
  return false;
}

bool is_vital(const RouteMatch& match) {
  if (match.route == nullptr) return false;
  const Endpoint endpoint = match.route->endpoint;
  return endpoint == Endpoint::kHealth || endpoint == Endpoint::kReady ||
         endpoint == Endpoint::kMetrics;
}

}  // namespace

ServerLoop::ServerLoop(const HttpServerOptions& options, HttpApi& api, ServiceLog& log)
    : limits_(options.limits),
      api_(api),
      log_(log),
      gate_(options.tokens, options.node_secret),
      table_(options.limits.connections, options.limits.connections_per_client),
      most_of_lane_(std::max<std::size_t>(1, options.threads / 3)),
      workers_(options.threads, 2 * std::max(1u, std::thread::hardware_concurrency())) {}

void ServerLoop::listen(const ListenAddress& address) {
  ErrorCode error;
  const auto found = Tcp::resolver(io_).resolve(address.host, std::to_string(address.port),
                                                Tcp::resolver::passive, error);
  if (!error && found.empty()) error = asio::error::host_not_found;
  if (!error) {
    const Tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), error);
    // A port that another program uses stays refused; one whose program has just ended can be used.
    if (!error) acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(kMostWaiting, error);
  }
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot listen on {}: {}", address.text(), error.message()));
  }
}

void ServerLoop::run() {
  accept();
  pulse();
  for (bool ended = false; !ended;) {
    try {
      io_.run();
      ended = true;
    } catch (const std::exception& error) {
      // For want of memory, most likely: one connection is lost, the others go on.
      log_.error(fmt::format("a connection was dropped: {}", error.what()));
    }
  }
  workers_.join();
  vital_.join();
  for (std::size_t left = *unkept_; left > 0; left = *unkept_) unkept_->wait(left);
}

void ServerLoop::begin_stop() {
  if (stopping_) return;
  stopping_ = true;
  stop_at_ = Clock::now() + limits_.stopping;
  ErrorCode ignored;
  acceptor_.close(ignored);
  accept_timer_.cancel();
  std::vector<std::shared_ptr<HttpConnection>> all;
  for (const auto& [key, connection] : connections_) all.push_back(connection);
  for (const auto& connection : all) connection->stop();
}

void ServerLoop::accept() {
  acceptor_.async_accept([this](const ErrorCode& error, Tcp::socket socket) {
    if (stopping_) return;
    if (error) return accept_failed(error);
    accepted(std::move(socket));
    accept();
  });
}

/// Listening goes on whatever happens. A moment later there may be room again.
void ServerLoop::accept_failed(const ErrorCode& error) {
  ++api_.metrics().connections().accept_errors;
  log_.error(fmt::format("a connection cannot be accepted: {}", error.message()));
  evict();
  accept_timer_.expires_after(kPauseAfterAcceptError);
  accept_timer_.async_wait([this](const ErrorCode& cancelled) {
    if (!cancelled && !stopping_) accept();
  });
}

void ServerLoop::accepted(Tcp::socket socket) {
  ConnectionCounts& counts = api_.metrics().connections();
  ErrorCode error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return;  // it is gone already
  const ConnectionTable::Client client = client_of(endpoint.address());
  ++counts.accepted;
  if (!table_.has_room_for(client) || (table_.full() && !evict())) {
    ++counts.refused;
    return;
  }
  socket.set_option(Tcp::no_delay(true), error);
  auto connection = std::make_shared<HttpConnection>(std::move(socket), client, *this);
  connections_.emplace(connection.get(), connection);
  table_.add(client);
  counts.open = table_.size();
  connection->start(tls_);
}

bool ServerLoop::evict() {
  if (waiting_.empty()) return false;
  ++api_.metrics().connections().evicted;
  const std::shared_ptr<HttpConnection> longest = connections_.at(waiting_.front());
  longest->close();
  return true;
}

void ServerLoop::waits(HttpConnection& connection) {
  waits_no_longer(connection);
  connection.place = waiting_.insert(waiting_.end(), &connection);
}

void ServerLoop::waits_no_longer(HttpConnection& connection) {
  if (connection.place) waiting_.erase(*connection.place);
  connection.place.reset();
}

void ServerLoop::closed(HttpConnection& connection) {
  waits_no_longer(connection);
  table_.remove(connection.client());
  api_.metrics().connections().open = table_.size();
  connections_.erase(&connection);
}

/// Closes what takes too long, and ends the loop when nothing is left to do.
void ServerLoop::pulse() {
  const Clock::time_point now = Clock::now();
  std::vector<std::shared_ptr<HttpConnection>> late;
  for (const auto& [key, connection] : connections_) {
    if (connection->is_late(now) || (stopping_ && now >= stop_at_)) late.push_back(connection);
  }
  for (const auto& connection : late) connection->close();
  if (stopping_ && connections_.empty()) return io_.stop();
  pulse_timer_.expires_after(stopping_ ? std::chrono::milliseconds(1) : kPulse);
  pulse_timer_.async_wait([this](const ErrorCode&) { pulse(); });
}

bool ServerLoop::take_body_bytes(std::size_t bytes) {
  if (bytes > limits_.all_body_bytes - std::min(body_bytes_, limits_.all_body_bytes)) return false;
  api_.metrics().connections().body_bytes = body_bytes_ += bytes;
  return true;
}

void ServerLoop::give_back_body_bytes(std::size_t bytes) {
  api_.metrics().connections().body_bytes = body_bytes_ -= bytes;
}

std::optional<HttpAnswer> ServerLoop::admit(const RequestHead& head, WholeRequest& request) {
  auto target = parse_target(head.target, head.value("Host"));
  if (!target) return error_answer(400, "the address cannot be read");
  request.target = std::move(*target);
  request.match = match_route(head.method, request.target.path);
  request.known_tags = head.value("If-None-Match");
  request.content_encoding = head.value("Content-Encoding");
  request.takes_gzip = lists_token(head.value("Accept-Encoding"), "gzip");
  AccessGate::Admission admission = gate_.admit(head, request.match, Clock::now());
  request.by = std::move(admission.by);
  request.from_node = admission.from_node;
  if (admission.refusal) return std::move(admission.refusal);
  if (request.match.route != nullptr) return std::nullopt;
  return api_.answer(
      {.method = request.method, .path = request.target.path, .body = {}, .query = {}},
      request.match);
}

void ServerLoop::work_on(std::shared_ptr<HttpConnection> connection, WholeRequest request) {
  request.is_large = request.body.size() > kLargeBody;
  auto shared = std::make_shared<WholeRequest>(std::move(request));
  if (is_vital(shared->match)) {
    asio::post(vital_, [this, connection, shared]() mutable {
      do_work(std::move(connection), std::move(shared));
    });
    return;
  }
  post(std::move(connection), std::move(shared));
  watch_workers();
}

/// Large bodies are worked on one at a time, and requests about one campaign, which may wait for
/// one another, leave threads to others.
void ServerLoop::post(std::shared_ptr<HttpConnection> connection,
                      std::shared_ptr<WholeRequest> request) {
  const RouteMatch& match = request->match;
  const std::string lane = request->is_large        ? std::string("large")
                           : match.campaign.empty() ? std::string(match.pattern)
                                                    : "campaign " + match.campaign;
  const std::size_t most = request->is_large ? 1 : most_of_lane_;
  // Moved on, so that a connection ends in the thread that waits for all of them.
  lanes_.post(lane, most,
              [this, connection = std::move(connection), request = std::move(request)]() mutable {
                do_work(std::move(connection), std::move(request));
              });
}

void ServerLoop::do_work(std::shared_ptr<HttpConnection> connection,
                         std::shared_ptr<WholeRequest> request) {
  if (!stopping_ && unpacks_to_large(*request, limits_.body_bytes)) {
    request->is_large = true;
    post(std::move(connection), std::move(request));
    return asio::post(io_, [this] { watch_workers(); });
  }
  auto answer = std::make_shared<HttpAnswer>(
      stopping_ ? error_answer(503, "the service is stopping: nothing was changed; try again")
                : answer_or_failure(api_, *request, limits_.body_bytes));
  ++*unkept_;
  // Once the counter is down, the loop may end: by then nothing of it is held here.
  api_.when_kept(answer->commit, [this, unkept = unkept_, connection = std::move(connection),
                                  request, answer](HttpAnswer* instead) mutable {
    if (instead != nullptr) *answer = std::move(*instead);
    asio::post(io_, [connection = std::move(connection), request, answer] {
      connection->finish(*request, std::move(*answer));
    });
    --*unkept;
    unkept->notify_all();
  });
}

/// As long as work waits, looks whether those who should do it are held up.
void ServerLoop::watch_workers() {
  if (may_need_help_) return;
  may_need_help_ = true;
  help_timer_.expires_after(WorkerPool::kPatience);
  help_timer_.async_wait([this](const ErrorCode&) {
    may_need_help_ = false;
    if (workers_.help()) watch_workers();
  });
}

void ServerLoop::answered(const WholeRequest& request, const HttpAnswer& answer) {
  const bool known = request.start != Clock::time_point();
  const double seconds =
      known ? std::chrono::duration<double>(Clock::now() - request.start).count() : 0.0;
  api_.metrics().count(request.match.pattern, request.method, answer.status, seconds);
  log_.request({.method = std::string_view(request.method).substr(0, 20),
                .route = request.match.pattern,
                .campaign = request.match.campaign,
                .by = request.by ? std::string_view(request.by->name) : std::string_view(),
                .status = answer.status,
                .milliseconds = 1e3 * seconds,
                .bytes_in = request.body.size(),
                .bytes_out = answer.body.size()});
}

class HttpServer::Parts {
 public:
  Parts(HttpServerOptions given, HttpApi& api, ServiceLog& log)
      : options(std::move(given)), loop(options, api, log) {}

  HttpServerOptions options;
  ServerLoop loop;
  int port = -1;
  std::mutex mutex;
  std::condition_variable ended;
  bool running = false;
  bool stopped = false;
};

HttpServer::HttpServer(HttpServerOptions options, HttpApi& api, ServiceLog& log) {
  check_options(options);
  parts_ = std::make_unique<Parts>(std::move(options), api, log);
  parts_->loop.set_tls(make_tls(parts_->options));
  parts_->loop.listen(parts_->options.listen);
  parts_->port = parts_->loop.port();
}

HttpServer::~HttpServer() = default;

void HttpServer::check(const HttpServerOptions& options) {
  check_options(options);
  make_tls(options);
}

int HttpServer::port() const { return parts_->port; }

std::string HttpServer::url() const {
  ListenAddress address = parts_->options.listen;
  address.port = parts_->port;
  return fmt::format("{}://{}", parts_->options.tls_certificate.empty() ? "http" : "https",
                     address.text());
}

void HttpServer::run() {
  {
    const std::lock_guard lock(parts_->mutex);
    if (parts_->stopped) return;
    parts_->running = true;
  }
  parts_->loop.run();
  const std::lock_guard lock(parts_->mutex);
  parts_->running = false;
  parts_->ended.notify_all();
}

void HttpServer::stop() {
  std::unique_lock lock(parts_->mutex);
  parts_->stopped = true;
  asio::post(parts_->loop.context(), [this] { parts_->loop.begin_stop(); });
  parts_->ended.wait(lock, [&] { return !parts_->running; });
}

void HttpServer::reload(AccessTokens tokens) {
  HttpServerOptions reloaded = parts_->options;
  reloaded.tokens = tokens;
  check_options(reloaded);
  asio::post(parts_->loop.context(),
             [this, tls = make_tls(parts_->options)] { parts_->loop.set_tls(tls); });
  parts_->loop.gate().set_tokens(std::move(tokens));
}

}  // namespace updraft
