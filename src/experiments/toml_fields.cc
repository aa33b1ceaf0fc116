#include "experiments/toml_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace updraft {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 15;

std::string_view type_text(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

/// Throws if there is a non-ASCII character outside quotes and comments, where TOML has no
/// use for one. toml++ 3.3 must not see such a character: its test for white space is undefined for
/// many of them. It is applied between tokens, and after a backslash in a text of several lines.
class PlainCharacters {
 public:
  PlainCharacters(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    while (at_ < text_.size()) step();
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if ((c == '"' || c == '\'') && may_open_quotes()) {
      skip_quoted(c);
    } else {
      check_plain();
      ++at_;
    }
  }

  /// A quote that directly follows a value or a dot opens nothing: toml++ reads what comes after it
  /// as plain text. (It would in a key such as a."b", which no file of ours has.)
  bool may_open_quotes() const {
    return at_ == 0 ||
           std::string_view(" \t\r\n=[{,").find(text_[at_ - 1]) != std::string_view::npos;
  }

  void skip_quoted(char quote) {
    const std::string three(3, quote);
    const bool several_lines = text_.substr(at_, 3) == three;
    at_ += several_lines ? 3 : 1;
    while (at_ < text_.size()) {
      if (quote == '"' && text_[at_] == '\\') {
        skip_escaped(several_lines);
      } else if (several_lines ? text_.substr(at_, 3) == three : text_[at_] == quote) {
        at_ += several_lines ? 3 : 1;
        return;
      } else if (!several_lines && text_[at_] == '\n') {
        return;  // refused by toml++
      } else {
        ++at_;
      }
    }
  }

  /// A backslash, and what it stands before: a character, or white space that is left out.
  void skip_escaped(bool several_lines) {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", at_ + 1);
    if (!several_lines || next == at_ + 1) {
      at_ = std::min(at_ + 2, text_.size());
      return;
    }
    at_ = std::min(next, text_.size());
    if (at_ < text_.size()) check_plain();
  }

  void check_plain() const {
    if (static_cast<unsigned char>(text_[at_]) < 0x80) return;
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n');
    throw InvalidInput(fmt::format("{}:{}", origin_, line),
                       "contains a non-ASCII character outside quotes and comments");
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
};

}  // namespace

toml::table parse_toml_document(std::string_view text, const std::string& origin) {
  if (text.size() > kMostBytes) {
    throw InvalidInput(origin + ":1", "is too large; an experiment file has at most 32 KiB");
  }
  PlainCharacters(text, origin);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InvalidInput(fmt::format("{}:{}:{}", origin, at.line, at.column),
                       fmt::format("is not TOML: {}", error.description()));
  }
}

TomlField::TomlField(const toml::node& node, std::size_t line, std::string path, std::string origin)
    : node_(&node), line_(line), path_(std::move(path)), origin_(std::move(origin)) {}

InvalidInput TomlField::refusal(std::string_view value, std::string_view rule) const {
  return InvalidInput(fmt::format("{}:{}: {}", origin_, line_, path_), value, rule);
}

InvalidInput TomlField::wrong_type(std::string_view expected) const {
  return refusal(fmt::format("must be {}, not {}", expected, type_text(*node_)));
}

std::string TomlField::text() const {
  if (!node_->is_string()) throw wrong_type("a string");
  return node_->as_string()->get();
}

double TomlField::number() const {
  if (const auto* integer = node_->as_integer()) return static_cast<double>(integer->get());
  if (const auto* floating = node_->as_floating_point()) return floating->get();
  throw wrong_type("a number");
}

bool TomlField::flag() const {
  if (!node_->is_boolean()) throw wrong_type("true or false");
  return node_->as_boolean()->get();
}

std::uint64_t TomlField::whole(std::uint64_t least, std::uint64_t most) const {
  const double rounded = number();
  const auto refuse = [&](const std::string& value) {
    return refusal(value, fmt::format("must be a whole number from {} to {}", least, most));
  };
  if (const auto* integer = node_->as_integer()) {
    const std::int64_t value = integer->get();
    if (value < 0 || static_cast<std::uint64_t>(value) < least ||
        static_cast<std::uint64_t>(value) > most) {
      throw refuse(fmt::format("{}", value));
    }
    return static_cast<std::uint64_t>(value);
  }
  // Whole numbers up to 2^53 are exact.
  if (!(rounded >= static_cast<double>(least) && rounded <= static_cast<double>(most) &&
        rounded <= 0x1p53) ||
      rounded != std::floor(rounded)) {
    throw refuse(number_text(rounded));
  }
  return static_cast<std::uint64_t>(rounded);
}

std::vector<TomlField> TomlField::items(std::string_view expected) const {
  const toml::array* list = node_->as_array();
  if (list == nullptr) throw wrong_type(expected);
  std::vector<TomlField> fields;
  for (const toml::node& item : *list) {
    fields.emplace_back(item, item.source().begin.line, fmt::format("{}[{}]", path_, fields.size()),
                        origin_);
  }
  return fields;
}

TomlTable TomlField::table(std::string_view expected) const {
  const toml::table* table = node_->as_table();
  if (table == nullptr) throw wrong_type(expected);
  return TomlTable(*table, line_, path_, origin_);
}

TomlTable::TomlTable(const toml::table& table, std::size_t line, std::string path,
                     std::string origin)
    : line_(line), path_(std::move(path)), origin_(std::move(origin)) {
  std::vector<std::pair<toml::source_position, Member>> found;
  for (const auto& [key, node] : table) {
    const toml::source_position at = key.source().begin;
    found.push_back(
        {at, {std::string(key.str()), TomlField(node, at.line, member_path(key.str()), origin_)}});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [at, member] : found) members_.push_back(std::move(member));
}

std::string TomlTable::place(std::string_view path) const {
  return fmt::format("{}:{}: {}", origin_, line_, path);
}

std::string TomlTable::member_path(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

InvalidInput TomlTable::refusal(std::string_view rule) const {
  return InvalidInput(place(path_.empty() ? "experiment" : path_), rule);
}

void TomlTable::check_keys(const std::vector<std::string>& valid) const {
  for (const Member& member : members_) {
    if (std::find(valid.begin(), valid.end(), member.key) != valid.end()) continue;
    const InvalidInput unknown = unknown_name("key", member.key, valid);
    throw InvalidInput(
        fmt::format("{}:{}: {}", origin_, member.field.line(), member_path(unknown.value())),
        unknown.rule());
  }
}

std::optional<TomlField> TomlTable::find(std::string_view key) const {
  for (const Member& member : members_) {
    if (member.key == key) return member.field;
  }
  return std::nullopt;
}

TomlField TomlTable::required(std::string_view key) const {
  if (const auto field = find(key)) return *field;
  throw InvalidInput(place(member_path(key)), "is missing");
}

}  // namespace updraft
