#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "service/connection_limits.h"

namespace updraft {

/// A server of httplib that bounds what a client can hold on to before anybody looked at its
/// request: httplib limits neither the number of headers nor the time that they take. Plain, or TLS
/// 1.2 and up.
class LimitedServer final : public httplib::Server {
 public:
  explicit LimitedServer(const ConnectionLimits& limits) : limits_(limits) {}
  /// With a certificate chain and a key in PEM files. Throws InvalidInput.
  LimitedServer(const ConnectionLimits& limits, const std::string& certificate,
                const std::string& key);

  /// Ends the waiting of all connections for requests; answers under way are still written.
  void stop_reading();

  /// To be called by a handler: the connection ends after its answer, as what follows in it may be
  /// the rest of a body.
  static void close_after_answer();

 private:
  using Context = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

  bool process_and_close_socket(int socket) override;
  bool serve(int socket);

  ConnectionLimits limits_;
  Context tls_{nullptr, SSL_CTX_free};
  std::mutex mutex_;
  std::set<int> sockets_;
  bool stopping_ = false;
};

}  // namespace updraft
