#pragma once

#include <cstdint>

#include "updraft/customer_table.h"
#include "updraft/stream.h"

namespace updraft {

/// Which rows of a table are kept, told row by row: first rows with outcome 0 are dropped until the
/// wanted share of the others is reached, then a uniform sample of the rest is taken. Both numbers
/// are exact: a row is taken with probability (still wanted) / (still to come), which gives every
/// subset the same chance [knuth97, Algorithm 3.4.2 S]. The draw for a row depends on its number.
class RowSample {
 public:
  /// Throws InvalidInput if more zeros would be needed than there are, or no row would be left.
  RowSample(const CustomerTableOptions& options, std::uint64_t rows, std::uint64_t zeros);

  /// Rows that will be kept in all.
  std::uint64_t size() const { return size_; }

  /// Whether row number `row`, the next one, is kept.
  bool keeps(std::uint64_t row, bool zero);

 private:
  Stream stream_;
  std::uint64_t zeros_wanted_;
  std::uint64_t zeros_left_;
  std::uint64_t wanted_;
  std::uint64_t left_;
  std::uint64_t size_;
};

}  // namespace updraft
