#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logs/log_names.h"
#include "updraft/decision_log.h"
#include "updraft/error.h"

namespace updraft {

/// A row of a CSV log, or an object of an NDJSON log: a whole decision, or in long form one of its
/// payoffs.
struct LogRecord {
  std::optional<std::string> decision = {};
  bool long_form = false;
  LoggedRound round = {};
};

/// The records of a log file, one after the other. Numbers are checked one by one; what concerns
/// several records is for LogReader.
class LogRecords {
 public:
  virtual ~LogRecords() = default;

  /// False at the end. Throws InvalidInput with line, field and rule.
  virtual bool next(LogRecord& record) = 0;

  /// What is wrong with a field of the last record.
  virtual InvalidInput refusal(std::string_view field, std::string_view value,
                               std::string_view rule) const = 0;
};

/// `actions` and `variables` must outlive the records.
std::unique_ptr<LogRecords> csv_records(const std::string& path, const LogFormat& format,
                                        LogNames& actions, LogNames& variables);
std::unique_ptr<LogRecords> json_records(const std::string& path, const LogFormat& format,
                                         LogNames& actions, LogNames& variables);

/// The id of a name in the last record. Throws its refusal if it has none.
std::size_t id_in(const LogRecords& records, LogNames& names, std::string_view field,
                  std::string_view name);

/// The rules that a record's numbers break; empty if none.
std::string_view probability_rule(double value);
std::string_view payoff_rule(double value);

/// Throws the refusal of the record's distribution, or of its probability if it has one that
/// differs. A record without a probability gets that of the distribution.
void check_distribution(const LogRecords& records, const LogFormat& format, LoggedRound& round);

}  // namespace updraft
