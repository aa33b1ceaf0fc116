#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/plain_algebra.h"

namespace updraft::testing {

/// The rows of docs/policies/up_ts_sparse.md, 'The noise', step 1, and the squares of step 3.
class KeptRows {
 public:
  explicit KeptRows(std::size_t units) : squares_(zeros(units)) {}

  void add(const Vector& row);

  const Matrix& rows() const { return rows_; }
  const Vector& squares() const { return squares_; }

 private:
  Matrix rows_;
  Vector squares_;
};

/// What a fit is made from, with the rows of step 2 among the rows.
struct SparseNoiseData {
  Matrix means;  ///< [action][unit]
  std::vector<std::uint64_t> pulls;
  Matrix rows;
  Vector squares;              ///< W
  std::uint64_t degrees = 1;   ///< dof
  std::optional<double> unit;  ///< of counts
};

/// The same page, steps 4 to 7.
struct SparseNoiseFit {
  std::uint64_t degrees = 1;
  Vector variances;            ///< s^2
  Vector scales;               ///< c^2
  Matrix precision;            ///< S^-1
  Vector shock;                ///< w
  Real total_variance = 0.0L;  ///< V
  Real inflation = 1.0L;       ///< f
};

SparseNoiseFit fit_sparse_noise(const SparseNoiseData& data);

}  // namespace updraft::testing
