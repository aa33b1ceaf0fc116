#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/plain_algebra.h"
#include "updraft/affected_sets.h"
#include "updraft/ids.h"

namespace updraft::testing {

/// The sums over atoms of one round.
struct AtomRound {
  ActionId action = 0;
  Vector sums;
};

/// What the policies that learn the noise make of all rounds so far. For an action a, V are the
/// atoms that it affects and C the others; t = rounds, G = atoms, x = a round's sums over atoms.
struct NoiseFit {
  Vector baseline;            ///< m(0,g): as known, else the mean over rounds that leave g alone
  std::uint64_t dof = 1;      ///< the smallest dof(g)
  Vector sd;                  ///< per atom; 0 where it does not vary
  Real lambda = 1.0L;         ///< how far correlations are shrunk
  Matrix correlation;         ///< shrunk; 1 on the diagonal, 0 beside it where an atom is constant
  Real inflation = 1.0L;      ///< f
  Matrix weights;             ///< w: [action][atom]
  Vector variances;           ///< s^2: of w'x in one round, per action
  std::vector<Matrix> known;  ///< R: what a round of the action says of the standardised baseline

  bool varies(GroupId g) const { return sd[g] > 0.0L; }
};

struct NoiseFitOptions {
  std::optional<Vector> baseline;  ///< per atom; absent where it has to be learnt
  bool diagonal = false;           ///< covariance = diagonal
};

/// mean of x over the rounds of `action`, of which there must be one.
Vector mean_of(const std::vector<AtomRound>& rounds, ActionId action);

/// Residuals:    r(g) = x(g) - centre, the mean of the action's rounds for g in V, else m(0,g)
/// dof(g)      = t - actions that affect g - (1 where the baseline is learnt), at least 1
/// S(g,h)      = sum of r(g) r(h) / sqrt(dof(g) dof(h))
/// An atom does not vary where sqrt(S(g,g)) <= 1e-13 times the largest of its means; S = 0 there.
/// rho         = the correlations of S, within [-1, 1]
/// lambda      = sum (1 - rho^2)^2 / dof / sum rho^2 over pairs of atoms that vary, within
///               [1e-8, 1]; 1 without such pairs, where all rho = 0, and for a diagonal covariance
/// S           is rebuilt from (1 - lambda) rho; beta = S_CC^-1 S_CV 1 over atoms that vary
/// w(g)        = 1 in V, -beta(g) in C
/// f           = max(1, dof / max(dof - (1 - lambda) G - 1, dof / 4))
/// s^2         = f (1' S_VV 1 - 1' S_VC beta), at least 0
/// R           = the inverse correlations of the varying atoms of C, 1 on the diagonal for the
///               constant ones of C, else 0
NoiseFit fit_noise(const std::vector<AtomRound>& rounds, const AffectedSets& affected,
                   const NoiseFitOptions& options);

}  // namespace updraft::testing
