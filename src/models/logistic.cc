#include "models/logistic.h"

#include <cmath>

#include "core/symmetric.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowsView =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// log(1 + exp(x)), without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// The function to maximise at theta.
double objective(const VectorXd& scores, std::span<const double> outcomes, const VectorXd& theta,
                 double ridge) {
  double sum = 0.0;
  for (Index i = 0; i < scores.size(); ++i) {
    sum += outcomes[static_cast<std::size_t>(i)] * scores[i] - softplus(scores[i]);
  }
  return sum - 0.5 * ridge * theta.squaredNorm();
}

}  // namespace

double sigmoid(double x) {
  if (x >= 0.0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

LogisticFit fit_logistic(std::span<const double> rows, std::span<const double> outcomes,
                         std::size_t features, const LogisticOptions& options,
                         std::span<const double> start) {
  const auto n = static_cast<Index>(outcomes.size());
  const auto d = static_cast<Index>(features);
  const RowsView x(rows.data(), n, d);
  const Eigen::Map<const VectorXd> y(outcomes.data(), n);
  const double enough = options.tolerance * std::max(1.0, static_cast<double>(n));

  VectorXd theta = VectorXd::Zero(d);
  if (!start.empty()) theta = Eigen::Map<const VectorXd>(start.data(), d);
  VectorXd scores = x * theta;
  double value = objective(scores, outcomes, theta, options.ridge);
  VectorXd gradient(d);
  VectorXd curvature(n);
  MatrixXd hessian(d, d);
  LogisticFit fit;
  for (;; ++fit.steps) {
    const VectorXd mean = scores.unaryExpr(&sigmoid);
    gradient = x.transpose() * (y - mean) - options.ridge * theta;
    fit.gradient_norm = gradient.norm();
    fit.converged = fit.gradient_norm <= enough;
    if (fit.converged || fit.steps == options.most_steps) break;
    curvature = mean.array() * (1.0 - mean.array());
    hessian.noalias() = x.transpose() * curvature.asDiagonal() * x;
    hessian.diagonal().array() += options.ridge;
    const VectorXd step = solve_positive(hessian, gradient);
    const VectorXd along = x * step;
    double size = 1.0;
    double next = 0.0;
    do {  // Newton's step is uphill, so a part of it gains
      next = objective(scores + size * along, outcomes, theta + size * step, options.ridge);
      if (next >= value) break;
      size *= 0.5;
    } while (size > 1e-10);
    if (size <= 1e-10) break;  // nothing to gain but rounding
    theta += size * step;
    scores += size * along;
    value = next;
  }
  fit.theta.assign(theta.begin(), theta.end());
  return fit;
}

}  // namespace updraft
