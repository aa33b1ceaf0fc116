#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace updraft {

/// One line of JSON per event on standard error. Safe for use by many threads.
class ServiceLog {
 public:
  struct Request {
    std::string_view method;
    std::string_view route;     ///< the pattern, never the path
    std::string_view campaign;  ///< empty if there is none
    int status = 0;
    double milliseconds = 0.0;
    std::size_t bytes_in = 0;
    std::size_t bytes_out = 0;
  };

  /// `level`: debug, info, warn, error or off. Throws InvalidInput.
  explicit ServiceLog(const std::string& level);
  ~ServiceLog();

  void request(const Request& request);
  void info(std::string_view message);
  void error(std::string_view message);

  /// The fields of a request, as in the middle of an object.
  static std::string request_text(const Request& request);

 private:
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace updraft
