#include "service/service_log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "service/line_writer.h"

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::string_view kPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

spdlog::level::level_enum level_of(const std::string& name) {
  const std::vector<std::string> valid = {"debug", "info", "warn", "error", "off"};
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err,
                                                   spdlog::level::off};
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (valid[i] == name) return kLevels[i];
  }
  throw unknown_name("--log-level", name, valid);
}

}  // namespace

void ServiceLog::check_level(const std::string& level) { level_of(level); }

/// Formats lines and leaves them to a LineWriter.
class ServiceLog::LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LineSink(int file) : writer(file) {}

  LineWriter writer;

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    writer.add(std::string(line.data(), line.size()));
  }
  void flush_() override {}
};

ServiceLog::ServiceLog(const std::string& level, int file)
    : sink_(std::make_shared<LineSink>(file)),
      logger_(std::make_shared<spdlog::logger>("service", sink_)) {
  logger_->set_level(level_of(level));
  logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      std::string(kPattern), spdlog::pattern_time_type::utc));
}

ServiceLog::~ServiceLog() = default;

std::string ServiceLog::request_text(const Request& request) {
  std::string names;
  if (!request.campaign.empty()) names = fmt::format(R"(,"campaign":{})", quoted(request.campaign));
  if (!request.by.empty()) names += fmt::format(R"(,"by":{})", quoted(request.by));
  return fmt::format(
      R"("event":"request","method":{},"route":{},"status":{},"ms":{:.3f},"in":{},"out":{}{})",
      quoted(request.method), quoted(request.route), request.status, request.milliseconds,
      request.bytes_in, request.bytes_out, names);
}

void ServiceLog::request(const Request& request) {
  const auto level = request.status >= 500 ? spdlog::level::err : spdlog::level::info;
  if (logger_->should_log(level)) logger_->log(level, "{}", request_text(request));
}

std::uint64_t ServiceLog::dropped() const { return sink_->writer.dropped(); }

void ServiceLog::flush() { sink_->writer.flush(); }

void ServiceLog::info(std::string_view message) {
  logger_->info(R"("event":"note","message":{})", quoted(message));
}

void ServiceLog::error(std::string_view message) {
  logger_->error(R"("event":"failure","message":{})", quoted(message));
}

}  // namespace updraft
