#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "stats/atom_moments.h"
#include "stats/count_unit.h"
#include "updraft/affected_sets.h"

namespace updraft {

class StateReader;
class StateWriter;

/// The covariance of the atom sums around their means, as learnt from residuals: what an action
/// affects is centred at that action's own mean, the rest at the baseline.
///   S(g,h) = sd(g) sd(h) correlation(g,h)
/// with correlations shrunk towards 0 by the share `shrinkage`, so that S is positive definite
/// however few rounds there are. Atoms that do not vary have sd 0 and no correlations. Under an
/// action that affects an atom its sd is another one (stats/own_variances.h).
/// With more than AtomMoments::kMostInFull atoms, the correlations are those of a few factors:
///   correlation = loadings loadings' + diag(own_share),   own_share = 1 - the squares of the row
struct NoiseModel {
  std::uint64_t rounds = 0;     ///< that it was fitted to; 0: not yet
  std::uint64_t degrees = 1;    ///< of freedom: the least over the atoms
  double shrinkage = 1.0;       ///< lambda, in [1e-8, 1]; if factored 1 - factors / atoms
  Eigen::VectorXd sd;           ///< of an atom that is left alone
  Eigen::MatrixXd own_sd;       ///< a column per action: of the atoms that it affects, else 0
  Eigen::VectorXd own_degrees;  ///< per action: of freedom of its own_sd, >= 1
  Eigen::VectorXd scale;        ///< sd where the atom varies, else 1: what makes atoms comparable
  Eigen::VectorXd centre;       ///< baseline per atom, or the mean of the rounds that left it alone
  Eigen::MatrixXd correlation;  ///< shrunk, symmetric, with ones on the diagonal; empty if factored
  Eigen::MatrixXd loadings;     ///< a row per atom, a column per factor; without columns if not

  /// Of factors times actions, and of factors: what bounds the cost of a decision.
  static constexpr std::size_t kMostCells = 512, kMostFactors = 16;

  /// Before any round.
  NoiseModel(std::size_t actions, std::size_t atoms);

  /// f >= 1: what estimating the weights costs, as a factor of their variances.
  double inflation() const;

  bool factored() const { return correlation.size() == 0; }
  /// Only if factored: at least kLeastOwn.
  Eigen::VectorXd own_share() const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

  /// `scale` from `sd`.
  void set_scale();
};

/// What to fit, besides moments and pulls.
struct NoiseSettings {
  const AffectedSets* sets = nullptr;
  const CountUnit* counts = nullptr;
  const Eigen::VectorXd* baseline = nullptr;  ///< per atom; null where it is not known
  bool diagonal = false;                      ///< no correlations: shrinkage 1
};

/// Every action must have been pulled. Cost: O(K G^2); of a factored model O(G (K + 32)^2).
NoiseModel fit_noise(const AtomMoments& moments, std::span<const std::uint64_t> pulls,
                     const NoiseSettings& settings);

}  // namespace updraft
