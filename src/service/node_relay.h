#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "service/http_api.h"

namespace updraft {

/// What nodes say to each other beside a request: that a client's node passes it on, and for whom.
struct NodeHeaders {
  static constexpr const char* kSecret = "X-Updraft-Node";  ///< what all nodes know
  static constexpr const char* kBy = "X-Updraft-By";        ///< TokenHolder::name
};

/// Passes requests on to the node that serves their campaign. Safe for many threads.
class NodeRelay {
 public:
  /// `most`: requests on their way at the same time. It must leave threads of the server for the
  /// requests that other nodes pass on to this one, which are never passed on again. `patience`:
  /// for an answer; longer than a lease, after which another node is asked.
  NodeRelay(std::string secret, std::size_t most, std::chrono::seconds patience)
      : secret_(std::move(secret)), most_(most), patience_(patience) {}

  const std::string& secret() const { return secret_; }

  /// The answer of the node there. 503 if there is none; then it says whether something may have
  /// been done.
  HttpAnswer pass_on(const std::string& address, const HttpRequest& request);

 private:
  const std::string secret_;
  const std::size_t most_;
  const std::chrono::seconds patience_;
  std::atomic<std::size_t> on_their_way_ = 0;
};

/// The path and query of a request as they are sent.
std::string target_of(std::string_view path, const Query& query);

}  // namespace updraft
