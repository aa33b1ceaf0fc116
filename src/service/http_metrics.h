#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "service/service.h"

namespace updraft {

/// Counts requests. Safe for use by many threads.
class HttpMetrics {
 public:
  /// `route` is a pattern, so that there are few of them; empty for paths that have none.
  void count(std::string_view route, std::string_view method, int status, double seconds);

  /// In the text format of Prometheus, 0.0.4. `gauges` is null if the service is not ready yet.
  std::string text(const ServiceGauges* gauges) const;

 private:
  std::string requests_text() const;

  static constexpr std::array kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                         0.05,   0.1,   0.25,   0.5,   1.0,  2.5};

  struct Latency {
    std::array<std::uint64_t, kBounds.size()> below = {};  // each alone, not summed up
    std::uint64_t requests = 0;
    double seconds = 0.0;
  };

  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t, std::less<>> requests_;
  std::map<std::string, Latency, std::less<>> latencies_;
};

/// As the value of a label: backslash, quote and line break escaped.
std::string escaped_label(std::string_view value);

}  // namespace updraft
