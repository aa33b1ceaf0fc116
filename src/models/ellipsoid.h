#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace updraft {

class StateReader;
class StateWriter;

/// How well each direction of the features is known: V = lambda I + sum of x x' over rows seen, and
/// widths ||x||_{V^-1} = sqrt(x' V^-1 x). [abbasi11]
///
/// V itself is summed up, and factorised anew when asked after new rows: what a rank-one update of
/// an inverse or a factor would lose over a million rows is not lost here. Rows wait until there
/// are enough for a pass, which adds them in their order.
/// Digits run out where ||x||^2 / lambda nears 1e15: widths in directions that only lambda bounds
/// are then too small. Scale features to the size of 1.
/// Cost: add d^2 / 2; the first question after new rows d^3 / 3.
class Ellipsoid {
 public:
  /// lambda > 0.
  Ellipsoid(std::size_t features, double lambda);

  void add(std::span<const double> row);

  std::size_t features() const { return features_; }

  /// L^-1 with V = L L', row by row without the zeros: ||x||_{V^-1} = ||root x||.
  const std::vector<double>& root() const;
  /// Whether `row` is a linear combination of rows seen. If not, they leave the payoff of such a
  /// row open, and what a model says of it is the ridge's doing. Parts of relative size 1e-5 count
  /// as 0. Cost: d^2 at most; the first question after new rows about 10 d^3.
  bool spans(std::span<const double> row) const;
  /// V^-1 b.
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  void add_waiting() const;
  void refresh() const;
  void find_unseen() const;

  std::size_t features_;
  double lambda_;
  std::size_t padded_;                   // features, and zeros up to a multiple of 8
  mutable std::vector<double> sum_;      // V by padded_ columns; its lower triangle counts
  mutable std::vector<double> waiting_;  // rows of padded_ numbers that are not in sum_ yet
  mutable std::size_t rows_waiting_ = 0;
  mutable bool stale_ = true;
  mutable std::vector<double> factor_;             // L, as sum_
  mutable std::vector<double> rows_;               // of L^-1, padded_ numbers each
  mutable std::vector<double> root_;               // L^-1, packed
  mutable std::optional<Eigen::MatrixXd> unseen_;  // orthonormal: directions without rows
};

}  // namespace updraft
