#pragma once

#include <Eigen/Core>

namespace updraft {

/// Turns estimates of several effects and their covariance C into the posterior under a prior that
/// is learnt from them: effects are normal about a common mean mu with variance tau^2. The largest
/// of several estimates is too large on average; a posterior that forgets this is too sure that
/// the effect is the largest. [morris83]
///   estimate   becomes  estimate - C (C + tau^2 I)^-1 (estimate - mu)
///   covariance becomes  C - C (C + tau^2 I)^-1 C
/// With c the diagonal of C and J effects with c > 0, tau^2 solves
///   sum over them of (estimate - mu)^2 / (c + tau^2) = J - 1
/// (0 where the sum is smaller for every tau^2) plus mean(c) / J, so that it is never 0; mu is the
/// mean with weights 1 / (c + tau^2). [paule82] Nothing changes where J < 2.
/// Cost: O(J^3).
void shrink_effects(Eigen::VectorXd& estimate, Eigen::MatrixXd& covariance);

}  // namespace updraft
