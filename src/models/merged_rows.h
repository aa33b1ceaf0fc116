#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/row_kernels.h"

namespace updraft {

class StateReader;
class StateWriter;

/// Rows of features with their payoffs, equal rows kept once: their number and the sum of their
/// payoffs are all that a likelihood needs. Customers who come again cost nothing more.
/// Cost: add O(d), expected; memory that of the different rows.
class MergedRows {
 public:
  explicit MergedRows(std::size_t features) : rows_(features) {}

  void add(std::span<const double> row, double payoff);

  /// The different rows, in the order in which they came first.
  const RowBlocks& rows() const { return rows_; }
  /// Per different row, filled up with zeros to whole blocks: how often it came, and the sum of
  /// what it paid.
  std::span<const double> counts() const { return counts_; }
  std::span<const double> payoffs() const { return payoffs_; }
  /// Rows added.
  std::uint64_t total() const { return total_; }
  /// Of memory, at most: vectors may have room for twice what they hold.
  std::uint64_t bytes() const {
    constexpr std::size_t kOfPlaces = 48;
    return rows_.rows() * (2 * sizeof(double) * (rows_.features() + 2) + kOfPlaces);
  }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  std::uint32_t place_of(std::span<const double> row);
  bool equals(std::uint32_t place, std::span<const double> row) const;

  RowBlocks rows_;
  std::vector<double> counts_;
  std::vector<double> payoffs_;
  std::uint64_t total_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  // by hash; where two rows share one,
                                                             // the first has it
};

}  // namespace updraft
