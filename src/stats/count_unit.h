#pragma once

#include <Eigen/Core>
#include <span>

namespace updraft {

class StateReader;
class StateWriter;

/// Whether the atom sums of all rounds so far are counts: none negative, and all of them whole
/// multiples of one unit, which is the largest such number. Whole numbers have a unit that is a
/// whole number; payoffs of 0 or 2.5 have the unit 2.5. All numbers are binary fractions: for them
/// to count as multiples of something, the largest sum may be at most 2^32 times the largest power
/// of two that divides the unit. Multiplying all payoffs by a power of two multiplies the unit.
class CountUnit {
 public:
  explicit CountUnit(std::size_t atoms);

  /// Cost: a division an atom, as long as sums are counts; then none.
  void add(std::span<const double> sums);

  bool counts() const { return counts_; }

  /// 0 as long as all sums were 0, and where they are not counts.
  double unit() const { return unit_; }

  /// The largest sum so far, per atom; 0 where they are not counts.
  const Eigen::VectorXd& largest() const { return largest_; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  void stop();

  bool counts_ = true;
  double unit_ = 0.0;
  Eigen::VectorXd largest_;
};

}  // namespace updraft
