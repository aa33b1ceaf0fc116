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
  std::vector<bool> varies;   ///< per atom
  Real lambda = 1.0L;         ///< how far correlations are shrunk
  Matrix correlation;         ///< shrunk; 1 on the diagonal, 0 beside it where an atom is constant
  Real inflation = 1.0L;      ///< f
  std::optional<Real> unit;   ///< u, if payoffs are counts
  Real own_share = 0.0L;      ///< q
  Vector sd;                  ///< sqrt(v(0,g)), of an atom that is left alone
  Matrix sd_under;            ///< the square roots of the diagonal of S(a): [action][atom]
  Vector own_dof;             ///< nu: of s^2, per action
  Matrix weights;             ///< w: [action][atom]
  Vector variances;           ///< s^2: of w'x in one round, per action
  std::vector<Matrix> known;  ///< R: what a round of the action says of the standardised baseline
};

/// The means of actions, and squares and products about them, if rounds of what an action affects
/// can be forgotten (docs/policies/up_ts.md, "What is forgotten").
struct KeptSums {
  Matrix means;     ///< [action][atom]
  Matrix rounds;    ///< [action][atom], of that mean
  Matrix squares;   ///< [action][atom]
  Matrix products;  ///< of all actions: [atom][atom]

  KeptSums(std::size_t actions, std::size_t atoms);

  /// Without changes, squares and products are those about the mean of all rounds.
  ///   r = rounds(g) with this one, e(g) = (x(g) - mean(g)) sqrt((r - 1) / r), with the mean before
  ///   squares(g) += e(g)^2, products(g,h) += e(g) e(h), mean(g) += (x(g) - mean(g)) / r
  void add(const AtomRound& round);

  /// After a change of the effect, between parts of n' and n rounds with these means. With D =
  /// new_mean - old_mean and c = n n' / (n + n')
  ///   squares(g) -= c D(g)^2, products(g,h) -= c D(g) D(h), squares at least 0
  /// The means of the atoms that the action affects, and their rounds, become those of the new
  /// part.
  void separate(ActionId action, const AffectedSets& affected, std::size_t old_rounds,
                const Vector& old_mean, std::size_t new_rounds, const Vector& new_mean);
};

struct NoiseFitOptions {
  std::optional<Vector> baseline;  ///< per atom; absent where it has to be learnt
  bool diagonal = false;           ///< covariance = diagonal
  std::optional<KeptSums> kept;    ///< in place of means, squares and products of all rounds
};

/// mean of x over the rounds of `action`, of which there must be one.
Vector mean_of(const std::vector<AtomRound>& rounds, ActionId action);

/// Residuals:    r(g) = x(g) - centre, the mean of the action's rounds for g in V, else m(0,g)
/// W           = sum of r r'
/// dof(g)      = t - actions that affect g - (1 if the baseline is learnt), at least 1
/// An atom does not vary if sqrt(W(g,g) / dof(g)) <= 1e-13 times the largest of its means.
/// rho         = W(g,h) / sqrt(W(g,g) W(h,h)), within [-1, 1]; 0 if g or h does not vary
/// lambda      = sum (1 - rho^2)^2 / dof / sum rho^2 over pairs of atoms that vary, within
///               [1e-8, 1]; 1 without such pairs, if all rho = 0, and for a diagonal covariance
/// v(0,g), v(a,g), q: see noise_variances.h
/// S           has the correlations (1 - lambda) rho and the variances v(0,g)
/// S(a)        is S with v(a,g) for g in V
/// nu(a)       = min(dof, n(a) - 1 + 1 / q); dof if q = 0
/// beta        = S_CC^-1 S(a)_CV 1 over atoms with v(0,g) > 0
/// w(g)        = 1 in V, -beta(g) in C
/// f           = max(1, dof / max(dof - (1 - lambda) G - 1, dof / 4))
/// s^2         = f (1' S(a)_VV 1 - 1' S(a)_VC beta), at least 0
/// R           = the inverse of the correlations of C, 0 outside of C
NoiseFit fit_noise(const std::vector<AtomRound>& rounds, const AffectedSets& affected,
                   const NoiseFitOptions& options);

}  // namespace updraft::testing
