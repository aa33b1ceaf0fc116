#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/conditional_noise.h"
#include "updraft/affected_sets.h"

namespace updraft {

/// What ConditionalNoise and BaselinePosterior say of a model, for a factored one: all comes from
/// systems of the size of the factors, by Woodbury's formula. With the loadings F, D the atoms' own
/// shares and C the atoms that action a leaves alone,
///   S_CC^-1 = D^-1 - D^-1 F M(a)^-1 F' D^-1,   M(a) = I + F_C' D_C^-1 F_C
///   beta = D_C^-1 F_C M(a)^-1 t,   s(a)^2 = f (sum over V of D sd^2 + t' M(a)^-1 t),  t = F_V' sd
/// The precision of the baseline is diagonal but for a part of the rank of factors times actions:
///   P = diag(N / D) - B blocks(M(a))^-1 B',   B(a) = sqrt(n(a)) D^-1 F, 0 in the rows of V(a)
/// with N(g) the rounds that left atom g alone. So with E = diag(D / N)
///   P^-1 = E + E B H^-1 B' E,   H = blocks(M(a)) - B' E B
/// H is at least the identity, so it needs no ridge. E is 0 for atoms that every action affects.
class FactoredNoise {
 public:
  /// `sets` must outlive this.
  explicit FactoredNoise(const AffectedSets& sets);

  /// From now on under this model, which must outlive this or the next use(). Cost: O(G r^2) with r
  /// factors.
  void use(const NoiseModel& model);

  /// As ConditionalNoise has them. Cost: O(G r).
  ControlVariates control_variates(ActionId action, const Eigen::VectorXd& own_sd) const;

  /// Learns the baseline from these rounds. Cost: O(K G r + (K r)^3), and r^2 for every pair of
  /// actions that affect an atom.
  void learn_baseline(const AtomMoments& moments, std::span<const std::uint64_t> pulls);

  // Of the last learn_baseline().

  /// (bhat - centre) / scale, per atom.
  const Eigen::VectorXd& shift() const { return shift_; }
  /// A matrix; the inner products of its columns are the covariances, before inflation, of weights'
  /// baseline. Cost: O(K G r + K (K r)^2).
  Eigen::MatrixXd whitened(const Eigen::MatrixXd& weights) const;

 private:
  /// B' x, for columns x.
  Eigen::MatrixXd gathered(const Eigen::MatrixXd& x) const;
  Eigen::MatrixXd inner_system() const;

  const AffectedSets* sets_;
  const NoiseModel* model_ = nullptr;
  Eigen::VectorXd own_;                     // D
  Eigen::MatrixXd scaled_;                  // D^-1 F
  std::vector<Eigen::MatrixXd> remainder_;  // M(a), factorised
  Eigen::VectorXd root_pulls_;              // sqrt(n(a))
  Eigen::VectorXd spread_;                  // the diagonal of E
  Eigen::VectorXd shift_;
  Eigen::MatrixXd factor_;  // H, factorised
};

}  // namespace updraft
