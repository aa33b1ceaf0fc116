#include "service/request_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace updraft {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_token(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

/// At most 18, so that the number fits.
bool is_length(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<HttpAnswer> check_length(const RequestHead& head) {
  const std::size_t lengths = head.count("Content-Length");
  const std::size_t encodings = head.count("Transfer-Encoding");
  if (lengths + encodings > 1 || (lengths == 1 && !is_length(head.value("Content-Length")))) {
    return error_answer(400, "the length of the body must be given once, as a number or in chunks");
  }
  if (encodings == 0) return std::nullopt;
  if (head.http_1_0) return error_answer(400, "HTTP/1.0 has no Transfer-Encoding");
  if (!head.is_chunked()) return error_answer(501, "Transfer-Encoding must be chunked");
  return std::nullopt;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Whether all escapes are well formed.
bool decode(std::string_view text, bool plus_is_space, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return false;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return false;
      out += static_cast<char>(16 * high + low);
      i += 2;
    }
  }
  return true;
}

std::string_view take_until(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

bool parse_query(std::string_view text, Query& out) {
  while (!text.empty()) {
    std::string_view value = take_until(text, '&');
    if (value.empty()) continue;
    const std::string_view name = take_until(value, '=');
    auto& [key, decoded] = out.emplace_back();
    if (!decode(name, true, key) || !decode(value, true, decoded)) return false;
  }
  return true;
}

}  // namespace

std::string_view RequestHead::value(std::string_view name) const {
  for (const auto& [given, value] : headers) {
    if (same_token(given, name)) return value;
  }
  return {};
}

std::size_t RequestHead::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(headers.begin(), headers.end(),
                    [&](const auto& header) { return same_token(header.first, name); }));
}

bool RequestHead::is_chunked() const { return same_token(value("Transfer-Encoding"), "chunked"); }

std::uint64_t RequestHead::length() const {
  const std::string_view text = value("Content-Length");
  std::uint64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

bool has_folded_header(std::string_view head) {
  return head.find("\r\n ") != head.npos || head.find("\r\n\t") != head.npos;
}

std::optional<HttpAnswer> check_head(const RequestHead& head) {
  if (head.headers.size() > kMostHeaders) {
    return error_answer(431, fmt::format("there may be at most {} headers", kMostHeaders));
  }
  if (head.target.size() > kLongestTarget) return error_answer(414, "the address is too long");
  const std::size_t hosts = head.count("Host");
  if (hosts > 1 || (hosts == 0 && !head.http_1_0)) {
    return error_answer(400, "the request must have one header Host");
  }
  if (auto refused = check_length(head)) return refused;
  const std::string_view expected = head.value("Expect");
  if (!expected.empty() && !same_token(expected, "100-continue")) {
    return error_answer(417, "Expect must be 100-continue");
  }
  return std::nullopt;
}

std::optional<Target> parse_target(std::string_view target, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!same_token(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::string_view named = target.substr(0, target.find_first_of("/?"));
    if (!host.empty() && !same_token(named, host)) return std::nullopt;
    target.remove_prefix(named.size());
    if (target.empty()) target = "/";
    break;
  }
  if (!target.starts_with('/')) return std::nullopt;
  Target out;
  std::string_view query = target;
  const std::string_view path = take_until(query, '?');
  if (!decode(path, false, out.path) || !parse_query(query, out.query)) return std::nullopt;
  return out;
}

bool lists_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    std::string_view member = take_until(list, ',');
    const std::string_view name = trimmed(take_until(member, ';'));
    if (!same_token(name, token)) continue;
    const std::string_view weight = trimmed(member);
    return !(weight.starts_with("q=0") && weight.find_first_not_of("0.", 2) == weight.npos);
  }
  return false;
}

}  // namespace updraft
