#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "stats/scatter_sketch.h"
#include "updraft/ids.h"

namespace updraft {

class StateReader;
class StateWriter;

/// What is kept of the unit sums x of past rounds: their mean per action, their squares about it,
/// pooled over the actions, and a sketch of their scatter:
///   squares(g) = sum over rounds of (x(g) - mean(a,g))^2,  a the action of the round
///   sketch sketch' ~ sum over rounds of (x - mean(a)) (x - mean(a))'
/// Memory: K G + 2 kKept G for K actions and G units, whatever the number of rounds.
class UnitMoments {
 public:
  static constexpr std::size_t kKept = ScatterSketch::kKept;

  UnitMoments(std::size_t actions, std::size_t units);

  /// Adds the sums of a round of `action`, its `pulls`-th. Cost: O(G), and once in kKept rounds
  /// O(kKept^2 G).
  void add(ActionId action, std::uint64_t pulls, std::span<const double> sums);

  std::size_t actions() const { return static_cast<std::size_t>(means_.rows()); }
  std::size_t units() const { return static_cast<std::size_t>(means_.cols()); }

  /// A column per unit, with a row per action; 0 without rounds.
  const Eigen::MatrixXd& means() const { return means_; }
  /// Per unit.
  const Eigen::VectorXd& squares() const { return squares_; }
  /// A row per unit.
  Eigen::Ref<const Eigen::MatrixXd> sketch() const { return sketch_.columns(); }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  Eigen::MatrixXd means_;
  Eigen::VectorXd squares_;
  ScatterSketch sketch_;
  Eigen::VectorXd deviation_;  // scratch of add()
};

}  // namespace updraft
