#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace updraft {

// What policies that are given rows of features check alike. All throw InvalidInput.

/// How the rows are spoken of: {"pool", "individual"}, {"context", "variable"}.
struct RowWords {
  std::string_view owner;
  std::string_view row;
};

/// The rows as given, and the width that they must have.
struct GivenRows {
  std::span<const double> features;  ///< one row after the other
  std::size_t width = 0;
  std::span<const double> baseline;  ///< one per row; empty where not given
  std::size_t expected_width = 0;    ///< at least 1
};

void check_at_least_one(std::string_view field, std::size_t value);

/// Finite and at most 1e100 in size: beyond, squares would overflow.
void check_numbers(std::string_view field, std::span<const double> values);

/// That there are as many as rows.
void check_count(const RowWords& words, std::string_view field, std::size_t count,
                 std::size_t rows);

/// At least one whole row of numbers, of the expected width, and numbers for a baseline.
void check_rows(const RowWords& words, const GivenRows& given);

/// That no row is longer than 1, as the schedule of beta presumes. `advice` ends the message.
void check_row_lengths(const RowWords& words, const GivenRows& given, std::string_view advice);

/// sqrt of the sum of squares.
double row_length(std::span<const double> row);

}  // namespace updraft
