#include "core/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "updraft/error.h"

namespace updraft {
namespace {

using nlohmann::json;

/// "line 3, column 12" of a byte, counted from 1.
std::string place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = before.size() - (newline == before.npos ? 0 : newline + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

/// The library's message without its prefix and without bytes from the text.
std::string reason_of(std::string_view what) {
  if (const std::size_t prefix = what.find("] "); prefix != what.npos) {
    what.remove_prefix(prefix + 2);
  }
  if (what.starts_with("parse error")) {
    if (const std::size_t colon = what.find(": "); colon != what.npos) {
      what.remove_prefix(colon + 2);
    }
  }
  return clipped(what.substr(0, what.find("; last read: ")), 200);
}

/// Of a text, list or object besides its value and its letters.
constexpr std::size_t kBytesOfMore = 48;

/// Builds the document from the parser's events.
class DocumentBuilder final : public nlohmann::json_sax<json> {
 public:
  DocumentBuilder(std::string_view text, std::size_t most_depth, std::size_t most_bytes)
      : text_(text), most_depth_(most_depth), bytes_left_(most_bytes) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override {
    charge(kBytesOfMore + value.size());
    return add(std::move(value));
  }
  bool binary(binary_t&) override { return false; }  // JSON text has none
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    charge(kBytesOfMore + name.size());
    Level& level = levels_.back();
    level.key = name;
    const auto [entry, added] = level.value->emplace(std::move(name), nullptr);
    if (!added) {
      const std::string repeated = path();
      throw InvalidInput(repeated.empty() ? "\"\"" : repeated,
                         "is repeated; keys must be distinct");
    }
    level.member = &*entry;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw InvalidInput(place_of(text_, std::min(position, text_.size() + 1)),
                       "not JSON: " + reason_of(error.what()));
  }

 private:
  /// An object or list that is not closed yet.
  struct Level {
    json* value = nullptr;
    json* member = nullptr;  // objects only: the value of `key`
    std::string key;
  };

  void charge(std::size_t bytes) {
    if (bytes > bytes_left_) {
      throw InvalidInput(path(),
                         "has too many small values: they would take more memory than the "
                         "length of the text allows");
    }
    bytes_left_ -= bytes;
  }

  json& put(json value) {
    charge(sizeof(json));
    if (levels_.empty()) return root_ = std::move(value);
    Level& level = levels_.back();
    if (level.value->is_array()) return level.value->emplace_back(std::move(value));
    return *level.member = std::move(value);
  }

  bool add(json value) {
    put(std::move(value));
    return true;
  }

  bool open(json value) {
    if (levels_.size() == most_depth_) {
      throw InvalidInput(path(),
                         fmt::format("is nested too deeply; at most {} levels", most_depth_));
    }
    charge(kBytesOfMore);
    json& placed = put(std::move(value));
    levels_.push_back({&placed, nullptr, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  /// Where the last key or value stands.
  std::string path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (level.value->is_array()) {
        path += fmt::format("[{}]", level.value->size() - (&level == &levels_.back() ? 0 : 1));
      } else {
        if (!path.empty()) path += '.';
        path += clipped(level.key);
      }
    }
    return path;
  }

  std::string_view text_;
  std::size_t most_depth_;
  std::size_t bytes_left_;
  json root_;
  std::vector<Level> levels_;
};

}  // namespace

json parse_json_document(std::string_view text, std::size_t most_depth, std::size_t most_bytes) {
  DocumentBuilder builder(text, most_depth, most_bytes);
  if (!json::sax_parse(text.begin(), text.end(), &builder)) {
    throw InvalidInput("text", "not JSON");
  }
  return builder.take();
}

std::string clipped(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "...";
}

}  // namespace updraft
