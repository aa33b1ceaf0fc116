#include <fmt/format.h>

#include "core/json_document.h"
#include "data/line_file.h"
#include "logs/log_records.h"

namespace updraft {
namespace {

using nlohmann::json;

constexpr std::string_view kProbabilities = "probabilities";
constexpr std::string_view kPayoffs = "payoffs";

class JsonRecords final : public LogRecords {
 public:
  JsonRecords(const std::string& path, const LogFormat& format, LogNames& actions,
              LogNames& variables)
      : format_(format), file_("log", path), actions_(actions), variables_(variables) {}

  bool next(LogRecord& record) override {
    std::string_view text;
    if (!file_.next_line(text)) return false;
    const json object = parse(text);
    LoggedRound& round = record.round;
    round.line = file_.line();
    record.long_form = object.contains(format_.columns.variable);
    record.decision.reset();
    if (object.contains(format_.columns.decision)) {
      record.decision = name_in(object, format_.columns.decision);
    }
    round.action = static_cast<ActionId>(
        id_in(*this, actions_, format_.columns.action, name_in(object, format_.columns.action)));
    round.probability.reset();
    if (object.contains(format_.columns.probability)) {
      round.probability = number(object[format_.columns.probability], format_.columns.probability);
      if (const auto rule = probability_rule(*round.probability); !rule.empty()) {
        throw refusal(format_.columns.probability, number_text(*round.probability), rule);
      }
    }
    read_distribution(object, round);
    read_payoffs(object, record);
    return true;
  }

  InvalidInput refusal(std::string_view field, std::string_view value,
                       std::string_view rule) const override {
    return file_.refuse_field(field, value, rule);
  }

 private:
  json parse(std::string_view text) const {
    json object;
    try {
      object = parse_json_document(text, 3);
    } catch (const InvalidInput& refused) {
      throw file_.refuse_line(fmt::format("{}: {}", shown(refused.field()), refused.rule()));
    }
    if (!object.is_object()) throw file_.refuse_line("must be a JSON object");
    return object;
  }

  const json& member(const json& object, const std::string& key) const {
    if (const auto found = object.find(key); found != object.end()) return *found;
    throw file_.refuse_line(fmt::format("{}: must be given", key));
  }

  /// A text, or a number that names something.
  std::string name_in(const json& object, const std::string& key) const {
    const json& value = member(object, key);
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_integer()) return value.dump();
    throw refusal(key, value.dump(), "must be a text or a whole number");
  }

  double number(const json& value, std::string_view field) const {
    if (value.is_number()) return value.get<double>();
    throw refusal(field, value.dump(), "must be a number");
  }

  double payoff(const json& value, std::string_view field) const {
    const double paid = number(value, field);
    if (const auto rule = payoff_rule(paid); !rule.empty()) {
      throw refusal(field, number_text(paid), rule);
    }
    return paid;
  }

  void read_distribution(const json& object, LoggedRound& round) {
    round.distribution.clear();
    const auto found = object.find(kProbabilities);
    if (found == object.end()) return;
    if (!found->is_object()) throw refusal(kProbabilities, found->dump(), "must be an object");
    for (const auto& [name, value] : found->items()) {
      const std::string field = fmt::format("{}.{}", kProbabilities, name);
      const std::size_t action = id_in(*this, actions_, field, name);
      round.distribution.resize(actions_.names().size(), 0.0);
      const double share = number(value, field);
      if (!(share >= 0.0 && share <= 1.0)) {
        throw refusal(field, number_text(share), "must be in [0, 1]");
      }
      round.distribution[action] = share;
    }
    round.distribution.resize(actions_.names().size(), 0.0);
    check_distribution(*this, format_, round);
  }

  void read_payoffs(const json& object, LogRecord& record) {
    LoggedRound& round = record.round;
    round.ids.clear();
    round.values.clear();
    if (record.long_form) {
      const std::string name = name_in(object, format_.columns.variable);
      add(id_in(*this, variables_, format_.columns.variable, name),
          payoff(member(object, format_.columns.payoff), format_.columns.payoff), round);
      return;
    }
    const json& payoffs = member(object, std::string(kPayoffs));
    if (payoffs.is_object()) {
      for (const auto& [name, value] : payoffs.items()) {
        const std::string field = fmt::format("{}.{}", kPayoffs, name);
        add(id_in(*this, variables_, field, name), payoff(value, field), round);
      }
    } else if (payoffs.is_array()) {
      for (std::size_t i = 0; i < payoffs.size(); ++i) {
        const std::string name = std::to_string(i);
        add(id_in(*this, variables_, kPayoffs, name), payoff(payoffs[i], kPayoffs), round);
      }
    } else {
      throw refusal(kPayoffs, payoffs.dump(), "must be an object or a list of numbers");
    }
  }

  static void add(std::size_t variable, double paid, LoggedRound& round) {
    round.ids.push_back(static_cast<VariableId>(variable));
    round.values.push_back(paid);
  }

  LogFormat format_;
  LineFile file_;
  LogNames& actions_;
  LogNames& variables_;
};

}  // namespace

std::unique_ptr<LogRecords> json_records(const std::string& path, const LogFormat& format,
                                         LogNames& actions, LogNames& variables) {
  return std::make_unique<JsonRecords>(path, format, actions, variables);
}

}  // namespace updraft
