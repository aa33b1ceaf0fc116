#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>

#include "stats/recent_rounds.h"
#include "stats/scatter_sketch.h"
#include "updraft/ids.h"

namespace updraft {

class StateReader;
class StateWriter;

/// What is kept of the atom sums x of past rounds: their mean per action, their squares about it,
/// and their scatter about these means, pooled over the actions:
///   squares(a) = sum over rounds of a of (x - mean(a))^2, atom by atom
///   scatter = sum over rounds of (x - mean(a)) (x - mean(a))',  a the action of the round
/// That is enough for residuals about any centres c(a), exactly:
///   sum of (x - c(a)) (x - c(a))' = scatter + sum_a n(a) (mean(a) - c(a)) (mean(a) - c(a))'
/// so that memory is G^2 + 2 K G for K actions and G atoms, and no history is kept. Means are
/// updated by differences, so that a large common offset of the payoffs costs no digits of the
/// scatter. With more than kMostInFull atoms there is a sketch of the scatter in its place, and
/// memory is (2 K + 32) G.
class AtomMoments {
 public:
  static constexpr std::size_t kMostInFull = 256;

  AtomMoments(std::size_t actions, std::size_t atoms);

  /// Adds the sums of a round of `action`, its `pulls`-th. Cost: G^2 / 2 multiplications; with a
  /// sketch O(G), and once in 16 rounds O(256 G).
  void add(ActionId action, std::uint64_t pulls, std::span<const double> sums);

  /// From now on only the rounds of the new part of `split`, and later ones, count for the means
  /// of `atoms` under `action`, which has `pulls` rounds in all: what it does was different before.
  /// What the difference of the parts added to squares and scatter is taken out, but not of a
  /// sketch.
  void separate(ActionId action, std::uint64_t pulls, std::span<const GroupId> atoms,
                const Split& split);

  std::size_t actions() const { return static_cast<std::size_t>(means_.cols()); }
  std::size_t atoms() const { return static_cast<std::size_t>(means_.rows()); }

  /// A column per action; 0 without rounds.
  const Eigen::MatrixXd& means() const { return means_; }

  /// A column per action.
  const Eigen::MatrixXd& squares() const { return squares_; }

  bool in_full() const { return !sketch_.has_value(); }
  /// The lower triangle. Only in full.
  const Eigen::MatrixXd& scatter() const { return scatter_; }
  /// Columns whose products add up to about the scatter. Only not in full.
  Eigen::Ref<const Eigen::MatrixXd> sketch() const { return sketch_->columns(); }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);
  /// What separate() did, which write() leaves out.
  void write_separations(StateWriter& writer) const;
  void read_separations(StateReader& reader);

 private:
  void add_deviation();

  Eigen::MatrixXd means_;
  Eigen::MatrixXd squares_;
  Eigen::MatrixXd scatter_;  // empty if there is a sketch
  std::optional<ScatterSketch> sketch_;
  Eigen::MatrixXd skipped_;    // rounds that do not count, as means_; empty before separate()
  Eigen::VectorXd deviation_;  // scratch of add()
};

}  // namespace updraft
