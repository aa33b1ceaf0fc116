#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/atom_moments.h"
#include "stats/count_unit.h"
#include "updraft/affected_sets.h"
#include "updraft/decision_log.h"
#include "updraft/knowledge.h"

namespace updraft {

/// The expected reward of every action with known affected sets, doubly robust per atom. An atom
/// that action a leaves alone pays under a as under every action that leaves it alone, so its
/// baseline is estimated from all of these rounds, and serves as a control variate in those of a:
///   value(a) = w(a)' xbar(a) + sum over atoms g in C(a) of (1 + beta(a,g)) bbar(g)
/// with w(a) = 1 on V(a) and -beta(a) on C(a) (stats/conditional_noise.h). xbar(a) is the mean of
/// the atom sums x over the rounds of a, bbar(g) that of x(g) over the rounds that left g alone;
/// a known baseline takes its place. Both means are weighted by 1 / sqrt(probability), that of the
/// action or of leaving g alone, which keeps them near normal if the policy of the log learns.
/// [hadad21]
///
/// Two passes over the log: add() all rounds, fit(), then errors() of each round.
class UpliftMeans {
 public:
  /// Every action of `knowledge`, which has affected sets, comes in the log.
  explicit UpliftMeans(const Knowledge& knowledge);

  /// `distribution`: of the actions of `knowledge`; may be empty.
  void add(ActionId action, double probability, std::span<const double> distribution,
           const Payoffs& payoffs);
  void fit();

  const Eigen::VectorXd& values() const { return values_; }
  /// Kish's effective number of the rounds of an action, under its weights.
  double effective(ActionId action) const;

  /// What a round adds to the error of the values: `own` to that of its action, and to each value
  /// an entry of shared(). The squares of the sums add up to the variance.
  double own_error(ActionId action, double probability, const Payoffs& payoffs);
  const Eigen::VectorXd& shared_errors(ActionId action, double probability,
                                       std::span<const double> distribution);

 private:
  void sum_atoms(const Payoffs& payoffs);
  void weigh_atoms(ActionId action, double probability, std::span<const double> distribution);

  std::shared_ptr<const AffectedSets> sets_;
  std::optional<Eigen::VectorXd> baseline_;  // per atom
  AtomMoments moments_;
  CountUnit counts_;
  std::vector<std::uint64_t> pulls_;
  Eigen::VectorXd sums_;        // of a round
  Eigen::VectorXd left_alone_;  // the weights of its atoms; 0 where the action affects them
  Eigen::MatrixXd own_;         // a column per action: weighted sums, then means
  Eigen::VectorXd weight_;      // per action
  Eigen::VectorXd squares_;     // of the weights
  Eigen::VectorXd atom_sum_;    // weighted sums of atoms left alone, then means
  Eigen::VectorXd atom_weight_;
  Eigen::MatrixXd variates_;  // a column w(a) per action
  Eigen::MatrixXd shares_;    // a column per action: of bbar in the value
  Eigen::VectorXd stretch_;   // of own errors, per action: degrees of freedom, estimated weights
  Eigen::VectorXd values_;
  Eigen::VectorXd shared_;
};

}  // namespace updraft
