#include "output.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace updraft::cli {
namespace {

constexpr std::string_view kColumnGap = "  ";

std::string with_thousands(std::string digits) {
  const std::size_t begin = digits.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(digits.find('.'), digits.size());
  while (at > begin + 3) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

bool is_plain(const Json& value) { return !value.is_structured(); }

void append_json(std::string& out, const Json& value, std::size_t indent) {
  if (is_plain(value) || value.empty()) {
    out += value.dump();
    return;
  }
  const bool inline_list = value.is_array() && std::all_of(value.begin(), value.end(), is_plain);
  const std::string line_break = inline_list ? "" : "\n" + std::string(indent + 2, ' ');
  std::string_view separator;
  out += value.is_array() ? '[' : '{';
  for (const auto& item : value.items()) {
    out += separator;
    out += line_break;
    if (value.is_object()) out += Json(item.key()).dump() + ": ";
    append_json(out, item.value(), indent + 2);
    separator = inline_list ? ", " : ",";
  }
  if (!inline_list) out += "\n" + std::string(indent, ' ');
  out += value.is_array() ? ']' : '}';
}

std::string padded(const std::string& text, std::size_t width, Table::Align align) {
  const std::string space(width - std::min(width, text_width(text)), ' ');
  return align == Table::Align::kLeft ? text + space : space + text;
}

}  // namespace

void write_output(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
  }
}

void write_note(std::string_view text) {
  const std::string line = fmt::format("updraft: {}\n", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool output_has_style() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') &&
         term != nullptr && std::string_view(term) != "dumb";
}

std::string json_text(const Json& value) {
  std::string out;
  append_json(out, value, 0);
  out += '\n';
  return out;
}

std::string count_text(std::uint64_t value) { return with_thousands(fmt::format("{}", value)); }

std::string fixed_text(double value, int decimals) {
  if (!(std::abs(value) < 1e15)) return fmt::format("{:.3g}", value);
  std::string digits = fmt::format("{:.{}f}", value, decimals);
  if (digits.starts_with('-') && digits.find_first_of("123456789") == std::string::npos) {
    digits.erase(0, 1);
  }
  return with_thousands(std::move(digits));
}

int decimals_for(double largest) {
  if (!std::isfinite(largest) || largest == 0.0) return 0;
  return std::clamp(3 - exponent_of(largest), 0, 6);
}

std::string short_text(double value) {
  if (value == 0.0) return "0";
  if (!(std::abs(value) >= 1e-4 && std::abs(value) < 1e15)) return fmt::format("{:.4g}", value);
  std::string text = fixed_text(value, std::max(0, 3 - exponent_of(value)));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string percent_text(double share) {
  const double percent = 100.0 * share;
  return fixed_text(percent, percent < 9.95 ? 1 : 0) + " %";
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string printable_text(std::string text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

std::vector<std::string> wrap_text(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && text_width(line) + 1 + text_width(word) > width) {
      lines.push_back(std::exchange(line, ""));
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  lines.push_back(line);
  return lines;
}

void Table::add_row(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = printable_text(std::move(cell));
  rows_.push_back(std::move(cells));
}

Table::Lines Table::lines_of(std::size_t column, const std::string& cell) const {
  const std::size_t width = columns_[column].width;
  return width == 0 ? Lines{cell} : wrap_text(cell, width);
}

std::string Table::row_text(const std::vector<Lines>& cells,
                            const std::vector<std::size_t>& widths) const {
  std::size_t height = 0;
  for (const Lines& cell : cells) height = std::max(height, cell.size());
  std::string out;
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (column > 0) text += kColumnGap;
      text += padded(line < cells[column].size() ? cells[column][line] : "", widths[column],
                     columns_[column].align);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  }
  return out;
}

std::string Table::text() const {
  std::vector<std::vector<Lines>> body;
  std::vector<Lines> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back({column.title});
    widths.push_back(text_width(column.title));
  }
  for (const auto& row : rows_) {
    std::vector<Lines>& cells = body.emplace_back();
    for (std::size_t column = 0; column < row.size(); ++column) {
      cells.push_back(lines_of(column, row[column]));
      for (const std::string& line : cells.back()) {
        widths[column] = std::max(widths[column], text_width(line));
      }
    }
  }

  std::string out = row_text(titles, widths);
  if (output_has_style()) out = "\033[1m" + out.substr(0, out.size() - 1) + "\033[0m\n";
  std::vector<Lines> rule;
  rule.reserve(widths.size());
  for (const std::size_t width : widths) rule.push_back({std::string(width, '-')});
  out += row_text(rule, widths);
  for (const auto& cells : body) out += row_text(cells, widths);
  return out;
}

}  // namespace updraft::cli
