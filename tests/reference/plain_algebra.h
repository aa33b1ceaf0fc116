#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace updraft::testing {

// Linear algebra as in a textbook, for the references. Numbers are long doubles, so that where a
// matrix is nearly singular the rounding that shows is that of the policy under test.

using Real = long double;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;  ///< by rows

inline Vector zeros(std::size_t size) { return Vector(size, 0.0L); }
inline Matrix zeros(std::size_t rows, std::size_t columns) { return Matrix(rows, zeros(columns)); }

/// A^-1, by elimination of [A | I] with the largest pivot of each column.
inline Matrix inverse(Matrix a) {
  const std::size_t n = a.size();
  Matrix result = zeros(n, n);
  for (std::size_t i = 0; i < n; ++i) result[i][i] = 1.0L;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column + 1; i < n; ++i) {
      if (std::abs(a[i][column]) > std::abs(a[pivot][column])) pivot = i;
    }
    if (a[pivot][column] == 0.0L) throw std::logic_error("the matrix is singular");
    std::swap(a[pivot], a[column]);
    std::swap(result[pivot], result[column]);
    const Real divisor = a[column][column];
    for (std::size_t j = 0; j < n; ++j) {
      a[column][j] /= divisor;
      result[column][j] /= divisor;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Real factor = a[i][column];
      if (i == column || factor == 0.0L) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[column][j];
        result[i][j] -= factor * result[column][j];
      }
    }
  }
  return result;
}

/// The lower triangular L with L L' = A, for A symmetric and positive definite.
inline Matrix cholesky(const Matrix& a) {
  const std::size_t n = a.size();
  Matrix lower = zeros(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Real rest = a[i][j];
      for (std::size_t k = 0; k < j; ++k) rest -= lower[i][k] * lower[j][k];
      if (i != j) {
        lower[i][j] = rest / lower[j][j];
      } else if (rest > 0.0L) {
        lower[i][i] = std::sqrt(rest);
      } else {
        throw std::logic_error("the matrix is not positive definite");
      }
    }
  }
  return lower;
}

/// The x with L' x = z.
inline Vector solve_transposed(const Matrix& lower, Vector z) {
  for (std::size_t i = z.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < z.size(); ++k) z[i] -= lower[k][i] * z[k];
    z[i] /= lower[i][i];
  }
  return z;
}

}  // namespace updraft::testing
