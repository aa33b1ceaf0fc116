#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <poll.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/http_server.h"

namespace updraft::testing {

/// A server on a free port of this machine, whose API has no service yet.
class Running {
 public:
  explicit Running(HttpServerOptions options = {}) : server_(on_free_port(options), api_, log_) {
    thread_ = std::thread([this] { server_.run(); });
  }
  ~Running() {
    server_.stop();
    thread_.join();
  }

  int port() const { return server_.port(); }
  httplib::Client client() const { return httplib::Client("127.0.0.1", server_.port()); }
  HttpServer& server() { return server_; }
  HttpApi& api() { return api_; }

 private:
  static HttpServerOptions on_free_port(HttpServerOptions options) {
    options.listen.port = 0;
    return options;
  }

  ServiceLog log_{"off"};
  HttpApi api_{[](const std::string&) {}};
  HttpServer server_;
  std::thread thread_;
};

/// A connection that sends whatever bytes it is told to.
class RawClient {
 public:
  explicit RawClient(int port, const char* from = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in own = {};
    own.sin_family = AF_INET;
    inet_pton(AF_INET, from, &own.sin_addr);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof(own)), 0);
    sockaddr_in server = {};
    server.sin_family = AF_INET;
    server.sin_port = htons(static_cast<std::uint16_t>(port));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&server), sizeof(server)), 0);
  }
  RawClient(RawClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() {
    if (socket_ >= 0) close(socket_);
  }

  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// All that comes until so many milliseconds pass without a byte, and "(closed)" if the server
  /// ends the connection.
  std::string answer_for(int milliseconds) {
    std::string answer;
    char buffer[4096];
    pollfd readable = {socket_, POLLIN, 0};
    while (poll(&readable, 1, milliseconds) > 0) {
      const ssize_t got = recv(socket_, buffer, sizeof(buffer), 0);
      if (got <= 0) return answer + "(closed)";
      answer.append(buffer, static_cast<std::size_t>(got));
    }
    return answer;
  }

  std::string ask(std::string_view text) {
    send(text);
    return answer_for(1000);
  }

 private:
  int socket_;
};

/// All that a server answers to bytes that are sent one piece after the other, until it closes the
/// connection or a second has passed.
inline std::string answer_to(int port, const std::vector<std::string>& pieces) {
  RawClient client(port);
  for (const std::string& piece : pieces) {
    if (&piece != &pieces.front()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!client.send(piece)) break;
  }
  return client.answer_for(1000);
}

inline std::size_t answers_in(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find("HTTP/1.1 ", at)) != text.npos; ++at) ++count;
  return count;
}

}  // namespace updraft::testing
