#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "data/line_file.h"
#include "logs/log_records.h"
#include "logs/seen_decisions.h"
#include "updraft/decision_log.h"
#include "updraft/error.h"

namespace updraft {
namespace {

bool is_json(const std::string& path) {
  LineFile file("log", path);
  std::string_view line;
  if (!file.next_line(line)) throw InvalidInput("log", path, "is empty");
  const std::size_t start = line.find_first_not_of(" \t");
  return start != line.npos && line[start] == '{';
}

}  // namespace

Payoffs LoggedRound::payoffs() const {
  return ids.empty() && !values.empty() ? Payoffs::dense(values) : Payoffs::sparse(ids, values);
}

struct LogReader::State {
  State(const std::string& file, LogFormat given)
      : path(file),
        format(std::move(given)),
        actions("action", format.actions, LogFormat::kMostActions),
        variables("variable", format.variables, LogFormat::kMostVariables),
        records(is_json(file) ? json_records(file, format, actions, variables)
                              : csv_records(file, format, actions, variables)) {
    has_record = records->next(record);
  }

  InvalidInput refusal(std::string_view field, std::string_view value,
                       std::string_view rule) const {
    return records->refusal(field, value, rule);
  }

  /// Adds the rows of long form that belong to the round; record becomes the first of the next.
  void join(LoggedRound& round, const std::string& decision) {
    const LogFormat::Columns& columns = format.columns;
    while ((has_record = records->next(record))) {
      if (record.decision != decision) return;
      if (!record.long_form) {
        throw refusal(columns.decision, decision, "comes twice; its other rows are single payoffs");
      }
      const LoggedRound& row = record.round;
      if (row.action != round.action) {
        throw refusal(columns.action, actions.names()[row.action],
                      "must be that of the decision's other rows");
      }
      if (row.probability != round.probability || row.distribution != round.distribution) {
        throw refusal(columns.probability, row.probability ? number_text(*row.probability) : "",
                      "must be that of the decision's other rows");
      }
      mark(row.ids.front(), columns.variable);
      round.ids.push_back(row.ids.front());
      round.values.push_back(row.values.front());
    }
  }

  /// Refuses a variable that comes twice in a decision.
  void mark(VariableId id, std::string_view field) {
    if (id >= marks.size()) marks.resize(id + 1, 0);
    if (marks[id] == decisions) {
      throw refusal(field, variables.names()[id], "comes twice in a decision");
    }
    marks[id] = decisions;
  }

  /// Puts complete payoffs in order, and refuses missing ones unless they are 0.
  void settle(LoggedRound& round) {
    if (round.ids.empty() && !round.values.empty()) return;  // in order
    const std::size_t count = variables.names().size();
    if (count == 0) return;
    if (round.ids.size() == count) {
      ordered.resize(count);
      for (std::size_t i = 0; i < count; ++i) ordered[round.ids[i]] = round.values[i];
      std::swap(ordered, round.values);
      round.ids.clear();
    } else if (variables.given() && !format.absent_is_zero) {
      VariableId missing = 0;
      while (missing < marks.size() && marks[missing] == decisions) ++missing;
      throw InvalidInput(
          fmt::format("{}:{}: {}", path, round.line, format.columns.payoff),
          shown(variables.names()[missing]),
          "this variable has no payoff; every decision must have all, unless absent ones paid 0");
    } else if (!std::is_sorted(round.ids.begin(), round.ids.end())) {
      sort(round);
    }
  }

  void sort(LoggedRound& round) {
    pairs.clear();
    for (std::size_t i = 0; i < round.ids.size(); ++i) {
      pairs.emplace_back(round.ids[i], round.values[i]);
    }
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      std::tie(round.ids[i], round.values[i]) = pairs[i];
    }
  }

  std::string path;
  LogFormat format;
  LogNames actions;
  LogNames variables;
  std::unique_ptr<LogRecords> records;
  LogRecord record;  // read ahead
  bool has_record = false;
  SeenDecisions seen;
  std::uint64_t decisions = 0;
  std::vector<std::uint64_t> marks;  // per variable, the last decision that it came in
  std::vector<double> ordered;       // scratch
  std::vector<std::pair<VariableId, double>> pairs;  // scratch
};

LogReader::LogReader(const std::string& path, LogFormat format)
    : state_(std::make_unique<State>(path, std::move(format))) {}
LogReader::~LogReader() = default;
LogReader::LogReader(LogReader&&) noexcept = default;

bool LogReader::next(LoggedRound& round) {
  State& state = *state_;
  if (!state.has_record) return false;
  ++state.decisions;
  const LogFormat::Columns& columns = state.format.columns;
  const std::optional<std::string> decision = state.record.decision;
  if (decision) {
    const std::string_view rule =
        decision->empty() ? std::string_view("must not be empty") : state.seen.add(*decision);
    if (!rule.empty()) throw state.refusal(columns.decision, *decision, rule);
  } else if (state.record.long_form) {
    throw state.refusal(columns.decision, "", "must be given with single payoffs");
  }
  const bool long_form = state.record.long_form;
  std::swap(round, state.record.round);
  for (const VariableId id : round.ids) state.mark(id, columns.variable);
  if (long_form) {
    state.join(round, *decision);
  } else {
    state.has_record = state.records->next(state.record);
  }
  state.settle(round);
  if (!round.distribution.empty()) round.distribution.resize(state.actions.names().size(), 0.0);
  return true;
}

const std::vector<std::string>& LogReader::actions() const { return state_->actions.names(); }
const std::vector<std::string>& LogReader::variables() const { return state_->variables.names(); }

namespace {

/// In numeric order if all are whole numbers. `order[id]`: the new id.
std::vector<std::size_t> sort_numbers(std::vector<std::string>& names) {
  std::vector<std::pair<std::uint64_t, std::size_t>> numbers;
  std::vector<std::size_t> order(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) order[i] = i;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<std::uint64_t> number = whole_number(names[i]);
    if (!number) return order;
    numbers.emplace_back(*number, i);
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::string> sorted;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    order[numbers[i].second] = i;
    sorted.push_back(names[numbers[i].second]);
  }
  names = std::move(sorted);
  return order;
}

}  // namespace

LogSummary survey_log(const std::string& path, const LogFormat& format) {
  LogReader reader(path, format);
  LogSummary summary{.format = format, .pulls = {}};
  summary.has_probabilities = true;
  summary.has_distributions = true;
  std::vector<std::uint64_t> pulls;
  LoggedRound round;
  while (reader.next(round)) {
    ++summary.rounds;
    pulls.resize(reader.actions().size(), 0);
    ++pulls[round.action];
    summary.has_probabilities = summary.has_probabilities && round.probability.has_value();
    summary.has_distributions = summary.has_distributions && !round.distribution.empty();
    summary.least_probability =
        std::min(summary.least_probability, round.probability.value_or(1.0));
  }
  if (summary.rounds == 0) throw InvalidInput("log", path, "has no decisions");
  pulls.resize(reader.actions().size(), 0);
  summary.format.actions = reader.actions();
  summary.format.variables = reader.variables();
  summary.pulls = pulls;
  if (format.variables.empty()) sort_numbers(summary.format.variables);
  if (format.actions.empty()) {
    const std::vector<std::size_t> order = sort_numbers(summary.format.actions);
    for (std::size_t a = 0; a < pulls.size(); ++a) summary.pulls[order[a]] = pulls[a];
  }
  if (summary.format.variables.empty()) throw InvalidInput("log", path, "has no payoffs");
  return summary;
}

}  // namespace updraft
