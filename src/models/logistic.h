#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace updraft {

/// 1 / (1 + exp(-x)), without overflow.
double sigmoid(double x);

struct LogisticOptions {
  double ridge = 1.0;       ///< > 0
  double tolerance = 1e-8;  ///< of the gradient's norm, per row
  std::size_t most_steps = 100;
};

/// Logistic regression by penalised maximum likelihood.
struct LogisticFit {
  std::vector<double> theta;   ///< one coefficient per feature; no intercept beyond the features
  double gradient_norm = 0.0;  ///< of the penalised log-likelihood at theta
  std::size_t steps = 0;       ///< of Newton's method
  bool converged = false;
};

/// The theta that maximises
///   sum over rows of (y <theta, x> - log(1 + exp(<theta, x>))) - ridge / 2 ||theta||^2
/// for rows of x one after the other, outcomes y in [0, 1], by Newton's method with step halving
/// from `start` (zeros where empty). Strictly concave, so there is one. Trusts its arguments. Cost:
/// O(rows d^2 + d^3) a step; a warm start takes one or two.
LogisticFit fit_logistic(std::span<const double> rows, std::span<const double> outcomes,
                         std::size_t features, const LogisticOptions& options,
                         std::span<const double> start = {});

}  // namespace updraft
