#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "updraft/error.h"

struct gzFile_s;

namespace updraft {

/// Reads a text file line by line, plain or gzip, in constant memory. Lines end in LF or CRLF, a
/// byte order mark of UTF-8 is skipped, and so are empty lines. Whatever is refused is InvalidInput
/// whose message begins with the file and, if there is one, the line.
class LineFile {
 public:
  /// A line in the file has at most this many bytes.
  static constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

  /// `field`: what names the file in messages. Throws if the file is missing, not a regular file or
  /// unreadable.
  LineFile(std::string field, std::string path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  const std::string& path() const { return path_; }

  /// The next line that is not empty, until the next call; false at the end of the file. Throws if
  /// a line is too long, or the gzip is damaged.
  bool next_line(std::string_view& text);

  /// The line, from 1, on which what was read last begins.
  std::uint64_t line() const { return line_; }

  /// The share of the file's bytes that were read, in [0, 1].
  double share() const;

  /// What is wrong with the line.
  InvalidInput refuse_line(std::string_view rule) const;
  /// What is wrong with a field of it.
  InvalidInput refuse_field(std::string_view name, std::string_view value,
                            std::string_view rule) const;

 protected:
  bool fill();
  std::size_t find_line_end(std::size_t from);
  InvalidInput refuse_file(std::string_view rule) const;

  std::string buffer_;     // what was read and not yet passed
  std::size_t begin_ = 0;  // of the next line in it
  std::uint64_t line_ = 0;
  std::uint64_t next_line_ = 1;

 private:
  std::string field_;
  std::string path_;
  gzFile_s* file_ = nullptr;
  double file_bytes_ = 0.0;
  bool at_end_ = false;  // of the file
};

/// Without the carriage return at its end.
inline std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

/// A short form for messages, without bytes that would disturb a terminal.
std::string shown(std::string_view text);

}  // namespace updraft
