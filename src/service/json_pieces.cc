#include "service/json_pieces.h"

#include <fmt/format.h>

#include "updraft/error.h"

namespace updraft {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class PieceReader {
 public:
  PieceReader(std::string_view text, std::string_view field) : text_(text), field_(field) {}

  [[noreturn]] void refuse(std::string_view rule) const {
    throw InvalidInput(field_, fmt::format("is not JSON after {} bytes: {}", at_, rule));
  }

  /// The next character that is not a space; 0 at the end.
  char next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char wanted) {
    if (next() != wanted || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) refuse(fmt::format("'{}' is missing", wanted));
  }

  void expect_end() {
    next();
    if (at_ != text_.size()) refuse("there is something after the end");
  }

  /// Without the quotes.
  std::string_view string() {
    expect('"');
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) {
      at_ = text_.size();
      refuse("a string does not end");
    }
    return text_.substr(begin, at_++ - begin);
  }

  /// Whatever it is: up to the bracket that closes it, or to what follows a scalar.
  std::string_view value() {
    next();
    const std::size_t begin = at_;
    std::size_t open = 0;
    do {
      const char c = next();
      if (c == '"') {
        string();
      } else if (c == '[' || c == '{') {
        ++open;
        ++at_;
      } else if (c == ']' || c == '}') {
        if (open == 0) refuse("a value is missing");
        --open;
        ++at_;
      } else if ((c == ',' || c == ':') && open > 0) {
        ++at_;
      } else {
        skip_scalar();
      }
    } while (open > 0);
    return text_.substr(begin, at_ - begin);
  }

 private:
  void skip_scalar() {
    const std::size_t begin = at_;
    constexpr std::string_view kEnds = ",:[]{}\" \n\r\t";
    while (at_ < text_.size() && kEnds.find(text_[at_]) == kEnds.npos) ++at_;
    if (at_ == begin) refuse(at_ == text_.size() ? "it ends too soon" : "a value is missing");
  }

  std::string_view text_;
  std::string_view field_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> object_pieces(std::string_view text,
                                                                         std::string_view field) {
  PieceReader reader(text, field);
  if (reader.next() != '{') throw InvalidInput(field, "must be an object");
  reader.take('{');
  std::vector<std::pair<std::string_view, std::string_view>> members;
  if (!reader.take('}')) {
    do {
      const std::string_view key = reader.string();
      reader.expect(':');
      members.emplace_back(key, reader.value());
    } while (reader.take(','));
    reader.expect('}');
  }
  reader.expect_end();
  return members;
}

std::vector<std::string_view> list_pieces(std::string_view text, std::string_view field,
                                          std::size_t most) {
  PieceReader reader(text, field);
  if (reader.next() != '[') throw InvalidInput(field, "must be a list");
  reader.take('[');
  std::vector<std::string_view> items;
  if (!reader.take(']')) {
    do {
      items.push_back(reader.value());
      if (items.size() > most) return items;
    } while (reader.take(','));
    reader.expect(']');
  }
  reader.expect_end();
  return items;
}

}  // namespace updraft
