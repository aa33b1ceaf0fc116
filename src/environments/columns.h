#pragma once

#include <span>

namespace updraft {

/// Arithmetic on columns of equal length, element by element, with vectors. The same bits whatever
/// their width.

/// column *= scale; rest -= column.
void scale_and_take(std::span<double> column, double scale, std::span<double> rest);

/// column += factor * other.
void add_scaled(std::span<double> column, double factor, std::span<const double> other);

/// to = a * x + b * y + c * z.
struct Term {
  double factor = 0.0;
  const double* column = nullptr;
};
void combine(std::span<double> to, Term x, Term y, Term z);

}  // namespace updraft
