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
  std::size_t threads = 64;     ///< connections that are served at once; others wait
  AccessTokens tokens;          ///< none: only this machine may ask
  std::string tls_certificate;  ///< PEM files, both or neither
  std::string tls_key;
  std::size_t body_limit = std::size_t{64} << 20;  ///< bytes, unpacked too
  ConnectionLimits limits;
};

/// Serves an API over HTTP or HTTPS, with a log line per request.
class HttpServer {
 public:
  /// Listens from here on; answers come once run() runs. Throws InvalidInput if the options do
  /// not go together (listening beyond this machine without tokens, files that are no certificate
  /// and key), and std::runtime_error if the address cannot be listened on.
  HttpServer(HttpServerOptions options, HttpApi& api, ServiceLog& log);
  ~HttpServer();

  /// Such as http://127.0.0.1:8080, with the port that was found where 0 was asked for.
  std::string url() const;
  int port() const;

  /// Serves until stop(); then answers what is being asked, and returns.
  void run();
  /// From any thread that does not serve; returns when run() has. One that has not begun yet then
  /// returns at once.
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace updraft
