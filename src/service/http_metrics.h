#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "service/service.h"
#include "service/webhook_counts.h"

namespace updraft {

/// Connections of a server.
struct ConnectionCounts {
  std::atomic<std::uint64_t> open = 0;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> refused = 0;        ///< the client had too many
  std::atomic<std::uint64_t> evicted = 0;        ///< while they waited, in favour of others
  std::atomic<std::uint64_t> accept_errors = 0;  ///< such as too many open files
  std::atomic<std::uint64_t> body_bytes = 0;     ///< of large bodies that are under way
};

/// Counts requests. Safe for use by many threads.
class HttpMetrics {
 public:
  /// `route` is a pattern, so that there are few of them; empty for paths that have none.
  void count(std::string_view route, std::string_view method, int status, double seconds);

  ConnectionCounts& connections() { return connections_; }

  /// Asked for the number of lines that the log has dropped.
  void set_log_dropped(std::function<std::uint64_t()> dropped) {
    log_dropped_ = std::move(dropped);
  }

  /// Asked what became of notices; without it there is no webhook.
  void set_webhook(std::function<WebhookCounts()> counts) { webhook_ = std::move(counts); }

  /// In the text format of Prometheus, 0.0.4. `gauges` is null if the service is not ready yet.
  std::string text(const ServiceGauges* gauges) const;

 private:
  std::string requests_text() const;
  std::string connections_text() const;

  static constexpr std::array kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                         0.05,   0.1,   0.25,   0.5,   1.0,  2.5};

  struct Latency {
    std::array<std::uint64_t, kBounds.size()> below = {};  // each alone, not summed up
    std::uint64_t requests = 0;
    double seconds = 0.0;
  };

  ConnectionCounts connections_;
  std::function<WebhookCounts()> webhook_;
  std::function<std::uint64_t()> log_dropped_ = [] { return std::uint64_t{0}; };
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t, std::less<>> requests_;
  std::map<std::string, Latency, std::less<>> latencies_;
};

/// As the value of a label: backslash, quote and line break escaped.
std::string escaped_label(std::string_view value);

}  // namespace updraft
