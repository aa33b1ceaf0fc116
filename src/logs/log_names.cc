#include "logs/log_names.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "data/line_file.h"
#include "updraft/decision_log.h"
#include "updraft/error.h"

namespace updraft {

void set_log_column(LogFormat::Columns& columns, const std::string& meaning, std::string name) {
  const std::pair<const char*, std::string LogFormat::Columns::*> meanings[] = {
      {"decision", &LogFormat::Columns::decision},
      {"time", &LogFormat::Columns::time},
      {"action", &LogFormat::Columns::action},
      {"probability", &LogFormat::Columns::probability},
      {"variable", &LogFormat::Columns::variable},
      {"payoff", &LogFormat::Columns::payoff}};
  std::vector<std::string> valid;
  for (const auto& [word, column] : meanings) {
    if (meaning == word) {
      columns.*column = std::move(name);
      return;
    }
    valid.push_back(word);
  }
  throw unknown_name("column", meaning, valid);
}

bool absent_is_zero(std::string_view field, const std::string& word) {
  if (word == "zero" || word == "missing") return word == "zero";
  throw InvalidInput(field, shown(word), "must be zero or missing");
}

std::optional<std::uint64_t> whole_number(std::string_view name) {
  std::uint64_t value = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

LogNames::LogNames(std::string_view kind, std::vector<std::string> given, std::size_t most)
    : kind_(kind), most_(most), closed_(!given.empty()) {
  if (given.size() > most) {
    throw InvalidInput(kind_ + "s", std::to_string(given.size()),
                       fmt::format("a log has at most {}", most));
  }
  for (std::string& name : given) {
    if (ids_.contains(name)) throw InvalidInput(kind_ + "s", shown(name), "is named twice");
    add(std::move(name));
  }
}

void LogNames::add(std::string name) {
  ids_.emplace(name, names_.size());
  names_.push_back(std::move(name));
}

std::optional<std::size_t> LogNames::id(std::string_view name, std::string& rule) {
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  if (name.empty()) {
    rule = fmt::format("must name the {}", kind_);
  } else if (closed_ && names_.size() <= 20) {
    std::string known;
    for (const std::string& one : names_) known += (known.empty() ? "" : ", ") + shown(one);
    rule = fmt::format("is not one of the {}s: {}", kind_, known);
  } else if (closed_) {
    rule = fmt::format("is not one of the {} {}s", names_.size(), kind_);
  } else if (names_.size() >= most_) {
    rule = fmt::format("is one {} too many; a log has at most {}", kind_, most_);
  } else {
    add(std::string(name));
    return names_.size() - 1;
  }
  return std::nullopt;
}

}  // namespace updraft
