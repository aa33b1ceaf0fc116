#include "log_options.h"

#include <variant>

#include "add_option.h"
#include "updraft/error.h"

namespace updraft::cli {

void LogOptions::add_to(CLI::App& command) {
  add_option(command, "--column MEANING=NAME ...", columns,
             "Names of columns in the log, for decision, time, action, probability,\n"
             "variable or payoff");
  add_option(command, "--payoff COLUMN ...", payoffs,
             "The columns of a wide log that are variables [all that have no meaning]");
  add_option(command, "--absent zero|missing", absent,
             "Whether variables without a payoff paid zero, or are missing, which is\n"
             "refused [missing]");
}

LogFormat LogOptions::format() const {
  LogFormat format;
  for (const std::string& text : columns) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) throw InvalidInput("--column", text, "must be MEANING=NAME");
    set_log_column(format.columns, text.substr(0, equals), text.substr(equals + 1));
  }
  format.payoff_columns = payoffs;
  format.absent_is_zero = absent_is_zero("--absent", absent);
  return format;
}

void name_as(const Instance& instance, LogFormat& format) {
  format.actions = instance.definition().action_names;
  for (std::size_t i = 0; i < instance.variables(); ++i) {
    format.variables.push_back(std::to_string(i));
  }
  if (std::holds_alternative<BernoulliNoise>(instance.noise())) format.absent_is_zero = true;
}

}  // namespace updraft::cli
