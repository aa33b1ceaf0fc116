#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace updraft {

namespace {

constexpr std::size_t kWidth = 100;

std::size_t width_of(std::string_view text) {
  const auto first = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), first));
}

/// The end of the first words that stay together: a line may break only before a word that cannot
/// begin a list.
std::size_t end_of_unit(std::string_view words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const char next = words[i + 1];
    if (words[i] == ' ' && (std::isalpha(static_cast<unsigned char>(next)) || next == '('))
      return i;
  }
  return words.size();
}

std::string broken(std::string_view words) {
  std::string out;
  std::size_t column = 0;
  while (!words.empty()) {
    const std::string_view unit = words.substr(0, end_of_unit(words));
    words.remove_prefix(std::min(unit.size() + 1, words.size()));
    const bool fits = column + 1 + width_of(unit) <= kWidth;
    if (column > 0) out += fits ? ' ' : '\n';
    column = (column > 0 && fits ? column + 1 : 0) + width_of(unit);
    out += unit;
  }
  return out;
}

}  // namespace

std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '*' || c == '_' || c == '`') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return result;
}

std::string wrapped(std::string_view markdown) {
  std::string out;
  bool code = false;
  while (!markdown.empty()) {
    const std::size_t end = markdown.find('\n');
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(line.size() + 1, markdown.size()));
    if (line.starts_with("```")) code = !code;
    const bool prose =
        !code && !line.empty() && std::string_view("|#!`").find(line[0]) == std::string_view::npos;
    out += prose ? broken(line) : std::string(line);
    if (end != std::string_view::npos) out += '\n';
  }
  return out;
}

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string header(const std::vector<std::string>& titles, const std::string& rule) {
  return row(titles) + rule + "\n";
}

std::string statement_of(const Verdict& verdict) {
  const std::string statement = plain(verdict.statement);
  return verdict.claim > 0 ? fmt::format("({}) {}", verdict.claim, statement) : statement;
}

std::string word_for(Verdict::Outcome outcome) {
  const std::string_view loud = outcome == Verdict::Outcome::kNotSupported ? "**" : "";
  return fmt::format("{0}{1}{0}", loud, outcome_name(outcome));
}

}  // namespace updraft
