#include "data/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace updraft {
namespace {

constexpr std::size_t kMostListed = 100;

}  // namespace

CsvReader::CsvReader(std::string field, std::string path)
    : LineFile(std::move(field), std::move(path)) {
  if (!next_record()) throw refuse_file("is empty; the first line must name the columns");
  std::unordered_set<std::string_view> seen;
  for (std::size_t c = 0; c < fields_.size(); ++c) {
    if (fields_[c].empty()) {
      throw refuse_line(fmt::format("column {} has no name in the first line", c + 1));
    }
    if (!seen.insert(fields_[c]).second) {
      throw refuse_line(
          fmt::format("column {} is named \"{}\", like another column; names must be distinct",
                      c + 1, shown(fields_[c])));
    }
  }
  columns_.assign(fields_.begin(), fields_.end());
}

std::size_t CsvReader::column(std::string_view field, const std::string& name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  if (columns_.size() <= kMostListed) {
    std::vector<std::string> names;
    for (const std::string& column : columns_) names.push_back(shown(column));
    const InvalidInput unknown = unknown_name(field, shown(name), names);
    throw InvalidInput(fmt::format("{}: {}", path(), field), unknown.value(), unknown.rule());
  }
  throw InvalidInput(fmt::format("{}: {}", path(), field), shown(name),
                     "is not one of the columns that the first line names");
}

bool CsvReader::next() {
  if (!next_record()) return false;
  if (fields_.size() != columns_.size()) {
    throw refuse_line(fmt::format("has {} fields; must have {}, like the first line",
                                  fields_.size(), columns_.size()));
  }
  ++rows_;
  return true;
}

InvalidInput CsvReader::refusal(std::size_t column, std::string_view rule) const {
  return refuse_field(columns_[column], fields_[column], rule);
}

bool CsvReader::next_record() {
  for (;;) {
    line_ = next_line_;
    std::size_t length = find_line_end(0);
    if (length == 0 && begin_ == buffer_.size()) return false;
    fields_.clear();
    const std::string_view record(buffer_.data() + begin_, length);
    const bool empty = without_return(record).empty();
    if (!split_plain(without_return(record))) length = split_quoted();
    begin_ = std::min(begin_ + length + 1, buffer_.size());
    ++next_line_;
    if (!empty) return true;
  }
}

/// Splits a record without quotes; false if it has some.
bool CsvReader::split_plain(std::string_view record) {
  if (record.find('"') != record.npos) return false;
  for (std::size_t from = 0;;) {
    const std::size_t comma = record.find(',', from);
    if (comma == record.npos) {
      fields_.push_back(record.substr(from));
      return true;
    }
    fields_.push_back(record.substr(from, comma - from));
    from = comma + 1;
  }
}

/// Splits a record with quotes, which may go on over several lines. Returns its length.
std::size_t CsvReader::split_quoted() {
  // First where it ends: at a line end outside of quotes, which come in pairs.
  std::size_t length = find_line_end(0);
  std::size_t quotes = 0;
  for (std::size_t from = 0;;) {
    quotes += static_cast<std::size_t>(
        std::count(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ + from),
                   buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ + length), '"'));
    if (quotes % 2 == 0) break;
    from = length;
    if (begin_ + length == buffer_.size()) {
      throw refuse_line("has a quote that is not closed before the end of the file");
    }
    ++next_line_;
    length = find_line_end(length + 1);
  }
  const std::string_view record = without_return(std::string_view(buffer_).substr(begin_, length));
  unquoted_.clear();
  unquoted_.reserve(record.size());  // so that views of it stay
  for (std::size_t at = 0;;) {
    if (at < record.size() && record[at] == '"') {
      const std::size_t start = unquoted_.size();
      for (++at;; ++at) {  // a closing quote comes: they are even in number
        if (at >= record.size()) throw refuse_line("has a quote that is not closed");
        if (record[at] == '"' && (++at >= record.size() || record[at] != '"')) break;
        unquoted_ += record[at];
      }
      if (at < record.size() && record[at] != ',') {
        throw refuse_line("has text after a closing quote; quotes inside quotes are doubled");
      }
      fields_.push_back(std::string_view(unquoted_).substr(start));
    } else {
      const std::size_t end = std::min(record.find(',', at), record.size());
      const std::string_view field = record.substr(at, end - at);
      if (field.find('"') != field.npos) {
        throw refuse_line("has a quote inside a field; such a field must be in quotes itself");
      }
      fields_.push_back(field);
      at = end;
    }
    if (at >= record.size()) return length;
    ++at;  // the comma
  }
}

bool parse_number(std::string_view text, double& value) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

}  // namespace updraft
