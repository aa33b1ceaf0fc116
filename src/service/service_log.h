#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace updraft {

/// One line of JSON per event on standard error. Safe for use by many threads. A thread of its own
/// writes the lines, so that nobody waits if standard error stalls; of those that wait for it, the
/// oldest are then dropped and counted.
class ServiceLog {
 public:
  struct Request {
    std::string_view method;
    std::string_view route;     ///< the pattern, never the path
    std::string_view campaign;  ///< empty if there is none
    std::string_view by = {};   ///< the name of the token; empty if there is none
    int status = 0;
    double milliseconds = 0.0;
    std::size_t bytes_in = 0;
    std::size_t bytes_out = 0;
  };

  /// `level`: debug, info, warn, error or off. Throws InvalidInput. `file` is a descriptor.
  explicit ServiceLog(const std::string& level, int file = 2);
  /// Throws what the constructor would.
  static void check_level(const std::string& level);
  /// Waits a moment for lines that are not written yet.
  ~ServiceLog();

  void request(const Request& request);
  void info(std::string_view message);
  void error(std::string_view message);

  /// Lines that were dropped.
  std::uint64_t dropped() const;

  /// Waits a moment until all lines so far are written.
  void flush();

  /// The fields of a request, as in the middle of an object.
  static std::string request_text(const Request& request);

 private:
  class LineSink;

  std::shared_ptr<LineSink> sink_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace updraft
