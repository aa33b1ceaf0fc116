#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "updraft/decision.h"
#include "updraft/payoffs.h"
#include "updraft/round.h"

namespace updraft {

// What policies that are given rows of features check alike. All throw InvalidInput.

/// How the rows are spoken of: {"pool", "individual"}, {"context", "variable"}.
struct RowWords {
  std::string_view owner;
  std::string_view row;
};

/// Finite and at most 1e100 in size: beyond, squares would overflow.
void check_numbers(std::string_view field, std::span<const double> values);

/// That there are as many as rows.
void check_count(const RowWords& words, std::string_view field, std::size_t count,
                 std::size_t rows);

/// At least one whole row of numbers, with `width` >= 1 in each, and numbers for a baseline.
void check_rows(const RowWords& words, const Round& round, std::size_t width);

/// That no row is longer than 1, as the schedule of beta presumes. `advice` ends the message.
void check_row_lengths(const RowWords& words, const Round& round, std::string_view advice);

/// That a decision for an action treats nobody.
void check_no_treatments(const Decision& decision);

/// sqrt of the sum of squares.
double row_length(std::span<const double> row);

/// One payoff per row of the round, from payoffs that are dense, or sparse with the absent ones 0.
/// `buffer` holds them if they were not dense.
std::span<const double> row_payoffs(const RowWords& words, const Payoffs& payoffs, std::size_t rows,
                                    std::vector<double>& buffer);

}  // namespace updraft
