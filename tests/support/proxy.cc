#include "support/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

namespace updraft::testing {
namespace {

constexpr int kPauseMs = 2;

sockaddr_in loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool readable(int file, int ms) {
  pollfd waiting = {.fd = file, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, ms) > 0;
}

/// False at the end of the stream.
bool move_some(int from, int to, bool swallow) {
  char buffer[16384];
  const ssize_t got = ::recv(from, buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  if (swallow) return true;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t some =
        ::send(to, buffer + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (some <= 0) return false;
    sent += some;
  }
  return true;
}

}  // namespace

Proxy::Proxy(int to_port) : to_port_(to_port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0) {
    throw std::runtime_error("the proxy cannot listen");
  }
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { accept_clients(); });
}

Proxy::~Proxy() {
  ending_ = true;
  accepting_.join();
  for (std::thread& one : passing_) one.join();
  ::close(listener_);
}

void Proxy::accept_clients() {
  while (!ending_) {
    if (halted_ || !readable(listener_, kPauseMs)) {
      if (halted_) std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
      continue;
    }
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(to_port_);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(server);
      ::close(client);
      continue;
    }
    passing_.emplace_back([=, this, now = generation_.load()] { pass(client, server, now); });
  }
}

void Proxy::pass(int client, int server, int generation) {
  while (!ending_ && generation == generation_) {
    if (halted_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
      continue;
    }
    pollfd both[2] = {{.fd = client, .events = POLLIN, .revents = 0},
                      {.fd = server, .events = POLLIN, .revents = 0}};
    if (::poll(both, 2, kPauseMs) <= 0) continue;
    if (halted_) continue;
    if (delay_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(delay_));
    if (both[0].revents != 0 && !move_some(client, server, false)) break;
    if (both[1].revents != 0 && !move_some(server, client, swallow_)) break;
  }
  ::close(client);
  ::close(server);
}

}  // namespace updraft::testing
