#include "report/markdown.h"

#include <fmt/format.h>

namespace updraft {

std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '*' || c == '_' || c == '`') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return result;
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
