#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/decision.h"
#include "updraft/ids.h"
#include "updraft/payoffs.h"

namespace updraft {

/// How a decision log is to be read. docs/formats/decision-log.md describes the format.
struct LogFormat {
  /// A log has at most so many variables, and so many actions.
  static constexpr std::size_t kMostVariables = 250'000;
  static constexpr std::size_t kMostActions = 10'000;

  /// The names of columns (CSV) or members (NDJSON), so that logs of other systems can be read.
  struct Columns {
    std::string decision = "decision";
    std::string time = "time";
    std::string action = "action";
    std::string probability = "probability";
    std::string variable = "variable";
    std::string payoff = "payoff";
  };
  Columns columns = {};
  /// CSV in wide form: the columns that are variables. If empty, all that have no other meaning.
  std::vector<std::string> payoff_columns = {};
  /// Whether a variable without a payoff paid 0. If not, each decision must have all payoffs.
  bool absent_is_zero = false;
  /// The names of the actions, in order of id; others are refused. If empty, ids are given in order
  /// of appearance.
  std::vector<std::string> actions = {};
  /// The same of the variables.
  std::vector<std::string> variables = {};
};

/// Says that the column of this meaning ("decision", "time", "action", "probability", "variable" or
/// "payoff") has this name. Throws InvalidInput for another meaning.
void set_log_column(LogFormat::Columns& columns, const std::string& meaning, std::string name);

/// "zero" or "missing". Throws InvalidInput naming `field` otherwise.
bool absent_is_zero(std::string_view field, const std::string& word);

/// A decision of a log, with its payoffs.
struct LoggedRound {
  std::uint64_t line = 0;  ///< on which it begins, from 1
  ActionId action = 0;
  std::optional<double> probability = {};  ///< in (0, 1]; absent if the log has none
  /// Per action the probability with which it could have been taken; empty if the log has only
  /// that of the action taken.
  std::vector<double> distribution = {};
  /// The variables that paid, in order; empty if all have a payoff in `values`, in order.
  std::vector<VariableId> ids = {};
  std::vector<double> values = {};

  /// A view of ids and values.
  Payoffs payoffs() const;
};

/// Reads a decision log decision by decision, in memory that does not grow with the log if its
/// decisions are numbered in increasing order or have no numbers; else 8 bytes for each.
class LogReader {
 public:
  /// Throws InvalidInput if the file is missing, unreadable or empty, or lacks a column.
  LogReader(const std::string& path, LogFormat format);
  ~LogReader();
  LogReader(LogReader&&) noexcept;

  /// False at the end. Throws InvalidInput with file, line, field and rule if a probability is not
  /// in (0, 1], an action or variable is unknown, a payoff is not finite, a decision or a variable
  /// of a decision comes twice, payoffs are missing, or the gzip is damaged.
  bool next(LoggedRound& round);

  /// Those given, or those that came so far.
  const std::vector<std::string>& actions() const;
  const std::vector<std::string>& variables() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a first reading of a log finds.
struct LogSummary {
  /// The format with actions and variables named: as given, else in order of appearance, or in
  /// numeric order if all names are whole numbers.
  LogFormat format;
  std::uint64_t rounds = 0;
  std::vector<std::uint64_t> pulls;  ///< per action
  double least_probability = 1.0;    ///< of an action taken
  bool has_probabilities = false;    ///< every decision has one
  bool has_distributions = false;    ///< every decision has that of all actions
};

/// Reads the log once, and checks all of it but for missing payoffs of variables that were not
/// given. Throws InvalidInput as LogReader, and if there is no decision.
LogSummary survey_log(const std::string& path, const LogFormat& format = {});

/// Writes a decision log: NDJSON if the path ends in .ndjson or .jsonl, else CSV; packed by gzip if
/// it ends in .gz. The file appears under its name when it is complete.
class LogWriter {
 public:
  struct Shape {
    std::vector<std::string> actions;  ///< their names
    std::size_t variables = 0;         ///< named 0, 1, ...
    bool long_form = false;            ///< a row per payoff in place of a row per decision
    /// Their names in place of numbers; empty, or one for each.
    std::vector<std::string> variable_names = {};
    bool times = false;         ///< rows say when the decision was made
    bool distributions = true;  ///< rows have the probability of every action
  };

  /// A decision of any system, with its payoffs.
  struct Row {
    std::string decision;  ///< names it
    std::string time = {};
    ActionId action = 0;
    std::optional<double> probability = {};     ///< absent: not known
    std::span<const double> distribution = {};  ///< empty unless rows have it
  };

  /// Throws InvalidInput if a row of the wide form would be too long to be read, or a variable has
  /// the name of another column of it, and std::runtime_error if the file cannot be written.
  LogWriter(const std::string& path, Shape shape);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// `distribution`: the probability of each action; `payoffs`: dense or sparse. Variables that
  /// sparse payoffs leave out are left out of long forms and of NDJSON; read them with
  /// absent_is_zero.
  void add(const Decision& decision, std::span<const double> distribution, const Payoffs& payoffs);
  void add(const Row& row, const Payoffs& payoffs);

  /// Gives the file its name. Without it, the destructor removes what was written.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace updraft
