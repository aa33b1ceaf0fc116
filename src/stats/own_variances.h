#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "stats/atom_moments.h"
#include "stats/count_unit.h"
#include "updraft/affected_sets.h"

namespace updraft {

/// Where rounds of an atom are centred, and what their squares about these centres add up to.
struct CentredRounds {
  const AtomMoments* moments = nullptr;
  std::span<const std::uint64_t> pulls;
  const AffectedSets* sets = nullptr;
  const Eigen::VectorXd* centre = nullptr;  ///< per atom, of the rounds that leave it alone
  bool centre_known = false;                ///< it was not taken from these rounds
};

/// The variance of every atom while it is left alone, and under each action that affects it.
struct OwnVariances {
  Eigen::VectorXd base;  ///< per atom
  Eigen::MatrixXd own;   ///< a column per action; 0 for atoms that it leaves alone
  double trust = 0.0;    ///< q in [0, 1/4]: 1 / q rounds is what the prior is worth
};

/// Per atom.
using Varies = Eigen::Array<bool, Eigen::Dynamic, 1>;

/// The rounds of an atom fall into cells: those that leave it alone, and those of each action that
/// affects it. A cell c has m(c) degrees of freedom, squares SS(c) about its centre, and a prior
/// that pools the cells of the atom:
///   prior(c) = phi h(c),   phi = sum_c SS(c) / sum_c m(c) h(c)
/// h is 1, or for counts the variance that goes with their mean: that of a binomial law as long as
/// no sum exceeds the number of variables, else that of a Poisson law; one count is added to each
/// cell, so that a cell without any has a variance too. The phi of counts are moved towards the
/// phi of all atoms, which counts as much as 10 degrees of freedom. The variance of a cell is
///   v(c) = (prior(c) + q SS(c)) / (1 + q m(c))
/// which is a mean of prior and own variance with weights 1/q and m(c). q is learnt from how far
/// the own variances lie from the priors, beyond what chance explains: 0 where they do not.
/// [smyth04]
///
/// `varies` says which atoms vary. The others have no variance, unless payoffs are counts.
/// docs/policies/up_ts.md has the formulas in full. Cost: O(K G).
OwnVariances own_variances(const CentredRounds& rounds, const CountUnit& counts,
                           const Varies& varies);

}  // namespace updraft
