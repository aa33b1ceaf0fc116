#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <poll.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <thread>
#include <utility>

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
  httplib::Client client() const {
    httplib::Client client("127.0.0.1", server_.port());
    client.set_read_timeout(60);
    return client;
  }
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
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), came_(std::move(other.came_)) {}
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

  /// Nothing more will be sent.
  void end() { shutdown(socket_, SHUT_WR); }

  /// One answer with its body; or what came before the server ended the connection, and "(closed)".
  std::string answer() {
    std::size_t size = 0;
    while ((size = size_of_answer(came_)) == 0) {
      if (const std::string_view end = receive(); !end.empty())
        return take(came_.size()).append(end);
    }
    return take(size);
  }

  /// All that comes until the server ends the connection, and "(closed)".
  std::string until_closed() {
    std::string_view end;
    while (end.empty()) end = receive();
    return take(came_.size()).append(end);
  }

  /// Whether nothing comes for so long.
  bool is_silent_for(int milliseconds) {
    pollfd readable = {socket_, POLLIN, 0};
    return came_.empty() && poll(&readable, 1, milliseconds) == 0;
  }

  std::string ask(std::string_view text) {
    send(text);
    return answer();
  }

 private:
  /// 0 as long as it is not complete.
  static std::size_t size_of_answer(const std::string& text) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == text.npos) return 0;
    const std::string_view name = "\r\nContent-Length: ";
    const std::size_t at = text.find(name);
    const std::size_t body = at < end ? std::stoull(text.substr(at + name.size())) : 0;
    return text.size() < end + 4 + body ? 0 : end + 4 + body;
  }

  /// Waits for more; why there will be none, else nothing.
  std::string_view receive() {
    char buffer[4096];
    pollfd readable = {socket_, POLLIN, 0};
    if (poll(&readable, 1, kPatienceMilliseconds) <= 0) return "(silent)";
    const ssize_t got = recv(socket_, buffer, sizeof(buffer), 0);
    if (got <= 0) return "(closed)";
    came_.append(buffer, static_cast<std::size_t>(got));
    return "";
  }

  std::string take(std::size_t size) {
    std::string taken = came_.substr(0, size);
    came_.erase(0, size);
    return taken;
  }

  static constexpr int kPatienceMilliseconds = 60'000;

  int socket_;
  std::string came_;  // not yet taken
};

/// All that a server answers before it ends the connection, and "(closed)".
inline std::string answer_to(int port, std::string_view text) {
  RawClient client(port);
  client.send(text);
  return client.until_closed();
}

/// All that a server answers to one who sends nothing more, whether it would end the connection or
/// not.
inline std::string answers_to(int port, std::string_view text) {
  RawClient client(port);
  client.send(text);
  client.end();
  return client.until_closed();
}

inline std::size_t answers_in(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find("HTTP/1.1 ", at)) != text.npos; ++at) ++count;
  return count;
}

}  // namespace updraft::testing
