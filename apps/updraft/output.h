#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace updraft::cli {

/// Keys are in the order of the alphabet, so equal results are equal bytes.
using Json = nlohmann::json;

/// Writes results to standard output and flushes. Throws std::system_error if not all of it could
/// be written, for example because the disk is full or the reader has gone.
void write_output(std::string_view text);

/// Writes `updraft: text` as one line to standard error.
void write_note(std::string_view text);

/// True if standard output is a terminal that shows bold text and NO_COLOR is not set.
bool output_has_style();

/// Objects over several lines, lists of plain values on one; numbers read back exactly. Ends in
/// a line break.
std::string json_text(const Json& value);

/// 100,000.
std::string count_text(std::uint64_t value);

/// `decimals` digits after the point, thousands apart: 12,345.6.
std::string fixed_text(double value, int decimals);

/// The decimals that give the largest of some values four significant digits, at most 6.
int decimals_for(double largest);

/// Four significant digits, without trailing zeros: 27.8, 1,234,567, 3.2e-06.
std::string short_text(double value);

/// A share of 1 as "12 %", with one decimal below 10 %.
std::string percent_text(double share);

/// Columns on a terminal: characters, not bytes, of UTF-8.
std::size_t text_width(std::string_view text);

/// `text` with control characters, which would disturb a terminal or a table, shown as '?'.
std::string printable_text(std::string text);

/// `text` broken at spaces into lines of at most `width`; longer words stay whole.
std::vector<std::string> wrap_text(std::string_view text, std::size_t width);

/// Columns of text. Cells of a column that has a width are broken at spaces to fit it.
class Table {
 public:
  enum class Align { kLeft, kRight };

  struct Column {
    std::string title;
    Align align = Align::kLeft;
    std::size_t width = 0;  ///< at most; 0 = as wide as its widest cell
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell per column; it is shown as printable_text().
  void add_row(std::vector<std::string> cells);

  /// Ends in a line break. Titles are bold if output_has_style().
  std::string text() const;

 private:
  using Lines = std::vector<std::string>;

  Lines lines_of(std::size_t column, const std::string& cell) const;
  std::string row_text(const std::vector<Lines>& cells,
                       const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace updraft::cli
