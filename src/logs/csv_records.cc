#include <unordered_set>

#include "data/csv_reader.h"
#include "logs/log_records.h"

namespace updraft {
namespace {

class CsvRecords final : public LogRecords {
 public:
  CsvRecords(const std::string& path, const LogFormat& format, LogNames& actions,
             LogNames& variables)
      : format_(format), reader_("log", path), actions_(actions), variables_(variables) {
    const LogFormat::Columns& columns = format_.columns;
    decision_ = place(columns.decision);
    probability_ = place(columns.probability);
    variable_ = place(columns.variable);
    payoff_ = place(columns.payoff);
    action_ = reader_.column("action", columns.action);
    if (variable_.has_value() != payoff_.has_value()) {
      reader_.column(variable_ ? "payoff" : "variable",
                     variable_ ? columns.payoff : columns.variable);
    }
    if (variable_) reader_.column("decision", columns.decision);
    find_distribution();
    if (!variable_) find_payoffs();
  }

  bool next(LogRecord& record) override {
    if (!reader_.next()) return false;
    LoggedRound& round = record.round;
    round.line = reader_.line();
    record.long_form = variable_.has_value();
    record.decision.reset();
    if (decision_) record.decision = std::string(reader_.fields()[*decision_]);
    round.action = static_cast<ActionId>(id_of(actions_, action_));
    round.probability.reset();
    if (probability_ && !reader_.fields()[*probability_].empty()) {
      round.probability = number(*probability_);
      if (const auto rule = probability_rule(*round.probability); !rule.empty()) {
        throw reader_.refusal(*probability_, rule);
      }
    }
    read_distribution(round);
    read_payoffs(round);
    return true;
  }

  InvalidInput refusal(std::string_view field, std::string_view value,
                       std::string_view rule) const override {
    return reader_.refuse_field(field, value, rule);
  }

 private:
  std::optional<std::size_t> place(const std::string& name) const {
    for (std::size_t c = 0; c < reader_.columns().size(); ++c) {
      if (reader_.columns()[c] == name) return c;
    }
    return std::nullopt;
  }

  std::size_t id_of(LogNames& names, std::size_t column) {
    return id_in(*this, names, reader_.columns()[column], reader_.fields()[column]);
  }

  /// A column `probability.NAME` for every action.
  void find_distribution() {
    const std::string prefix = format_.columns.probability + ".";
    for (std::size_t c = 0; c < reader_.columns().size(); ++c) {
      const std::string& name = reader_.columns()[c];
      if (!name.starts_with(prefix)) continue;
      distribution_.push_back(c);
      shares_of_.push_back(id_in(*this, actions_, name, name.substr(prefix.size())));
    }
    if (distribution_.empty()) return;
    if (distribution_.size() != actions_.names().size()) {
      throw reader_.refuse_line("must have a column " + prefix + "NAME for every action, or none");
    }
    actions_.close();
  }

  void find_payoffs() {
    for (const std::string& name : format_.payoff_columns) {
      payoffs_.push_back(reader_.column("payoff_columns", name));
    }
    if (format_.payoff_columns.empty()) {
      std::unordered_set<std::size_t> taken(distribution_.begin(), distribution_.end());
      for (const auto& other : {decision_, probability_, place(format_.columns.time)}) {
        if (other) taken.insert(*other);
      }
      taken.insert(action_);
      for (std::size_t c = 0; c < reader_.columns().size(); ++c) {
        if (!taken.contains(c)) payoffs_.push_back(c);
      }
    }
    if (payoffs_.empty()) throw reader_.refuse_line("must have a column for each variable");
    for (const std::size_t c : payoffs_) {
      const std::string& name = reader_.columns()[c];
      ids_.push_back(static_cast<VariableId>(id_in(*this, variables_, "column", name)));
    }
    for (std::size_t i = 0; i < ids_.size(); ++i) in_order_ = in_order_ && ids_[i] == i;
  }

  double number(std::size_t column) const {
    double value = 0.0;
    if (parse_number(reader_.fields()[column], value)) return value;
    throw reader_.refusal(column, "must be a number");
  }

  double payoff(std::size_t column) const {
    const double value = number(column);
    if (const auto rule = payoff_rule(value); !rule.empty()) throw reader_.refusal(column, rule);
    return value;
  }

  void read_distribution(LoggedRound& round) {
    round.distribution.assign(distribution_.empty() ? 0 : actions_.names().size(), 0.0);
    for (std::size_t i = 0; i < distribution_.size(); ++i) {
      const double share = number(distribution_[i]);
      if (!(share >= 0.0 && share <= 1.0)) {
        throw reader_.refusal(distribution_[i], "must be in [0, 1]");
      }
      round.distribution[shares_of_[i]] = share;
    }
    if (!distribution_.empty()) check_distribution(*this, format_, round);
  }

  /// An empty field is a payoff that is not there.
  void read_payoffs(LoggedRound& round) {
    round.ids.clear();
    round.values.clear();
    if (variable_) {
      round.ids.push_back(static_cast<VariableId>(id_of(variables_, *variable_)));
      round.values.push_back(payoff(*payoff_));
      return;
    }
    bool complete = in_order_;
    for (const std::size_t column : payoffs_) {
      complete = complete && !reader_.fields()[column].empty();
    }
    for (std::size_t i = 0; i < payoffs_.size(); ++i) {
      if (reader_.fields()[payoffs_[i]].empty()) continue;
      if (!complete || ids_.size() < variables_.names().size()) round.ids.push_back(ids_[i]);
      round.values.push_back(payoff(payoffs_[i]));
    }
  }

  LogFormat format_;
  CsvReader reader_;
  LogNames& actions_;
  LogNames& variables_;
  std::optional<std::size_t> decision_;
  std::optional<std::size_t> probability_;
  std::optional<std::size_t> variable_;  // long form: both
  std::optional<std::size_t> payoff_;
  std::size_t action_ = 0;
  std::vector<std::size_t> distribution_;  // columns
  std::vector<std::size_t> shares_of_;     // and their actions
  std::vector<std::size_t> payoffs_;       // wide form: columns
  std::vector<VariableId> ids_;            // and their variables
  bool in_order_ = true;                   // ids_ are 0, 1, ...
};

}  // namespace

std::unique_ptr<LogRecords> csv_records(const std::string& path, const LogFormat& format,
                                        LogNames& actions, LogNames& variables) {
  return std::make_unique<CsvRecords>(path, format, actions, variables);
}

}  // namespace updraft
