#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "reference/plain_algebra.h"

namespace updraft::testing {

// Regressions with a ridge, each fitted afresh to all rows there are, for the references.

/// What one individual was like and paid, and with which observation that came.
struct Row {
  Vector x;
  Real y = 0.0L;
  std::size_t observation = 0;
};
using Rows = std::vector<Row>;  ///< in the order in which they came

inline Real dot(const Vector& a, const Vector& b) {
  Real sum = 0.0L;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

inline Vector times(const Matrix& matrix, const Vector& x) {
  Vector product;
  for (const Vector& row : matrix) product.push_back(dot(row, x));
  return product;
}

inline Real sigmoid(Real t) { return 1.0L / (1.0L + std::exp(-t)); }

/// lambda I, d x d.
inline Matrix ridge_matrix(Real lambda, std::size_t d) {
  Matrix matrix = zeros(d, d);
  for (std::size_t k = 0; k < d; ++k) matrix[k][k] = lambda;
  return matrix;
}

inline void add_outer(Matrix& matrix, Real weight, const Vector& x) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (std::size_t k = 0; k < x.size(); ++k) matrix[j][k] += weight * x[j] * x[k];
  }
}

/// V = lambda I + sum x x'.
inline Matrix gram(const Rows& rows, Real lambda, std::size_t d) {
  Matrix v = ridge_matrix(lambda, d);
  for (const Row& row : rows) add_outer(v, 1.0L, row.x);
  return v;
}

/// Whether x is a linear combination of the rows, by Gram and Schmidt; parts of relative size 1e-5
/// count as 0.
inline bool spanned(const Rows& rows, Vector x) {
  const Real size = std::sqrt(dot(x, x));
  Matrix directions;
  const auto rest = [&](Vector y) {
    for (int twice = 0; twice < 2; ++twice) {
      for (const Vector& direction : directions) {
        const Real part = dot(direction, y);
        for (std::size_t k = 0; k < y.size(); ++k) y[k] -= part * direction[k];
      }
    }
    return y;
  };
  for (const Row& row : rows) {
    if (directions.size() == x.size()) return true;
    Vector left = rest(row.x);
    const Real length = std::sqrt(dot(left, left));
    if (!(length > 1e-5L * std::sqrt(dot(row.x, row.x)))) continue;
    for (Real& number : left) number /= length;
    directions.push_back(left);
  }
  const Vector left = rest(std::move(x));
  return std::sqrt(dot(left, left)) <= 1e-5L * size;
}

/// V^-1 sum y x.
inline Vector ridge_fit(const Rows& rows, Real lambda, std::size_t d) {
  Vector moment = zeros(d);
  for (const Row& row : rows) {
    for (std::size_t k = 0; k < d; ++k) moment[k] += row.y * row.x[k];
  }
  return times(inverse(gram(rows, lambda, d)), moment);
}

/// The theta that maximises sum (y <theta,x> - log(1 + exp <theta,x>)) - lambda/2 |theta|^2, to a
/// gradient of 1e-14: Newton's steps from 0, halved until the gradient becomes shorter.
inline Vector logistic_fit(const Rows& rows, Real lambda, std::size_t d) {
  const auto gradient = [&](const Vector& theta) {
    Vector g = zeros(d);
    for (std::size_t k = 0; k < d; ++k) g[k] = -lambda * theta[k];
    for (const Row& row : rows) {
      const Real surprise = row.y - sigmoid(dot(theta, row.x));
      for (std::size_t k = 0; k < d; ++k) g[k] += surprise * row.x[k];
    }
    return g;
  };
  Vector theta = zeros(d);
  Vector g = gradient(theta);
  while (!(dot(g, g) <= 1e-28L)) {
    Matrix curvature = ridge_matrix(lambda, d);
    for (const Row& row : rows) {
      const Real p = sigmoid(dot(theta, row.x));
      add_outer(curvature, p * (1.0L - p), row.x);
    }
    const Vector step = times(inverse(curvature), g);
    Vector next(d);
    Vector next_g;
    Real share = 1.0L;
    do {
      if (share < 1e-9L) throw std::logic_error("the logistic fit does not converge");
      for (std::size_t k = 0; k < d; ++k) next[k] = theta[k] + share * step[k];
      next_g = gradient(next);
      share /= 2.0L;
    } while (!(dot(next_g, next_g) < dot(g, g)));
    theta = next;
    g = next_g;
  }
  return theta;
}

/// One Newton step for each observation, on its own rows: theta += H^-1 sum (y - p) x with p at
/// the theta before, H = lambda I + sum p (1 - p) x x' over these and all rows before them, each
/// with the p that it came at.
inline Vector online_logistic_fit(const Rows& rows, Real lambda, std::size_t d) {
  Vector theta = zeros(d);
  Matrix curvature = ridge_matrix(lambda, d);
  for (std::size_t begin = 0; begin < rows.size();) {
    Vector g = zeros(d);
    std::size_t end = begin;
    for (; end < rows.size() && rows[end].observation == rows[begin].observation; ++end) {
      const Row& row = rows[end];
      const Real p = sigmoid(dot(theta, row.x));
      add_outer(curvature, p * (1.0L - p), row.x);
      for (std::size_t k = 0; k < d; ++k) g[k] += (row.y - p) * row.x[k];
    }
    const Vector step = times(inverse(curvature), g);
    for (std::size_t k = 0; k < d; ++k) theta[k] += step[k];
    begin = end;
  }
  return theta;
}

}  // namespace updraft::testing
