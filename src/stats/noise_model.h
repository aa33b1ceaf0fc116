#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/atom_moments.h"
#include "updraft/affected_sets.h"

namespace updraft {

class StateReader;
class StateWriter;

/// The covariance of the atom sums around their means, as learnt from residuals: what an action
/// affects is centred at that action's own mean, the rest at the baseline.
///   S(g,h) = sd(g) sd(h) correlation(g,h)
/// with correlations shrunk towards 0 by the share `shrinkage`, so that S is positive definite
/// however few rounds there are. Atoms that do not vary have sd 0 and no correlations.
struct NoiseModel {
  std::uint64_t rounds = 0;   ///< that it was fitted to; 0: not yet
  std::uint64_t degrees = 1;  ///< of freedom: the least over the atoms
  double shrinkage = 1.0;     ///< lambda, in [1e-8, 1]
  Eigen::VectorXd sd;
  Eigen::MatrixXd correlation;  ///< shrunk, symmetric, with ones on the diagonal
  Eigen::VectorXd centre;       ///< baseline per atom, or the mean of the rounds that left it alone

  /// f >= 1: what estimating the weights costs, as a factor of their variances.
  double inflation() const;

  /// sd where the atom varies, else 1: what makes atoms comparable.
  double scale(Eigen::Index atom) const { return sd[atom] > 0.0 ? sd[atom] : 1.0; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);
};

/// What to fit, besides moments and pulls.
struct NoiseSettings {
  const AffectedSets* sets = nullptr;
  const Eigen::VectorXd* baseline = nullptr;  ///< per atom; null where it is not known
  bool diagonal = false;                      ///< no correlations: shrinkage 1
};

/// Every action must have been pulled. Cost: O(K G^2).
NoiseModel fit_noise(const AtomMoments& moments, std::span<const std::uint64_t> pulls,
                     const NoiseSettings& settings);

/// The atoms 0..atoms-1 that are not in `affected`, which is increasing.
std::vector<Eigen::Index> other_atoms(std::span<const GroupId> affected, std::size_t atoms);

/// How an action's uplift is estimated: sum over all atoms of weight * (mean - baseline). Affected
/// atoms have weight 1; the others, which saw the same day, are control variates with the weights
/// that leave the least variance under the model: -beta, beta = S_CC^-1 S_CV 1. [lavenberg81]
struct ControlVariates {
  Eigen::VectorXd weights;  ///< per atom
  double variance = 0.0;    ///< of one round's estimate, inflated; >= 0
};

/// Cost: a Cholesky factorisation of the unaffected atoms.
ControlVariates control_variates(const NoiseModel& model, std::span<const GroupId> affected);

/// The inverse of the correlations among `atoms`: what one round of an action that leaves them
/// alone says about their baseline. Cost: O(atoms^3).
Eigen::MatrixXd precision_of(const NoiseModel& model, const std::vector<Eigen::Index>& atoms);

}  // namespace updraft
