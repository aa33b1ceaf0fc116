#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/line_file.h"
#include "updraft/error.h"

namespace updraft {

/// Reads a CSV file row by row, plain or gzip, in constant memory.
///
/// Fields are separated by commas; a field in quotes may hold commas, line breaks and, doubled,
/// quotes [rfc4180]. Lines end in LF or CRLF, a byte order mark of UTF-8 is skipped, and so are
/// empty lines. The first row names the columns. Whatever is refused is InvalidInput whose message
/// begins with the file and, if there is one, the line: `visits.csv:17: f3 = abc: ...`.
class CsvReader : private LineFile {
 public:
  /// A row in the file has at most this many bytes.
  static constexpr std::size_t kMostRowBytes = kMostLineBytes;

  /// Reads the header. Throws if the file is missing, not a regular file, unreadable or empty,
  /// and if a column has no name or the name of another.
  explicit CsvReader(std::string path) : CsvReader("data", std::move(path)) {}
  /// `field`: what names the file in messages.
  CsvReader(std::string field, std::string path);

  using LineFile::line;
  using LineFile::path;
  using LineFile::refuse_field;
  using LineFile::refuse_line;
  using LineFile::share;

  const std::vector<std::string>& columns() const { return columns_; }

  /// The place of a column; where there is none throws with all names, `field` being what asked.
  std::size_t column(std::string_view field, const std::string& name) const;

  /// Goes to the next row; false at the end of the file. Throws if a row has too few or too many
  /// fields, is too long, has a quote that is not closed, or if the gzip is damaged.
  bool next();

  /// One per column, until the next call of next().
  std::span<const std::string_view> fields() const { return fields_; }

  /// Rows read so far, without the header.
  std::uint64_t rows() const { return rows_; }

  /// What is wrong with a field of the row.
  InvalidInput refusal(std::size_t column, std::string_view rule) const;

 private:
  bool next_record();
  bool split_plain(std::string_view record);
  std::size_t split_quoted();

  std::string unquoted_;  // fields with doubled quotes
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  std::uint64_t rows_ = 0;
};

/// All of `text` as a finite or infinite number or NaN, spaces around it aside; false otherwise.
bool parse_number(std::string_view text, double& value);

}  // namespace updraft
