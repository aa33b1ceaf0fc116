#pragma once

#include <string>
#include <vector>

#include "updraft/decision_log.h"
#include "updraft/instance.h"

namespace CLI {
class App;
}

namespace updraft::cli {

/// Options that say how a decision log is to be read.
struct LogOptions {
  std::vector<std::string> columns;
  std::vector<std::string> payoffs;
  std::string absent = "missing";

  void add_to(CLI::App& command);
  /// Throws InvalidInput if an option breaks a rule.
  LogFormat format() const;
};

/// The actions have the names of the instance, the variables their ids. Payoffs of 0 or 1 may be
/// absent if they are 0.
void name_as(const Instance& instance, LogFormat& format);

}  // namespace updraft::cli
