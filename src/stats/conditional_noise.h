#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stats/noise_model.h"
#include "updraft/ids.h"

namespace updraft {

/// How an action's uplift is estimated: sum over all atoms of weight * (mean - baseline). Affected
/// atoms have weight 1; the others, which saw the same day, are control variates with the weights
/// that leave the least variance under the model: -beta, beta = S_CC^-1 S_CV 1. [lavenberg81] S_CV
/// and S_VV are made with the sds that the atoms of V have under the action.
struct ControlVariates {
  Eigen::VectorXd weights;  ///< per atom
  double variance = 0.0;    ///< of one round's estimate, inflated; >= 0
};

/// What follows from a model for the atoms V that an action affects and the others, C. Where the
/// model is well conditioned all comes from its one inverse Q, by systems of the size of V:
///   S_CC^-1 S_CV = -Q_CV Q_VV^-1,   S_CC^-1 = Q_CC - Q_CV Q_VV^-1 Q_VC
/// Else, since these differences would lose their digits, from a factorisation of each S_CC.
/// Cost: O(G^3) to make; then O(|V| G^2) an action, or O(G^3) in the second case.
class ConditionalNoise {
 public:
  /// `model` must outlive this.
  explicit ConditionalNoise(const NoiseModel& model);

  /// `own_sd`: of the affected atoms under the action; per atom, the others' are not looked at.
  ControlVariates control_variates(std::span<const GroupId> affected,
                                   const Eigen::VectorXd& own_sd) const;

  /// The inverse of the correlations among C, 0 in the rows and columns of V: what one round of an
  /// action that leaves C alone says about its baseline, in units of the sds.
  Eigen::MatrixXd precision(std::span<const GroupId> affected) const;

 private:
  using Places = std::vector<Eigen::Index>;
  Places others(std::span<const GroupId> affected) const;

  const NoiseModel* model_;
  Eigen::MatrixXd inverse_;  // Q of the correlations; empty where they are badly conditioned
};

}  // namespace updraft
