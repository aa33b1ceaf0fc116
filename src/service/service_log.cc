#include "service/service_log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <nlohmann/json.hpp>
#include <vector>

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

ServiceLog::ServiceLog(const std::string& level)
    : logger_(std::make_shared<spdlog::logger>("service",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_level(level_of(level));
  logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      std::string(kPattern), spdlog::pattern_time_type::utc));
}

ServiceLog::~ServiceLog() = default;

std::string ServiceLog::request_text(const Request& request) {
  std::string campaign;
  if (!request.campaign.empty())
    campaign = fmt::format(R"(,"campaign":{})", quoted(request.campaign));
  return fmt::format(
      R"("event":"request","method":{},"route":{},"status":{},"ms":{:.3f},"in":{},"out":{}{})",
      quoted(request.method), quoted(request.route), request.status, request.milliseconds,
      request.bytes_in, request.bytes_out, campaign);
}

void ServiceLog::request(const Request& request) {
  const auto level = request.status >= 500 ? spdlog::level::err : spdlog::level::info;
  if (logger_->should_log(level)) logger_->log(level, "{}", request_text(request));
}

void ServiceLog::info(std::string_view message) {
  logger_->info(R"("event":"note","message":{})", quoted(message));
}

void ServiceLog::error(std::string_view message) {
  logger_->error(R"("event":"failure","message":{})", quoted(message));
}

}  // namespace updraft
