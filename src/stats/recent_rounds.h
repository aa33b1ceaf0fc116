#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "updraft/ids.h"

namespace updraft {

class StateReader;
class StateWriter;

/// What rounds of one action are compared by: weights'x has the standard deviation `sd`, known with
/// `degrees` of freedom. `jump` is how far a single round may lie from its mean: 0 for noise that
/// is about normal, else as for counts.
struct Contrast {
  Eigen::VectorXd weights;
  double sd = 0.0;
  double degrees = 1.0;
  double jump = 0.0;
};

/// Two parts of the rounds of an action, one after the other.
struct Split {
  std::uint64_t old_rounds = 0;
  std::uint64_t new_rounds = 0;
  Eigen::VectorXd old_mean;  ///< per atom
  Eigen::VectorXd new_mean;
  double difference = 0.0;  ///< of the contrast, clipped as add() was told
  std::uint64_t first = 0;  ///< number of the first round of the new part
};

/// The rounds of every action, in blocks that are the larger the older they are, so that the old
/// ones can be compared with the new ones, and be forgotten if they differ. [bifet07]
///
/// A block has 1, 2, 4, ... rounds, and there are at most kBlocks of a size; the two oldest of a
/// size become one of the next. So an action has O(log n) blocks of G means, and its rounds may be
/// split between any two.
class RecentRounds {
 public:
  static constexpr std::size_t kBlocks = 4;
  /// Both parts of a split have at least so many rounds.
  static constexpr std::uint64_t kLeast = 4;

  RecentRounds(std::size_t actions, std::size_t atoms);

  /// Adds the sums of a round with the number `round` among all. `beyond` is taken from its
  /// contrast: by how much a wild round is clipped. Cost: O(G).
  void add(ActionId action, std::uint64_t round, std::span<const double> sums, double beyond);

  /// The split whose parts differ most, by the exponent
  ///   (v + 1) / 2 log(1 + 2 e / v),  e = d^2 / (2 (sd^2 (1/n + 1/n') + jump |d| / (3 min(n, n'))))
  /// with d the difference of the contrast, n and n' the rounds of the parts and v the degrees:
  /// what Student's t gives in place of the normal e, and Bernstein's inequality with a jump.
  /// [howard21] None unless it is above `threshold`. Cost: O(G log n).
  std::optional<Split> find(ActionId action, const Contrast& contrast, double threshold) const;

  /// The rounds of an action before the one with number `first` and from it on, by whole blocks;
  /// none if one part is empty.
  std::optional<Split> split_at(ActionId action, std::uint64_t first) const;

  /// Drops the old part of a split. From then on recent() has the action; if `keep_mean`, as
  /// before.
  void forget(ActionId action, const Split& split, bool keep_mean);

  /// Whether an older part was forgotten. Then mean() and rounds() are those of what is left.
  bool recent(ActionId action) const { return recent_[action].has_value(); }
  const Eigen::VectorXd& mean(ActionId action) const { return recent_[action]->mean; }
  std::uint64_t rounds(ActionId action) const { return recent_[action]->rounds; }
  /// Number of the last round of an action, 0 without any.
  std::uint64_t last(ActionId action) const { return last_[action]; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  struct Block {
    std::uint64_t rounds = 0;
    std::uint64_t first = 0;
    double beyond = 0.0;
    Eigen::VectorXd mean;

    /// Adds later rounds.
    void add(const Block& later);
  };
  struct Recent {
    std::uint64_t rounds = 0;
    Eigen::VectorXd mean;
  };
  Split split_before(ActionId action, std::size_t block) const;

  std::size_t atoms_;
  std::vector<std::deque<Block>> blocks_;  // per action, the oldest first
  std::vector<std::optional<Recent>> recent_;
  std::vector<std::uint64_t> last_;
};

}  // namespace updraft
