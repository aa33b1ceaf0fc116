#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace updraft {

// Passes over rows of features, and the root of their matrix V. All are made of IEEE additions,
// multiplications, divisions and square roots in a fixed order: every kind of vector gives the same
// bits.

/// Rows in blocks of eight, feature by feature in a block, so that vectors hold one feature of
/// several rows. The last block is filled up with rows of zeros.
class RowBlocks {
 public:
  static constexpr std::size_t kRows = 8;

  explicit RowBlocks(std::size_t features) : features_(features) {}

  void add(std::span<const double> row);

  std::size_t features() const { return features_; }
  std::size_t rows() const { return rows_; }
  std::size_t blocks() const { return (rows_ + kRows - 1) / kRows; }
  const double* data() const { return values_.data(); }

  double value(std::size_t row, std::size_t feature) const {
    return values_[(row / kRows) * kRows * features_ + feature * kRows + row % kRows];
  }
  /// The numbers of one row.
  void copy_row(std::size_t row, std::span<double> out) const;

 private:
  std::size_t features_;
  std::size_t rows_ = 0;
  std::vector<double> values_;
};

/// gradient[f] = sum over rows of (payoff - count sigmoid(<theta, row>)) row[f], for rows that came
/// `count` times and paid `payoff` in sum. `counts` and `payoffs` have 8 numbers for every block.
void logistic_gradient(const RowBlocks& rows, std::span<const double> counts,
                       std::span<const double> payoffs, std::span<const double> theta,
                       std::span<double> gradient);

/// Replaces every x by 1 / (1 + exp(-x)); relative error below 1e-15, or the size of the smallest
/// normal number.
void sigmoids(std::span<double> values);

/// For rows one after the other: means[i] = <theta, row i>, widths[i] = ||root row i||, where
/// `root` is lower triangular, row by row without the zeros: d (d + 1) / 2 numbers. Cost: d (d + 3)
/// / 2 multiplications a row.
void means_and_widths(std::span<const double> rows, std::span<const double> theta,
                      std::span<const double> root, std::span<double> means,
                      std::span<double> widths);

/// sums[i width + j] += row[i] row[j] for i <= j < size, over rows of `width` numbers, one row
/// after the other. `width` must be a multiple of 8. What becomes of other sums is left open, but
/// it is the same with every kind of vector. Cost: about size^2 / 2 multiplications a row.
void add_outer_products(std::span<const double> rows, std::size_t width, std::size_t size,
                        std::span<double> sums);

/// The rows of L^-1, `width` numbers each, where L L' is the matrix whose lower triangle stands in
/// columns of `width` numbers, a multiple of 8. The matrix is overwritten. False, and nothing of
/// use in `rows`, where rounding leaves it not positive definite. Cost: size^3 / 3
/// multiplications.
bool inverse_root(std::span<double> matrix, std::size_t width, std::size_t size,
                  std::span<double> rows);

}  // namespace updraft
