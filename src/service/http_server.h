#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "service/access_tokens.h"
#include "service/connection_limits.h"
#include "service/http_api.h"
#include "service/listen_address.h"
#include "service/service_log.h"

namespace updraft {

struct HttpServerOptions {
  ListenAddress listen;
  std::size_t threads = 64;     ///< requests that are worked on at the same time; others wait
  AccessTokens tokens;          ///< none: only this machine may ask
  std::string node_secret;      ///< AccessGate
  std::string tls_certificate;  ///< PEM files, both or neither
  std::string tls_key;
  ConnectionLimits limits;
};

/// Serves an API over HTTP/1.1 or HTTPS, with a log line per request. One thread waits for all
/// connections, so one that is idle or slow costs memory only; complete requests are worked on by
/// `threads` others, /healthz, /readyz and /metrics by a thread of their own.
class HttpServer {
 public:
  /// Listens from here on; answers come once run() runs. Throws InvalidInput if the options do
  /// not go together (listening beyond this machine without tokens, files that are no certificate
  /// and key), and std::runtime_error if the address cannot be listened on.
  HttpServer(HttpServerOptions options, HttpApi& api, ServiceLog& log);
  ~HttpServer();

  /// Throws InvalidInput as the constructor does; opens nothing.
  static void check(const HttpServerOptions& options);

  /// Such as http://127.0.0.1:8080, with the port that was found where 0 was asked for.
  std::string url() const;
  int port() const;

  /// Serves until stop(). Then answers the requests that are complete, 503 to those whose body is
  /// still coming, closes all other connections, and returns.
  void run();
  /// From any thread that does not serve; returns when run() has. One that has not begun yet then
  /// returns at once.
  void stop();

  /// From now on these tokens, and for new connections the certificate and key that are in the
  /// files now. From any thread. Throws InvalidInput, and then nothing changes.
  void reload(AccessTokens tokens);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace updraft
