#include "data/csv_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "core/json_document.h"

namespace updraft {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostListed = 100;

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

/// A short form for messages, without bytes that would disturb a terminal.
std::string shown(std::string_view text) {
  std::string part = clipped(text);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  std::replace_if(part.begin(), part.end(), is_control, '?');
  return part;
}

}  // namespace

CsvReader::CsvReader(std::string path) : path_(std::move(path)) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  if (status.type() == std::filesystem::file_type::not_found) throw refuse_file("no such file");
  if (error) throw refuse_file("cannot be read: " + error.message());
  if (status.type() != std::filesystem::file_type::regular) {
    throw refuse_file("must be a regular file, not a pipe or a folder: it is read twice");
  }
  file_bytes_ = static_cast<double>(std::filesystem::file_size(path_, error));
  errno = 0;
  file_ = gzopen(path_.c_str(), "rb");
  if (file_ == nullptr) {
    throw refuse_file("cannot be read: " + std::generic_category().message(errno));
  }
  try {
    gzbuffer(file_, static_cast<unsigned>(2 * kBlockBytes));
    fill();
    if (std::string_view(buffer_).starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
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
  } catch (...) {
    gzclose(file_);
    throw;
  }
}

CsvReader::~CsvReader() { gzclose(file_); }

std::size_t CsvReader::column(std::string_view field, const std::string& name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  if (columns_.size() <= kMostListed) {
    std::vector<std::string> names;
    for (const std::string& column : columns_) names.push_back(shown(column));
    const InvalidInput unknown = unknown_name(field, shown(name), names);
    throw InvalidInput(fmt::format("{}: {}", path_, field), unknown.value(), unknown.rule());
  }
  throw InvalidInput(fmt::format("{}: {}", path_, field), shown(name),
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

double CsvReader::share() const {
  if (!(file_bytes_ > 0.0)) return 1.0;
  return std::clamp(static_cast<double>(gzoffset(file_)) / file_bytes_, 0.0, 1.0);
}

InvalidInput CsvReader::refusal(std::size_t column, std::string_view rule) const {
  return InvalidInput(fmt::format("{}:{}: {}", path_, line_, shown(columns_[column])),
                      shown(fields_[column]), rule);
}

InvalidInput CsvReader::refuse_line(std::string_view rule) const {
  return InvalidInput(fmt::format("{}:{}", path_, line_), rule);
}

InvalidInput CsvReader::refuse_file(std::string_view rule) const {
  return InvalidInput("data", path_, rule);
}

/// Appends a block to the buffer; false at the end of the file.
bool CsvReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kBlockBytes);
  const int count = gzread(file_, buffer_.data() + size, static_cast<unsigned>(kBlockBytes));
  buffer_.resize(size + static_cast<std::size_t>(std::max(count, 0)));
  int code = Z_OK;
  const char* reason = gzerror(file_, &code);
  if (count < 0 || code == Z_BUF_ERROR) {
    throw refuse_file(code == Z_ERRNO
                          ? "cannot be read to its end: " + std::generic_category().message(errno)
                      : code == Z_BUF_ERROR ? std::string("is damaged: the gzip data end too soon")
                                            : fmt::format("is damaged: {}", reason));
  }
  at_end_ = count == 0;
  return !at_end_;
}

/// Bytes from begin_ to the first line end at or after begin_ + from, or to the end of the file.
std::size_t CsvReader::find_line_end(std::size_t from) {
  for (;;) {
    const std::size_t end = buffer_.find('\n', begin_ + from);
    const std::size_t length = (end == std::string::npos ? buffer_.size() : end) - begin_;
    if (length > kMostRowBytes) {
      throw refuse_line(fmt::format("is too long; a row has at most {} bytes", kMostRowBytes));
    }
    if (end != std::string::npos) return length;
    from = length;
    if (!fill()) return length;
  }
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
