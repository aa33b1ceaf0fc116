#include "environments/changes_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/json_document.h"
#include "core/json_fields.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using nlohmann::json;

constexpr std::size_t kLastRound = 4294967295;

/// One change of a file, with its path.
class ChangeReader {
 public:
  ChangeReader(const json& object, std::string path) : object_(object), path_(std::move(path)) {}

  /// Throws unless the keys are those of every change and these.
  void check(std::initializer_list<std::string_view> own) const {
    std::vector<std::string_view> valid = {"change", "action", "variables"};
    valid.insert(valid.end(), own.begin(), own.end());
    for (const auto& [key, value] : object_.items()) {
      if (std::find(valid.begin(), valid.end(), key) != valid.end()) continue;
      throw unknown_name(fmt::format("key of {}", path_), clipped(key),
                         {valid.begin(), valid.end()});
    }
  }

  std::uint32_t round(const char* key) const { return whole(key, 0); }
  std::uint32_t whole(const char* key, std::size_t least) const {
    return static_cast<std::uint32_t>(
        whole_field(required(object_, path_, key), at(key), least, kLastRound));
  }
  double number(const char* key) const {
    return number_field(required(object_, path_, key), at(key));
  }
  bool has(const char* key) const { return object_.contains(key); }
  double number_or(const char* key, double otherwise) const {
    return has(key) ? number(key) : otherwise;
  }
  std::vector<double> numbers(const char* key) const {
    return numbers_field(required(object_, path_, key), at(key));
  }
  std::string text(const char* key) const {
    return text_field(required(object_, path_, key), at(key));
  }
  const json& list(const char* key) const { return required_list(object_, path_, key); }
  std::string at(const char* key) const { return member_path(path_, key); }

 private:
  const json& object_;
  std::string path_;
};

Change::Course read_course(const ChangeReader& from) {
  const std::string name = from.text("change");
  if (name == "season") {
    from.check({"levels", "rounds"});
    return Season{from.numbers("levels"), from.has("rounds") ? from.whole("rounds", 1) : 1};
  }
  if (name == "trend") {
    from.check({"from", "to", "by"});
    return Trend{from.round("from"), from.round("to"), from.number("by")};
  }
  if (name == "walk") {
    from.check({"step", "pull"});
    return Walk{from.number("step"), from.number_or("pull", 0.0)};
  }
  if (name == "start" || name == "end") {
    from.check({"at"});
    if (name == "start") return Start{from.round("at")};
    return End{from.round("at")};
  }
  if (name == "flip") {
    from.check({"at", "factor"});
    return Flip{from.round("at"), from.number_or("factor", -1.0)};
  }
  if (name == "wear-off") {
    from.check({"from", "half_life", "floor"});
    return WearOff{from.round("from"), from.number("half_life"), from.number_or("floor", 0.0)};
  }
  throw unknown_name(from.at("change"), clipped(name),
                     {"season", "trend", "walk", "start", "end", "flip", "wear-off"});
}

struct CourseJson {
  std::string operator()(const Season& season) const {
    std::vector<std::string> levels;
    for (const double level : season.levels) levels.push_back(number_text(level));
    return fmt::format(R"(, "levels": [{}], "rounds": {})", fmt::join(levels, ", "), season.rounds);
  }
  std::string operator()(const Trend& trend) const {
    return fmt::format(R"(, "from": {}, "to": {}, "by": {})", trend.from, trend.to,
                       number_text(trend.by));
  }
  std::string operator()(const Walk& walk) const {
    return fmt::format(R"(, "step": {}, "pull": {})", number_text(walk.step),
                       number_text(walk.pull));
  }
  std::string operator()(const Start& start) const {
    return fmt::format(R"(, "at": {})", start.at);
  }
  std::string operator()(const End& end) const { return fmt::format(R"(, "at": {})", end.at); }
  std::string operator()(const Flip& flip) const {
    return fmt::format(R"(, "at": {}, "factor": {})", flip.at, number_text(flip.factor));
  }
  std::string operator()(const WearOff& wear_off) const {
    return fmt::format(R"(, "from": {}, "half_life": {}, "floor": {})", wear_off.from,
                       number_text(wear_off.half_life), number_text(wear_off.floor));
  }
};

}  // namespace

std::vector<Change> read_changes(
    const json& list, const std::vector<std::string>& action_names,
    const std::function<VariableSet(const json& list, const std::string& path)>& ranges) {
  std::vector<Change> changes;
  for (const json& object : list) {
    const std::string path = fmt::format("changes[{}]", changes.size());
    if (!object.is_object()) check_keys(object, path, {});
    const ChangeReader from(object, path);
    Change change;
    change.course = read_course(from);
    if (from.has("action")) {
      const std::string name = from.text("action");
      const auto action = std::find(action_names.begin(), action_names.end(), name);
      if (action == action_names.end()) {
        throw InvalidInput(from.at("action"), clipped(name), "must be one of the names in actions");
      }
      change.action = static_cast<ActionId>(action - action_names.begin());
    }
    if (from.has("variables")) {
      change.variables = ranges(from.list("variables"), from.at("variables"));
      if (change.variables.empty()) {
        throw InvalidInput(from.at("variables"), "must have at least one variable");
      }
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

std::vector<std::string> changes_text(
    const std::vector<Change>& changes, const std::vector<std::string>& quoted_actions,
    const std::function<std::string(const VariableSet& set)>& ranges) {
  std::vector<std::string> texts;
  for (const Change& change : changes) {
    std::string text = fmt::format(R"({{"change": "{}")", course_name(change.course));
    if (change.action) text += fmt::format(R"(, "action": {})", quoted_actions[*change.action]);
    if (!change.variables.empty()) {
      text += fmt::format(R"(, "variables": {})", ranges(change.variables));
    }
    texts.push_back(text + std::visit(CourseJson{}, change.course) + '}');
  }
  return texts;
}

}  // namespace updraft
