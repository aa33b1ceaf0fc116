#include "service/request_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/json_document.h"
#include "core/json_fields.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using nlohmann::json;

/// Requests nest three levels; a little more still gets a message about its key.
constexpr std::size_t kMostDepth = 8;

/// Numbers and rows of a body that are read without a tree: more than any campaign takes.
constexpr std::size_t kMostNumbers = std::size_t{1} << 25;
constexpr std::size_t kMostRows = 1'000'001;

/// Small requests may be of any kind.
constexpr std::size_t kLargestSmallTree = std::size_t{16} << 20;

/// -0 becomes 0, and nothing else changes.
double without_negative_zero(double value) { return value + 0.0; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads the bodies that it knows, a part of JSON. Every member returns false, or nothing, where
/// the text is anything else, be it JSON or not; the reader is then of no more use.
class PlainReader {
 public:
  explicit PlainReader(std::string_view text)
      : at_(text.data()),
        end_(text.data() + text.size()),
        most_named_(most_tree_bytes(text, kLargestSmallTree) / sizeof(NamedNumbers::value_type)) {}

  std::optional<RequestFields> read() {
    RequestFields fields;
    if (!take('{')) return std::nullopt;
    if (!take('}')) {
      do {
        std::string key;
        if (!read_string(key) || !take(':')) return std::nullopt;
        std::optional<RequestField> value = read_value();
        if (!value || !fields.emplace(std::move(key), std::move(*value)).second) {
          return std::nullopt;
        }
      } while (take(','));
      if (!take('}')) return std::nullopt;
    }
    skip_spaces();
    if (at_ != end_) return std::nullopt;
    return fields;
  }

 private:
  void skip_spaces() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  /// The next character that is not a space; 0 at the end.
  char next() {
    skip_spaces();
    return at_ == end_ ? '\0' : *at_;
  }

  bool take(char wanted) {
    if (next() != wanted || at_ == end_) return false;
    ++at_;
    return true;
  }

  bool take_word(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool read_string(std::string& out) {
    if (!take('"')) return false;
    const char* begin = at_;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ < ' ' || *at_ == '\\') return false;  // bytes from 0x80 on are negative
      ++at_;
    }
    if (at_ == end_) return false;
    out.assign(begin, at_);
    ++at_;
    return true;
  }

  void skip_digits() {
    while (at_ != end_ && is_digit(*at_)) ++at_;
  }

  /// From `at_` to where the number ends by the grammar of JSON, which is narrower than that of
  /// std::from_chars.
  bool skip_number() {
    if (at_ != end_ && *at_ == '-') ++at_;
    if (at_ == end_ || !is_digit(*at_)) return false;
    if (*at_ == '0') {
      ++at_;
    } else {
      skip_digits();
    }
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (at_ == end_ || !is_digit(*at_)) return false;
      skip_digits();
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (at_ == end_ || !is_digit(*at_)) return false;
      skip_digits();
    }
    return true;
  }

  bool read_number(double& out) {
    skip_spaces();
    const char* begin = at_;
    if (!skip_number()) return false;
    const auto [stop, error] = std::from_chars(begin, at_, out);
    if (error != std::errc() || stop != at_) return false;
    out = without_negative_zero(out);
    return true;
  }

  /// After the '['.
  bool read_numbers(std::vector<double>& out) {
    if (take(']')) return true;
    do {
      if (out.size() == kMostNumbers || !read_number(out.emplace_back())) return false;
    } while (take(','));
    return take(']');
  }

  std::optional<RequestField> read_list() {
    if (next() != '[') {
      std::vector<double> numbers;
      if (!read_numbers(numbers)) return std::nullopt;
      return numbers;
    }
    NumberRows rows;
    do {
      if (rows.size() == kMostRows || !take('[') || !read_numbers(rows.numbers)) {
        return std::nullopt;
      }
      rows.ends.push_back(rows.numbers.size());
    } while (take(','));
    if (!take(']')) return std::nullopt;
    return rows;
  }

  std::optional<RequestField> read_named() {
    NamedNumbers named;
    if (take('}')) return named;
    do {
      if (named.size() == most_named_) return std::nullopt;
      auto& [name, value] = named.emplace_back();
      if (!read_string(name) || !take(':') || !read_number(value)) return std::nullopt;
    } while (take(','));
    if (!take('}')) return std::nullopt;
    return named;
  }

  std::optional<RequestField> read_value() {
    if (take('[')) return read_list();
    if (take('{')) return read_named();
    if (next() == '"') {
      std::string text;
      if (!read_string(text)) return std::nullopt;
      return json(std::move(text));
    }
    if (take_word("true")) return json(true);
    if (take_word("false")) return json(false);
    return std::nullopt;
  }

  const char* at_;
  const char* end_;
  std::size_t most_named_;
};

bool all_numbers(const json& list) {
  return std::all_of(list.begin(), list.end(), [](const json& item) { return item.is_number(); });
}

bool all_number_lists(const json& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const json& item) { return item.is_array() && all_numbers(item); });
}

void append_numbers(std::vector<double>& out, const json& list) {
  for (const json& item : list) out.push_back(without_negative_zero(item.get<double>()));
}

RequestField field_of(json value) {
  if (value.is_array() && all_numbers(value)) {
    std::vector<double> numbers;
    numbers.reserve(value.size());
    append_numbers(numbers, value);
    return numbers;
  }
  if (value.is_array() && all_number_lists(value)) {
    NumberRows rows;
    for (const json& row : value) {
      append_numbers(rows.numbers, row);
      rows.ends.push_back(rows.numbers.size());
    }
    return rows;
  }
  if (value.is_object() && all_numbers(value)) {
    NamedNumbers named;
    for (const auto& member : value.items()) {
      named.emplace_back(member.key(), without_negative_zero(member.value().get<double>()));
    }
    return named;
  }
  return value;
}

}  // namespace

RequestFields read_request_fields(std::string_view body) {
  if (auto plain = PlainReader(body).read()) return std::move(*plain);
  json document = parse_json_document(body, kMostDepth, most_tree_bytes(body, kLargestSmallTree));
  if (!document.is_object()) throw InvalidInput("request", "must be an object");
  RequestFields fields;
  for (auto& member : document.items()) {
    fields.emplace(member.key(), field_of(std::move(member.value())));
  }
  return fields;
}

const RequestField* find_field(const RequestFields& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found == fields.end() ? nullptr : &found->second;
}

void check_fields(const RequestFields& fields, std::initializer_list<std::string_view> valid) {
  for (const auto& [key, value] : fields) {
    if (std::find(valid.begin(), valid.end(), key) != valid.end()) continue;
    throw unknown_name("key", clipped(key), {valid.begin(), valid.end()});
  }
}

json plain_value(const RequestField& field) {
  if (const json* value = std::get_if<json>(&field)) return *value;
  return std::holds_alternative<NamedNumbers>(field) ? json::object() : json::array();
}

const std::vector<double>& number_list(const RequestField& field, std::string_view path) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&field)) return *numbers;
  if (std::holds_alternative<NumberRows>(field)) {
    number_field(json::array(), fmt::format("{}[0]", path));
  }
  numbers_field(plain_value(field), path);
  throw InvalidInput(path, "must be a list of numbers");
}

std::string text_of(const RequestFields& fields, std::string_view key) {
  const RequestField* field = find_field(fields, key);
  return field == nullptr ? std::string() : text_field(plain_value(*field), key);
}

}  // namespace updraft
