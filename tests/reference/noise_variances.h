#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "reference/plain_algebra.h"

namespace updraft::testing {

/// Rounds of one atom that have one variance.
struct NoiseCell {
  Real rounds = 0.0L;   ///< n
  Real centre = 0.0L;   ///< mu
  Real squares = 0.0L;  ///< SS: of deviations from mu, added up
  Real dof = 0.0L;      ///< m
};

/// What the variances of one atom are learnt from.
struct NoiseAtom {
  std::size_t variables = 1;  ///< M
  bool varies = false;
  Real largest_sum = 0.0L;  ///< of all rounds
  /// First the rounds that leave the atom alone, then those of action 0, 1, ...; of an action that
  /// leaves the atom alone all numbers are 0.
  std::vector<NoiseCell> cells;
};

struct NoiseVariances {
  Matrix of;              ///< v: [atom][cell]
  Real own_share = 0.0L;  ///< q
};

/// The unit u of payoffs that are counts: the greatest common divisor of all sums over atoms that
/// are not 0, and 1 without any. Absent if payoffs are not counts: a sum is negative, or the
/// largest is above 2^32 times the largest power of two that divides u. Sums are taken as doubles.
std::optional<Real> unit_of_counts(const std::vector<Vector>& sums);

/// The variances of all cells, see docs/policies/up_ts.md, "The variances". For a cell c of the
/// atom g, if payoffs are not counts, h(c) = 1 and k(c) = 0; if they are, k(c) = 1 / h(c),
///   y        = n(c) max(0, mu(c)) / u
///   p        = (min(y, n(c) M) + 1) / (n(c) M + 2)
///   h(c)     = M p (1 - p) if no sum of the atom is above M u, else (y + 1) / max(1, n(c))
/// With SS = 0 for an atom that does not vary,
///   E(g)     = sum m(c) h(c)
///   phi(g)   = sum SS(c) / E(g); 0 if E(g) = 0
/// and if payoffs are counts, over the atoms that vary,
///   Phi      = sum SS(c) / sum m(c) h(c); 0 if there is none
///   e(g)     = 2 E(g)^2 / sum m(c) h(c)^2 (2 + k(c)); 0 if E(g) = 0
///   phi(g)   becomes (e(g) phi(g) + 10 Phi) / (e(g) + 10)
///   prior(c) = phi(g) h(c)
/// Over the cells with 0 < m(c) < T(g) of the atoms that vary, T(g) = sum of m over the atom,
///   b, d     = m(c) / (2 + k(c)), 1 - m(c) / T(g)
///   Q        = sum b (SS(c) / (m(c) prior(c)) - 1)^2,  D = sum d,  B = sum b d
///   tau2     = max(0, Q - D - 2 sqrt(2 D)) / B; 0 if there is no such cell
///   q        = tau2 / (2 + 4 tau2)
/// For every cell,
///   v(c)     = (prior(c) + q SS(c)) / (1 + q m(c)); 0 if phi(g) = 0
NoiseVariances learn_variances(const std::vector<NoiseAtom>& atoms, std::optional<Real> unit);

}  // namespace updraft::testing
