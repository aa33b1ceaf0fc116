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
constexpr std::size_t kRequestDepth = 8;

/// Numbers and rows of a body that are read without a tree: more than any campaign takes.
constexpr std::size_t kMostNumbers = std::size_t{1} << 25;
constexpr std::size_t kMostRows = 1'000'001;

/// Of a body; none has so many.
constexpr std::size_t kMostKeys = 64;

/// Small requests may be of any kind.
constexpr std::size_t kLargestSmallTree = std::size_t{16} << 20;

/// -0 becomes 0, and nothing else changes.
double without_negative_zero(double value) { return value + 0.0; }

constexpr std::size_t kMostExactDigits = 15;
constexpr double kPowersOfTen[kMostExactDigits + 1] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads the bodies that it knows, a part of JSON. Every member returns false, or nothing, where
/// the text is anything else, be it JSON or not; the reader is then of no more use.
class PlainReader {
 public:
  /// A list of as many numbers as are expected needs not be counted before it is read.
  PlainReader(std::string_view text, std::size_t most_numbers, std::size_t expected)
      : at_(text.data()),
        end_(text.data() + text.size()),
        most_numbers_(std::min(most_numbers, kMostNumbers)),
        expected_(expected),
        most_named_(most_tree_bytes(text, kLargestSmallTree) / sizeof(NamedNumbers::value_type)) {}

  std::optional<RequestFields> read() {
    RequestFields fields;
    if (!take('{')) return std::nullopt;
    if (!take('}')) {
      do {
        std::string key;
        if (!read_string(key) || !take(':')) return std::nullopt;
        key_ = key;
        std::optional<RequestField> value = read_value();
        if (!value || fields.size() == kMostKeys ||
            !fields.emplace(std::move(key), std::move(*value)).second) {
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

  /// Numbers of at most 15 digits and no exponent, which most are: their digits and the power of
  /// ten are exact doubles, so the quotient is the nearest one (Clinger, 1990).
  bool read_short_number(double& out) {
    const char* at = at_;
    const bool negative = at != end_ && *at == '-';
    if (negative) ++at;
    std::uint64_t digits = 0;  // wraps around if there are too many, which are counted
    const auto take_digits = [&] {
      const char* const begin = at;
      for (; at != end_ && is_digit(*at); ++at) {
        digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
      }
      return static_cast<std::size_t>(at - begin);
    };
    const char first = at == end_ ? '\0' : *at;
    const std::size_t whole = take_digits();
    std::size_t decimals = 0;
    if (whole == 0 || (first == '0' && whole > 1)) return false;
    if (at != end_ && *at == '.') {
      ++at;
      decimals = take_digits();
      if (decimals == 0) return false;
    }
    if (whole + decimals > kMostExactDigits) return false;
    if (at != end_ && (*at == 'e' || *at == 'E')) return false;
    out = static_cast<double>(digits) / kPowersOfTen[decimals];
    if (negative && digits != 0) out = -out;
    at_ = at;
    return true;
  }

  bool read_number(double& out) {
    skip_spaces();
    if (read_short_number(out)) return true;
    const char* begin = at_;
    if (!skip_number()) return false;
    const auto [stop, error] = std::from_chars(begin, at_, out);
    if (error != std::errc() || stop != at_) return false;
    out = without_negative_zero(out);
    return true;
  }

  /// After the '['. Takes memory for as many as there are, if they are all that is left.
  bool read_numbers(std::vector<double>& out) {
    if (take(']')) return true;
    std::size_t room = kMostNumbers;
    const auto make_room = [&](std::size_t numbers) {
      room = numbers;
      if (room > most_numbers_) return refuse_more(room);
      out.reserve(room);
      return true;
    };
    if (out.empty()) {
      const bool may_have_expected = static_cast<std::size_t>(end_ - at_) / 2 >= expected_;
      if (!make_room(may_have_expected ? expected_ : commas_before(']') + 1)) return false;
    }
    do {
      if (out.size() == room && !make_room(room + commas_before(']') + 1)) return false;
      if (!read_number(out.emplace_back())) return false;
    } while (take(','));
    return take(']');
  }

  /// False if they are even too many for the message.
  bool refuse_more(std::size_t numbers) const {
    if (numbers > kMostNumbers) return false;
    throw InvalidInput(key_, fmt::format("{} numbers", numbers),
                       fmt::format("must have at most {}", most_numbers_));
  }

  std::size_t commas_before(char end) const {
    return static_cast<std::size_t>(std::count(at_, std::find(at_, end_, end), ','));
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
    named.reserve(std::min(commas_before('}') + 1, most_named_));
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
    return read_whole();
  }

  /// A number that is written with nothing but digits.
  std::optional<RequestField> read_whole() {
    std::uint64_t value = 0;
    const char* begin = at_;
    const auto [stop, error] = std::from_chars(begin, end_, value);
    if (error != std::errc() || (*begin == '0' && stop != begin + 1)) return std::nullopt;
    if (stop != end_ && (*stop == '.' || *stop == 'e' || *stop == 'E')) return std::nullopt;
    at_ = stop;
    return json(value);
  }

  const char* at_;
  const char* end_;
  std::string_view key_;  // of the member that is read
  std::size_t most_numbers_;
  std::size_t expected_;
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

RequestFields read_request_fields(std::string_view body, std::size_t most_numbers) {
  const std::size_t few = most_tree_bytes(body, kLargestSmallTree) / sizeof(double);
  PlainReader reader(body, std::max(most_numbers, few), most_numbers);
  if (auto plain = reader.read()) return std::move(*plain);
  // The lists of a document have room for more than they hold.
  json document =
      parse_json_document(body, kRequestDepth, std::max(body.size(), kLargestSmallTree));
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
