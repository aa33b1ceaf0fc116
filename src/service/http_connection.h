#pragma once

// Only for http_server.cc: Boost.Asio and Boost.Beast take long to compile.

#include <atomic>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "service/access_gate.h"
#include "service/connection_limits.h"
#include "service/connection_table.h"
#include "service/http_api.h"
#include "service/http_server.h"
#include "service/request_head.h"
#include "service/worker_pool.h"

namespace updraft {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;

/// The body of a request, which takes memory as it comes and not as it is announced.
struct GrowingBody {
  using value_type = std::string;

  class reader {
   public:
    template <bool is_request, class Fields>
    reader(http::header<is_request, Fields>&, value_type& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, boost::system::error_code& error) {
      error = {};
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      std::size_t taken = 0;
      for (const asio::const_buffer piece : boost::beast::buffers_range_ref(buffers)) {
        body_.append(static_cast<const char*>(piece.data()), piece.size());
        taken += piece.size();
      }
      return taken;
    }
    void finish(boost::system::error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

/// A request that is complete.
struct WholeRequest {
  std::string method;
  Target target;
  RouteMatch match;
  std::string body;
  std::string known_tags;        ///< If-None-Match
  std::string content_encoding;  ///< of the body
  std::shared_ptr<const TokenHolder> by;
  bool from_node = false;  ///< HttpRequest::from_node
  bool takes_gzip = false;
  bool is_large = false;  ///< in the lane of large bodies
  std::chrono::steady_clock::time_point start;
};

class ServerLoop;

/// One connection: reads a request, has it answered, writes the answer, and so on.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Clock = std::chrono::steady_clock;
  using Place = std::list<HttpConnection*>::iterator;

  HttpConnection(Tcp::socket socket, ConnectionTable::Client client, ServerLoop& loop)
      : client_(client), socket_(std::move(socket)), loop_(loop) {}

  /// With TLS if there is a context.
  void start(std::shared_ptr<asio::ssl::context> tls);
  /// The answer to the request that the loop works on.
  void finish(const WholeRequest& request, HttpAnswer answer);
  /// Whether the time for what it does is over.
  bool is_late(Clock::time_point now) const { return now >= deadline_; }
  /// Ends it as soon as the request under way is answered; a body that is still coming gets 503.
  void stop();
  void close();

  const ConnectionTable::Client& client() const { return client_; }

  std::optional<Place> place;  ///< among those that wait; the loop's

 private:
  enum class State { kGreeting, kWaiting, kHead, kBody, kWorking, kWriting, kFarewell, kClosed };
  using Parser = http::request_parser<GrowingBody>;

  void wait_for_request();
  void read();
  std::size_t body_piece() const;
  void received(std::size_t bytes);
  /// Goes on with what is in the buffer.
  void proceed();
  void look_for_head();
  void take_head(std::size_t size);
  void begin_body();
  void take_body();
  bool count_body();
  void work();

  /// Answers a request that is not worked on, and ends the connection.
  void refuse(HttpAnswer answer);
  void refuse(int status, std::string_view message) { refuse(error_answer(status, message)); }
  void write(const HttpAnswer& answer, bool without_body);
  void write_on();
  void written();
  void end_after_answer();
  void discard();
  void release_body();

  template <typename Handler>
  void read_some(asio::mutable_buffer buffer, Handler handler) {
    if (tls_) {
      tls_->async_read_some(buffer, std::move(handler));
    } else {
      socket_.async_read_some(buffer, std::move(handler));
    }
  }
  template <typename Handler>
  void write_some(asio::const_buffer buffer, Handler handler) {
    if (tls_) {
      tls_->async_write_some(buffer, std::move(handler));
    } else {
      socket_.async_write_some(buffer, std::move(handler));
    }
  }

  ConnectionTable::Client client_;
  Tcp::socket socket_;
  ServerLoop& loop_;
  std::shared_ptr<asio::ssl::context> context_;
  std::optional<asio::ssl::stream<Tcp::socket&>> tls_;

  State state_ = State::kGreeting;
  Clock::time_point deadline_;
  Clock::time_point request_end_;  // when all of the request must have come
  boost::beast::flat_buffer buffer_;
  std::size_t searched_ = 0;  // bytes of the buffer that hold no end of a head
  std::optional<Parser> parser_;
  WholeRequest request_;
  std::size_t counted_body_ = 0;  // bytes of the body that the loop counts
  bool reading_ = false;          // into the buffer, which must then stay as it is
  bool expects_continue_ = false;
  bool is_head_method_ = false;
  bool keeps_alive_ = true;
  bool unread_body_ = false;

  std::string out_;
  std::size_t out_written_ = 0;
};

/// The thread that waits for all connections: accepts them, and gives their requests to others.
class ServerLoop {
 public:
  ServerLoop(const HttpServerOptions& options, HttpApi& api, ServiceLog& log);

  void listen(const ListenAddress& address);
  int port() const { return acceptor_.local_endpoint().port(); }
  void set_tls(std::shared_ptr<asio::ssl::context> tls) { tls_ = std::move(tls); }
  AccessGate& gate() { return gate_; }
  asio::io_context& context() { return io_; }

  /// Until begin_stop() was called and all connections are gone.
  void run();
  void begin_stop();

  // For connections.

  const ConnectionLimits& limits() const { return limits_; }
  bool is_tls() const { return tls_ != nullptr; }
  bool stopping() const { return stopping_; }
  /// Route, target and access of a request; an answer if it is refused.
  std::optional<HttpAnswer> admit(const RequestHead& head, WholeRequest& request);
  /// Calls finish() of the connection when there is an answer.
  void work_on(std::shared_ptr<HttpConnection> connection, WholeRequest request);
  /// Counts and logs an answer that is about to be written.
  void answered(const WholeRequest& request, const HttpAnswer& answer);
  /// Whether bodies may take this many bytes more; false changes nothing.
  bool take_body_bytes(std::size_t bytes);
  void give_back_body_bytes(std::size_t bytes);
  /// The connection may be closed in favour of another one, until it no longer waits.
  void waits(HttpConnection& connection);
  void waits_no_longer(HttpConnection& connection);
  void closed(HttpConnection& connection);

 private:
  void post(std::shared_ptr<HttpConnection> connection, std::shared_ptr<WholeRequest> request);
  void do_work(std::shared_ptr<HttpConnection> connection, std::shared_ptr<WholeRequest> request);
  void watch_workers();
  void accept();
  void accepted(Tcp::socket socket);
  void accept_failed(const boost::system::error_code& error);
  /// Closes the connection that has waited longest; false if none waits.
  bool evict();
  void pulse();

  ConnectionLimits limits_;
  HttpApi& api_;
  ServiceLog& log_;
  AccessGate gate_;
  ConnectionTable table_;
  asio::io_context io_{1};
  Tcp::acceptor acceptor_{io_};
  asio::steady_timer pulse_timer_{io_};
  asio::steady_timer accept_timer_{io_};
  asio::steady_timer help_timer_{io_};
  bool may_need_help_ = false;
  std::shared_ptr<asio::ssl::context> tls_;
  std::unordered_map<HttpConnection*, std::shared_ptr<HttpConnection>> connections_;
  std::list<HttpConnection*> waiting_;  // the longest first
  std::size_t body_bytes_ = 0;
  std::atomic<bool> stopping_ = false;
  // Answers that wait for a commit, and those on their way. Shared with the thread that commits.
  std::shared_ptr<std::atomic<std::size_t>> unkept_ = std::make_shared<std::atomic<std::size_t>>(0);
  HttpConnection::Clock::time_point stop_at_;
  // Last, so that they end first.
  asio::thread_pool vital_{1};  // /healthz, /readyz and /metrics never wait behind other requests
  const std::size_t most_of_lane_;
  WorkerPool workers_;
  WorkerLanes lanes_{workers_};
};

}  // namespace updraft
