#include "service/limited_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "updraft/error.h"

namespace updraft {
namespace {

using Clock = std::chrono::steady_clock;

/// Of the request that this thread serves.
thread_local bool close_connection = false;

bool wait_for(int socket, short what, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted = {socket, what, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

/// The bytes of a connection, plain or TLS. The socket does not block.
class Channel {
 public:
  Channel(int socket, SSL_CTX* context) : socket_(socket), tls_(nullptr, SSL_free) {
    if (context == nullptr) return;
    tls_.reset(SSL_new(context));
    if (tls_) SSL_set_fd(tls_.get(), socket);
  }

  bool greet(Clock::time_point until) {
    if (!tls_) return true;
    return retry(until, [&] { return SSL_accept(tls_.get()); }) == 1;
  }

  void part() {
    if (tls_) SSL_shutdown(tls_.get());
  }

  /// As recv and send: > 0 bytes, 0 at the end, -1 on failure or when the time is up.
  ssize_t read(char* data, std::size_t size, Clock::time_point until) {
    if (tls_) {
      return retry(until, [&] { return SSL_read(tls_.get(), data, static_cast<int>(size)); });
    }
    return plain(POLLIN, until, [&] { return recv(socket_, data, size, 0); });
  }
  ssize_t write(const char* data, std::size_t size, Clock::time_point until) {
    const std::size_t most = std::min<std::size_t>(size, 1 << 20);
    if (tls_) {
      return retry(until, [&] { return SSL_write(tls_.get(), data, static_cast<int>(most)); });
    }
    return plain(POLLOUT, until, [&] { return send(socket_, data, most, MSG_NOSIGNAL); });
  }

  bool has_read_ahead() const { return tls_ && SSL_pending(tls_.get()) > 0; }
  int socket() const { return socket_; }

 private:
  template <typename Call>
  ssize_t plain(short what, Clock::time_point until, Call call) {
    for (;;) {
      const ssize_t done = call();
      if (done >= 0 || (errno != EAGAIN && errno != EINTR)) return done;
      if (!wait_for(socket_, what, until)) return -1;
    }
  }

  template <typename Call>
  int retry(Clock::time_point until, Call call) {
    for (;;) {
      ERR_clear_error();
      const int done = call();
      if (done > 0) return done;
      const int reason = SSL_get_error(tls_.get(), done);
      if (reason == SSL_ERROR_ZERO_RETURN) return 0;
      if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) return -1;
      if (!wait_for(socket_, reason == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, until)) return -1;
    }
  }

  int socket_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_;
};

/// What httplib reads requests from and writes answers to.
class LimitedStream final : public httplib::Stream {
 public:
  LimitedStream(Channel& channel, const ConnectionLimits& limits)
      : channel_(channel), limits_(limits) {}

  /// Whether a byte of a next request comes in time.
  bool wait_for_request() {
    if (begin_ == end_ && !channel_.has_read_ahead() &&
        !wait_for(channel_.socket(), POLLIN, Clock::now() + limits_.keep_alive)) {
      return false;
    }
    start_ = Clock::now();
    in_head_ = true;
    head_bytes_ = 0;
    line_bytes_ = 0;
    return true;
  }

  ssize_t read(char* data, std::size_t size) override {
    if (begin_ == end_ && !fill()) return at_end_ ? 0 : -1;
    if (in_head_ && !count_head_byte()) return -1;
    const std::size_t taken =
        in_head_ || size == 0 ? std::min<std::size_t>(size, 1) : std::min(size, end_ - begin_);
    std::memcpy(data, buffer_.data() + begin_, taken);
    begin_ += taken;
    if (in_head_ && ended_head_) in_head_ = ended_head_ = false;
    return static_cast<ssize_t>(taken);
  }

  ssize_t write(const char* data, std::size_t size) override {
    return channel_.write(data, size,
                          std::min(start_ + limits_.request_time, Clock::now() + limits_.silence));
  }

  bool is_readable() const override { return begin_ != end_ || channel_.has_read_ahead(); }
  bool is_writable() const override {
    return wait_for(channel_.socket(), POLLOUT, Clock::now() + limits_.silence);
  }
  int socket() const override { return channel_.socket(); }
  // Nobody asks: neither log nor answers show addresses.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}

 private:
  bool fill() {
    const auto last = start_ + (in_head_ ? limits_.head_time : limits_.request_time);
    const ssize_t got = channel_.read(buffer_.data(), buffer_.size(),
                                      std::min(last, Clock::now() + limits_.silence));
    at_end_ = got == 0;
    begin_ = 0;
    end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    return got > 0;
  }

  /// Heads are read byte by byte and end with an empty line.
  bool count_head_byte() {
    const char next = buffer_[begin_];
    if (next == '\n') {
      ended_head_ = line_bytes_ == 0;
      line_bytes_ = 0;
    } else if (next != '\r') {
      ++line_bytes_;
    }
    return ++head_bytes_ <= limits_.head_bytes;
  }

  Channel& channel_;
  const ConnectionLimits& limits_;
  std::array<char, 16384> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  Clock::time_point start_;
  bool in_head_ = true;
  bool ended_head_ = false;
  std::size_t head_bytes_ = 0;
  std::size_t line_bytes_ = 0;
};

}  // namespace

LimitedServer::LimitedServer(const ConnectionLimits& limits, const std::string& certificate,
                             const std::string& key)
    : limits_(limits), tls_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
  const bool usable = tls_ && SSL_CTX_set_min_proto_version(tls_.get(), TLS1_2_VERSION) == 1 &&
                      SSL_CTX_use_certificate_chain_file(tls_.get(), certificate.c_str()) == 1 &&
                      SSL_CTX_use_PrivateKey_file(tls_.get(), key.c_str(), SSL_FILETYPE_PEM) == 1 &&
                      SSL_CTX_check_private_key(tls_.get()) == 1;
  ERR_clear_error();
  if (usable) {
    SSL_CTX_set_mode(tls_.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(tls_.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    return;
  }
  throw InvalidInput(
      "--tls-cert", certificate,
      fmt::format("must be a certificate in PEM format, and --tls-key = {} its key", key));
}

void LimitedServer::close_after_answer() { close_connection = true; }

void LimitedServer::stop_reading() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  for (const int socket : sockets_) shutdown(socket, SHUT_RD);
}

bool LimitedServer::serve(int socket) {
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
  Channel channel(socket, tls_.get());
  if (!channel.greet(Clock::now() + limits_.head_time)) return false;
  LimitedStream stream(channel, limits_);
  bool served = false;
  bool closed = false;
  close_connection = false;
  for (std::size_t left = keep_alive_max_count_; left > 0 && !closed && !close_connection; --left) {
    if (!stream.wait_for_request()) break;
    served = process_request(stream, left == 1, closed, nullptr);
    if (!served) break;
  }
  channel.part();
  return served;
}

bool LimitedServer::process_and_close_socket(int socket) {
  bool stopped;
  {
    const std::lock_guard lock(mutex_);
    stopped = stopping_;
    if (!stopped) sockets_.insert(socket);
  }
  const bool served = !stopped && serve(socket);
  {
    const std::lock_guard lock(mutex_);
    sockets_.erase(socket);
  }
  shutdown(socket, SHUT_RDWR);
  close(socket);
  return served;
}

}  // namespace updraft
