#pragma once

#include <Eigen/Core>

namespace updraft {

class StateReader;
class StateWriter;

/// A sketch of a sum of products: for the deviations x that were added,
///   columns columns' ~ sum of x x'
/// It has a column for each of them until there are 2 kKept. It then keeps the kKept directions in
/// which the sum is largest, and goes on. It is exact until then, and if x has at most kKept
/// entries.
class ScatterSketch {
 public:
  static constexpr std::size_t kKept = 16;

  /// Of deviations with `size` entries. Memory: 2 kKept times that.
  explicit ScatterSketch(std::size_t size);

  /// Cost: O(size), and once in kKept calls O(kKept^2 size).
  void add(const Eigen::VectorXd& deviation);

  Eigen::Ref<const Eigen::MatrixXd> columns() const { return columns_.leftCols(used_); }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  void compress();

  Eigen::MatrixXd columns_;
  Eigen::Index used_ = 0;
};

}  // namespace updraft
