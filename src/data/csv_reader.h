#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/error.h"

struct gzFile_s;

namespace updraft {

/// Reads a CSV file row by row, plain or gzip, in constant memory.
///
/// Fields are separated by commas; a field in quotes may hold commas, line breaks and, doubled,
/// quotes [rfc4180]. Lines end in LF or CRLF, a byte order mark of UTF-8 is skipped, and so are
/// empty lines. The first row names the columns. Whatever is refused is InvalidInput whose message
/// begins with the file and, if there is one, the line: `visits.csv:17: f3 = abc: ...`.
class CsvReader {
 public:
  /// A row in the file has at most this many bytes.
  static constexpr std::size_t kMostRowBytes = std::size_t{1} << 20;

  /// Reads the header. Throws if the file is missing, not a regular file, unreadable or empty,
  /// and if a column has no name or the name of another.
  explicit CsvReader(std::string path);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  const std::string& path() const { return path_; }
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

  /// The line on which the row begins, from 1.
  std::uint64_t line() const { return line_; }

  /// The share of the file's bytes that were read, in [0, 1].
  double share() const;

  /// What is wrong with a field of the row.
  InvalidInput refusal(std::size_t column, std::string_view rule) const;

 private:
  bool next_record();
  bool fill();
  std::size_t find_line_end(std::size_t from);
  bool split_plain(std::string_view record);
  std::size_t split_quoted();
  InvalidInput refuse_line(std::string_view rule) const;
  InvalidInput refuse_file(std::string_view rule) const;

  std::string path_;
  gzFile_s* file_ = nullptr;
  double file_bytes_ = 0.0;
  std::string buffer_;     // what was read and not yet passed
  std::size_t begin_ = 0;  // of the next record in it
  bool at_end_ = false;    // of the file
  std::string unquoted_;   // fields with doubled quotes
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  std::uint64_t rows_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t next_line_ = 1;
};

/// All of `text` as a finite or infinite number or NaN, spaces around it aside; false otherwise.
bool parse_number(std::string_view text, double& value);

}  // namespace updraft
